import type {
  ApplyOptions,
  CallOptions,
  DeleteOptions,
  DeleteResult,
  KindClient,
  Patch,
  ResourceClient,
  Scale,
  Selection,
  WriteOptions,
} from '../client.ts';
import type { ResourceDescriptor } from '../descriptor.ts';
import { apiVersionOf } from '../descriptor.ts';
import { isApiError } from '../error.ts';
import { writeJson } from '../json.ts';
import type { RequestVerb } from '../metrics.ts';
import type { KubernetesObject, KubernetesObjectInput } from '../object.ts';
import type { Call, Repeatable } from './call.ts';
import type { Exchange } from './exchange.ts';
import { acceptFor, objectOf } from './kind.ts';
import { readList } from './list.ts';
import type { Query } from './path.ts';
import { pathOf, withQuery } from './path.ts';
import { readWatch } from './watch.ts';
import type { WriteDefaults } from './write.ts';
import { deleteBody, deleteOutcome, patchContentType, writeQuery } from './write.ts';

/** What the resource clients of one client share. */
export interface ResourceContext {
  readonly exchange: Exchange;
  readonly writes: WriteDefaults;
}

/** One kind in the whole cluster. */
export function kindClient<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
  context: ResourceContext,
  descriptor: ResourceDescriptor<Read, Write>,
): KindClient<Read, Write> {
  const everywhere = new ResourceRequests(context, descriptor, undefined);
  const namespace = (name: string): ResourceClient<Read, Write> => {
    if (descriptor.scope === 'Cluster') throw new TypeError(`${descriptor.kind} has no namespaces: use cluster()`);
    return new ResourceRequests(context, descriptor, name).client();
  };
  const cluster = (): ResourceClient<Read, Write> => {
    if (descriptor.scope === 'Namespaced')
      throw new TypeError(`${descriptor.kind} lives in namespaces: use namespace(name)`);
    return everywhere.client();
  };
  return {
    list: (options = {}) => everywhere.list(options),
    watch: (options = {}) => everywhere.watch(options),
    namespace,
    cluster,
    in: (name) => (descriptor.scope === 'Cluster' ? cluster() : namespace(name)),
  };
}

interface Message {
  readonly verb: RequestVerb;
  readonly method: Call['method'];
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
  readonly query?: Query;
  readonly contentType?: string;
  readonly body?: unknown;
  readonly repeatable: Repeatable;
  readonly options: CallOptions;
}

class ResourceRequests<Read extends KubernetesObject, Write extends KubernetesObjectInput> {
  private readonly context: ResourceContext;
  private readonly descriptor: ResourceDescriptor<Read, Write>;
  private readonly namespace: string | undefined;

  constructor(context: ResourceContext, descriptor: ResourceDescriptor<Read, Write>, namespace: string | undefined) {
    this.context = context;
    this.descriptor = descriptor;
    this.namespace = namespace;
  }

  client(): ResourceClient<Read, Write> {
    return {
      get: (name, options = {}) => this.get(name, undefined, options),
      find: (name, options = {}) => this.find(name, options),
      list: (options = {}) => this.list(options),
      watch: (options = {}) => this.watch(options),
      create: (object, options = {}) => this.create(object, options),
      update: (object, options = {}) => this.update(object, undefined, options),
      patch: (name, patch, options = {}) => this.patch(name, patch, { options }),
      apply: (object, options) => this.apply(object, undefined, options),
      delete: (name, options = {}) => this.delete(name, options),
      deleteCollection: (options = {}) => this.deleteCollection(options),
      status: {
        get: (name, options = {}) => this.get(name, 'status', options),
        update: (object, options = {}) => this.update(object, 'status', options),
        patch: (name, patch, options = {}) => this.patch(name, patch, { subresource: 'status', options }),
        apply: (object, options) => this.apply(object, 'status', options),
      },
      scale: {
        get: (name, options = {}) => this.readScale(name, options),
        update: (name, replicas, options = {}) => this.writeScale(name, replicas, options),
      },
    };
  }

  list(options: Parameters<ResourceClient<Read, Write>['list']>[0] & object) {
    return readList<Read>(this.context.exchange, { ...this.collection(), options });
  }

  watch(options: Parameters<ResourceClient<Read, Write>['watch']>[0] & object) {
    return readWatch<Read>(this.context.exchange, { ...this.collection(), options });
  }

  private collection() {
    return { descriptor: this.descriptor, path: pathOf(this.descriptor, { namespace: this.namespace }) };
  }

  private async get(
    name: string,
    subresource: string | undefined,
    options: CallOptions & { readonly resourceVersion?: string },
  ): Promise<Read> {
    const query = { resourceVersion: options.resourceVersion };
    return this.object({ verb: 'get', method: 'GET', name, subresource, query, repeatable: 'read', options });
  }

