import type { KubernetesObject } from '@ordinal/client';
import { ApiError } from '@ordinal/client';
import type { ApiReply, ApiRequest, ApiServer, Identity } from '../api-server/index.ts';
import { kinds } from './kinds.ts';
import type { Kind, Live } from './kinds.ts';
import { deleteOptionsOf } from './store.ts';
import type { Draft, Store, StoreDeleteOptions } from './store.ts';

const splitVersion = (apiVersion: string): { readonly group: string; readonly version: string } => {
  const slash = apiVersion.indexOf('/');
  return slash < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
};

/** The name under which the server keeps objects of a kind: `plural.group`. */
export function storageOf(kind: Kind<unknown>): string {
  const { group } = splitVersion(kind.apiVersion);
  return group === '' ? kind.plural : `${kind.plural}.${group}`;
}

/** The store of a simulated API server, for one of the cluster's own components. */
export class ServerStore implements Store {
  private readonly server: ApiServer;
  private readonly user: Identity;
  private readonly userAgent: string;
  private readonly isReachable: () => boolean;

  constructor(server: ApiServer, user: Identity, userAgent: string, isReachable: () => boolean = () => true) {
    this.server = server;
    this.user = user;
    this.userAgent = userAgent;
    this.isReachable = isReachable;
  }

  /** An object of a kind. */
  find<T>(kind: Kind<T>, namespace: string, name: string): Live<T> | undefined {
    // The store holds what was validated as this kind.
    return this.server.store.get(storageOf(kind), kind.namespaced ? `${namespace}/${name}` : name) as
      Live<T> | undefined;
  }

  /** The objects of a kind, of one namespace or of all. */
  list<T>(kind: Kind<T>, namespace?: string): readonly Live<T>[] {
    const prefix = namespace === undefined ? '' : `${namespace}/`;
    const objects: Live<T>[] = [];
    for (const [key, object] of this.server.store.snapshot(storageOf(kind))) {
      // As above.
      if (key.startsWith(prefix)) objects.push(object as unknown as Live<T>);
    }
    return objects;
  }

  /** Creates an object. */
  create<T>(kind: Kind<T>, object: Draft<T>): Live<T> {
    return this.write<T>(kind, {
      verb: 'create',
      namespace: object.metadata.namespace,
      body: { ...object, ...typeOf(kind) },
    });
  }

  /** Replaces an object. */
  update<T>(kind: Kind<T>, object: Live<T>): Live<T> {
    const { namespace, name } = object.metadata;
    return this.write<T>(kind, { verb: 'update', namespace, name, body: { ...object, ...typeOf(kind) } });
  }

  /** Replaces an object's status. */
  updateStatus<T>(kind: Kind<T>, object: Live<T>): Live<T> {
    const { namespace, name } = object.metadata;
    return this.write<T>(kind, {
      verb: 'update',
      namespace,
      name,
      subresource: 'status',
      body: { ...object, ...typeOf(kind) },
    });
  }

  /** Applies a configuration. */
  apply<T>(kind: Kind<T>, object: Draft<T>, manager: string): void {
    const { name } = object.metadata;
    const options = { fieldManager: manager, force: true };
    this.write<T>(kind, { verb: 'apply', name, options, body: { ...object, ...typeOf(kind) } });
  }

  /** Deletes an object, or begins to. */
  delete(kind: Kind<unknown>, target: KubernetesObject, options: StoreDeleteOptions = {}): void {
    this.write(kind, deletionOf(target, options));
  }

  /** As `delete`, and waits for webhooks. */
  beginDelete(
    kind: Kind<unknown>,
    target: KubernetesObject,
    options: StoreDeleteOptions = {},
  ): Promise<void> | undefined {
    const reply = this.server.begin(this.requestOf(kind, deletionOf(target, options)));
    if (reply instanceof Promise) return reply.then((late) => void this.bodyOf(late));
    this.bodyOf(reply);
    return undefined;
  }

  /** Binds a pod to a node. */
  bind(pod: KubernetesObject, node: string): void {
    const { namespace = '', name, uid } = pod.metadata;
    const body = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name, namespace, uid },
      target: { apiVersion: 'v1', kind: 'Node', name: node },
    };
    this.write(kinds.pod, { verb: 'create', namespace, name, subresource: 'binding', body });
  }

  /** Lets a namespace go. */
  finalizeNamespace(namespace: KubernetesObject): void {
    const body = { ...namespace, ...typeOf(kinds.namespace), spec: { finalizers: [] } };
    this.write(kinds.namespace, { verb: 'update', name: namespace.metadata.name, subresource: 'finalize', body });
  }

  /** The kind of this name. */
  kindOf(apiVersion: string, kind: string): Kind<unknown> | undefined {
    const { group, version } = splitVersion(apiVersion);
    const resource = this.server.resources.findKind(group, version, kind);
    return resource && { apiVersion, kind, plural: resource.plural, namespaced: resource.namespaced };
  }

  /** All kinds, each in the version that it is stored in. */
  allKinds(): readonly Kind<unknown>[] {
    return this.server.resources
      .all()
      .filter(
        ({ verbs, version, storageVersion }) =>
          version === storageVersion && verbs.includes('list') && verbs.includes('delete'),
      )
      .map(({ group, version, kind, plural, namespaced }) => ({
        apiVersion: group === '' ? version : `${group}/${version}`,
        kind,
        plural,
        namespaced,
      }));
  }

  private write<T>(kind: Kind<T>, request: StoreRequest): Live<T> {
    // Bodies of successes are objects of the kind.
    return this.bodyOf(this.server.execute(this.requestOf(kind, request))) as unknown as Live<T>;
  }

  private requestOf(kind: Kind<unknown>, { namespace, name, ...rest }: StoreRequest): ApiRequest {
    if (!this.isReachable()) throw unreachable(this.user.name);
    const { group, version } = splitVersion(kind.apiVersion);
    return {
      ...rest,
      user: this.user,
      userAgent: this.userAgent,
      resource: { group, version, plural: kind.plural },
      ...(kind.namespaced && namespace !== undefined && { namespace }),
      ...(name !== undefined && { name }),
    };
  }

  private bodyOf({ status, body }: ApiReply): ApiReply['body'] {
    // Bodies of failures are statuses.
    if (status >= 400) throw new ApiError(body as unknown as ConstructorParameters<typeof ApiError>[0], this.user.name);
    return body;
  }
}

/** What of a request differs from one write to the other. */
type StoreRequest = Pick<ApiRequest, 'verb' | 'subresource' | 'body' | 'options'> & {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
};

function deletionOf({ metadata: { namespace, name } }: KubernetesObject, options: StoreDeleteOptions): StoreRequest {
  return { verb: 'delete', namespace, name, options: deleteOptionsOf(options) };
}

const typeOf = ({ apiVersion, kind }: Kind<unknown>): Pick<KubernetesObject, 'apiVersion' | 'kind'> => ({
  apiVersion,
  kind,
});

function unreachable(user: string): ApiError {
  const message = 'the API server can not be reached from here';
  return new ApiError(
    { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 503, reason: 'ServiceUnavailable', message },
    user,
  );
}
