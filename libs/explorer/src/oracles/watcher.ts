import type { ApiReply, InterceptedRequest } from '@ordinal/simulator';
import type { SimulatedCluster } from '@ordinal/simulator';
import type { Invariant, ObservedRequest, Violation } from './invariant.ts';

const writes: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'apply', 'delete', 'deletecollection']);

/**
 * Checks invariants after each step of a cluster; those about the operator's requests, for the users that it acts as. Violations are collected, each invariant's first only: what follows from a broken invariant is not
 * news. Returns the list, which grows, and how to stop.
 */
export function watchInvariants(
  cluster: SimulatedCluster,
  invariants: readonly Invariant[],
  operators: ReadonlySet<string>,
): { readonly violations: readonly Violation[]; readonly stop: () => void } {
  const violations: Violation[] = [];
  const broken = new Set<string>();
  const check = (invariant: Invariant, message: string | undefined): void => {
    if (message === undefined || broken.has(invariant.name)) return;
    broken.add(invariant.name);
    violations.push({ oracle: invariant.name, message, traceLength: cluster.trace.entries.length });
  };
  const onChange = invariants.filter(({ afterChange }) => afterChange !== undefined);
  const onRequest = invariants.filter(({ afterRequest }) => afterRequest !== undefined);
  const unsubscribe = cluster.server.store.subscribe(({ kind, before, after, deleted, restored }) => {
    // No client made the differences to a state that the store has gone back to.
    if (onChange.length === 0 || restored === true) return;
    const type = deleted ? 'DELETED' : before === undefined ? 'ADDED' : 'MODIFIED';
    const change = { type, kind, object: after, ...(before !== undefined && { previous: before }) } as const;
    for (const invariant of onChange) check(invariant, invariant.afterChange?.(cluster, change));
  });
  const takeOut = cluster.server.intercept({
    after: (request, reply) => {
      if (onRequest.length === 0 || !writes.has(request.verb) || !operators.has(request.user?.name ?? ''))
        return undefined;
      const seen = requestOf(request, reply);
      for (const invariant of onRequest) check(invariant, invariant.afterRequest?.(cluster, seen));
      return undefined;
    },
  });
  return {
    violations,
    stop: () => {
      unsubscribe();
      takeOut();
    },
  };
}

function requestOf(request: InterceptedRequest, reply: ApiReply): ObservedRequest {
  const { verb, namespace, name } = request;
  const { group, plural } = request.resource;
  const preconditions = preconditionsOf(request);
  const subresource = 'subresource' in request ? request.subresource : undefined;
  return {
    user: request.user?.name ?? '',
    verb,
    kind: group === '' ? plural : `${plural}.${group}`,
    status: reply.status,
    ...(reply.status >= 400 && { message: String(reply.body['message'] ?? '') }),
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(subresource !== undefined && { subresource }),
    ...(preconditions !== undefined && { preconditions }),
  };
}

/** A delete's preconditions stand in its options or in its body. */
function preconditionsOf(request: InterceptedRequest): ObservedRequest['preconditions'] | undefined {
  const body =
    'body' in request ? (request.body as { readonly preconditions?: ObservedRequest['preconditions'] }) : undefined;
  const options =
    'options' in request && request.options !== undefined && 'preconditions' in request.options
      ? request.options
      : undefined;
  return options?.preconditions ?? body?.preconditions;
}