  private async find(name: string, options: CallOptions): Promise<Read | undefined> {
    try {
      return await this.get(name, undefined, options);
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  private async create(object: Write, options: WriteOptions): Promise<Read> {
    const query = writeQuery(this.context.writes, options);
    return this.object({ verb: 'create', method: 'POST', query, body: this.own(object), repeatable: 'write', options });
  }

  private async update(object: Read | Write, subresource: string | undefined, options: WriteOptions): Promise<Read> {
    const query = writeQuery(this.context.writes, options);
    const name = nameOf(object);
    const repeatable = object.metadata.resourceVersion === undefined ? 'write' : 'idempotent';
    return this.object({
      verb: 'update',
      method: 'PUT',
      name,
      subresource,
      query,
      body: this.own(object),
      repeatable,
      options,
    });
  }

  private async patch(
    name: string,
    patch: Patch,
    { subresource, options }: { readonly subresource?: string; readonly options: WriteOptions },
  ): Promise<Read> {
    const query = writeQuery(this.context.writes, options);
    const body = patch.type === 'json' ? patch.operations : patch.body;
    const contentType = patchContentType[patch.type];
    return this.object({
      verb: 'patch',
      method: 'PATCH',
      name,
      subresource,
      query,
      body,
      contentType,
      repeatable: 'write',
      options,
    });
  }

  private async apply(object: Write, subresource: string | undefined, options: ApplyOptions): Promise<Read> {
    return this.object({
      verb: 'apply',
      method: 'PATCH',
      name: nameOf(object),
      subresource,
      query: { ...writeQuery(this.context.writes, options), force: options.force },
      body: this.own(object),
      contentType: 'application/apply-patch+yaml',
      repeatable: 'idempotent',
      options,
    });
  }

  private async delete(name: string, options: DeleteOptions): Promise<DeleteResult<Read>> {
    const body = deleteBody(this.context.writes, options);
    // With a UID, a repeated delete can only meet the same object or none.
    const repeatable = 'verdict';
    const reply = await this.context.exchange.json(
      this.call({ verb: 'delete', method: 'DELETE', name, body, repeatable, options }),
    );
    return deleteOutcome(reply, this.descriptor);
  }

  private async deleteCollection(options: DeleteOptions & Selection): Promise<void> {
    const { labelSelector, fieldSelector } = options;
    const body = deleteBody(this.context.writes, options);
    const query = { labelSelector, fieldSelector };
    await this.context.exchange.json(
      this.call({ verb: 'deletecollection', method: 'DELETE', query, body, repeatable: 'verdict', options }),
    );
  }

  private async readScale(name: string, options: CallOptions): Promise<Scale> {
    const call = this.call({ verb: 'get', method: 'GET', name, subresource: 'scale', repeatable: 'read', options });
    return objectOf(await this.context.exchange.json(call), scaleDescriptor);
  }

  private async writeScale(name: string, replicas: number, options: WriteOptions): Promise<Scale> {
    const body = {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name, ...(this.namespace !== undefined && { namespace: this.namespace }) },
      spec: { replicas },
    };
    const query = writeQuery(this.context.writes, options);
    const call = this.call({
      verb: 'update',
      method: 'PUT',
      name,
      subresource: 'scale',
      query,
      body,
      repeatable: 'write',
      options,
    });
    return objectOf(await this.context.exchange.json(call), scaleDescriptor);
  }

  private async object(message: Message): Promise<Read> {
    return objectOf(await this.context.exchange.json(this.call(message)), this.descriptor);
  }

  private call(message: Message): Call {
    const { verb, method, name, subresource, repeatable, options } = message;
    const { group, plural } = this.descriptor;
    return {
      verb,
      group,
      resource: plural,
      subresource: subresource ?? '',
      object: [this.namespace, name].filter((part) => part !== undefined).join('/'),
      method,
      path: withQuery(pathOf(this.descriptor, { namespace: this.namespace, name, subresource }), message.query ?? {}),
      headers: {
        ...(method === 'GET' && subresource !== 'scale' && acceptFor(this.descriptor, 'object')),
        ...(message.body !== undefined && { 'content-type': message.contentType ?? 'application/json' }),
      },
      ...(message.body !== undefined && { body: writeJson(message.body) }),
      repeatable,
      options,
    };
  }

  /** The object, where it belongs to this kind and namespace. */
  private own(object: Read | Write): Read | Write {
    const { kind } = this.descriptor;
    const apiVersion = apiVersionOf(this.descriptor);
    if (object.kind !== kind || object.apiVersion !== apiVersion) {
      throw new TypeError(`a ${object.apiVersion} ${object.kind} was given to the client of ${apiVersion} ${kind}`);
    }
    const { namespace } = object.metadata;
    if (namespace !== undefined && namespace !== '' && namespace !== this.namespace) {
      throw new TypeError(
        `${kind} ${object.metadata.name ?? ''} of namespace ${namespace} was given to the client of ${this.namespace ?? 'the cluster'}`,
      );
    }
    return object;
  }
}

const scaleDescriptor: ResourceDescriptor<Scale, KubernetesObjectInput> = {
  group: 'autoscaling',
  version: 'v1',
  kind: 'Scale',
  plural: 'scales',
  scope: 'Namespaced',
};

function nameOf(object: KubernetesObject | KubernetesObjectInput): string {
  const { name } = object.metadata;
  if (name === undefined) throw new TypeError(`a ${object.kind} without metadata.name can only be created`);
  return name;
}
