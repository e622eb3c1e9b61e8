import { uid } from '../metadata.ts';
import type { Identity, JsonObject } from '../request.ts';
import type { ApiServer } from '../server.ts';
import type { Steps } from './steps.ts';
import { mutate, validate } from './webhooks.ts';

/** A connection to a pod or a Service: a command, an attachment, or a request that is passed on. */
export interface Connection {
  readonly user: Identity;
  readonly resource: 'pods' | 'services';
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** What is asked for, as reviews show it: such as `PodAttachOptions`. */
  readonly options: JsonObject & { readonly kind: string };
}

/** Asks admission whether there may be a connection. */
export function* admitConnection(server: ApiServer, connection: Connection): Steps<void> {
  const { user, subresource, namespace, name, options } = connection;
  const resource = server.resources.find({ group: '', version: 'v1', plural: connection.resource });
  if (resource === undefined) return;
  const attributes = {
    ...{ resource, subresource, namespace, name, user },
    operation: 'CONNECT',
    object: { apiVersion: 'v1', ...options },
    oldObject: undefined,
    objectKind: { group: '', version: 'v1', kind: options.kind },
    options: {},
    dryRun: false,
    newUid: () => uid(server.random),
    warn: () => undefined,
  } as const;
  // What a webhook makes of it changes no connection.
  yield* mutate(server.store, attributes);
  yield* validate(server, attributes);
}
