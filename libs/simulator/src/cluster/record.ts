import type { ApiServer, Identity, InterceptedRequest } from '../api-server/index.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';
import type { Trace } from './trace.ts';

const writes: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'apply', 'delete', 'deletecollection']);

/** Records every write request in the trace, with its outcome. Returns how to stop that. */
export function recordWrites(server: ApiServer, scheduler: Scheduler, trace: Trace): () => void {
  return server.intercept({
    after: (request, reply) => {
      if (!writes.has(request.verb) || isLease(request)) return undefined;
      const body = reply.body as { readonly metadata?: { readonly name?: string }; readonly reason?: string };
      const subresource =
        'subresource' in request && request.subresource !== undefined ? `/${request.subresource}` : '';
      const name = request.name ?? body.metadata?.name ?? '';
      trace.add({
        at: scheduler.now(),
        actor: actorName(request.user),
        action: request.verb,
        // Joined, not concatenated: it is one piece of memory then.
        subject: [
          request.resource.plural,
          subresource,
          request.namespace === undefined ? ' ' : ` ${request.namespace}/`,
          name,
        ].join(''),
        ...(reply.status >= 400 && { outcome: `${reply.status} ${body.reason ?? ''}` }),
      });
      return undefined;
    },
  });
}

function isLease(request: InterceptedRequest): boolean {
  return request.resource.plural === 'leases';
}

/** A user in the trace: the last part of its name. */
export function actorName(user: Identity | undefined): string {
  const name = user?.name ?? 'kubernetes-admin';
  return name.slice(name.lastIndexOf(':') + 1);
}
