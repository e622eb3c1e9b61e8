import type { Clock, Random, Transport } from '@ordinal/client';
import type { CelEngine } from '@ordinal/schema';
import { createPriorityClasses } from './admission/priority.ts';
import { admitConnection } from './admission/connections.ts';
import type { Connection } from './admission/connections.ts';
import { run, runNow, runSoon } from './admission/steps.ts';
import type { Steps, WebhookCaller } from './admission/steps.ts';
import { SharedFields } from './apply/shared-fields.ts';
import { attributesOf } from './authorization/attributes.ts';
import { followNamespaces } from './authorization/bootstrap.ts';
import { checkPermission } from './authorization/check.ts';
import type { ShownObjects } from './custom/conversion.ts';
import { shown } from './custom/conversion.ts';
import { followDefinitions } from './custom/definitions.ts';
import { administrator, authenticated } from './identity.ts';
import { CompiledKinds, KindModels } from './kinds/models.ts';
import type { StoredObject } from './object.ts';
import { followServices } from './network/service-addresses.ts';
import { serviceBy } from './network/services-by.ts';
import { builtinRegistry } from './resources/builtin.ts';
import type { ResourceRegistry, ServerResource } from './resources/resource.ts';
import type {
  ApiReply,
  ApiRequest,
  Identity,
  InterceptedRequest,
  Interceptor,
  JsonObject,
  WatchHandle,
  WatchListener,
  WatchRequest,
} from './request.ts';
import type { TypeNode } from './schema/type-node.ts';
import { Refusal } from './status.ts';
import { Store } from './store/store.ts';
import { InProcessTransport } from './transport/in-process.ts';
import { dispatch } from './verbs/dispatch.ts';
import { WatchHub } from './watch/hub.ts';
import { AccountTokens } from './tokens/account-tokens.ts';
import { awaitConversions, openWatch, planWatch } from './watch/open.ts';

/** What an API server is made of. */
export interface ApiServerOptions {
  readonly clock: Clock;
  /** Where uids and generated names come from. */
  readonly random: Random;
  /** Changes remembered for each kind; older ones are compacted. 10,000 by default. */
  readonly historyLimit?: number;
  /** Evaluates the CEL rules of custom kinds. Without it, definitions that have such rules are refused. */
  readonly cel?: CelEngine;
  /** Models that other servers made; `cel` is theirs then. */
  readonly compiled?: CompiledKinds;
  /** Calls admission webhooks. Without it, a call fails as without an answer. */
  readonly webhooks?: WebhookCaller;
  /** Whether objects are refused in namespaces that do not exist. By default they are not, so that a test need not create any. */
  readonly requiresNamespaces?: boolean;
  /**
   * Whether objects are completed as by a real server. Pods get what their service account, priority class and runtime class give them, and are refused where one
   * of these does not exist; Services get IPAddresses. What every cluster begins with is there: priority classes, the Service `kubernetes`. Not by default.
   */
  readonly completes?: boolean;
  /** Whether permissions are checked (RBAC). Then the roles that every cluster begins with are there. Not by default. */
  readonly authorizes?: boolean;
}

const noWebhooks: WebhookCaller = () => ({ failed: 'no webhook caller was given to the server' });

/**
 * A simulated API server: objects with the semantics of the real one, in the process. `execute` and `watch` are synchronous; `transport` gives
 * clients the same as bytes.
 *
 * Guarantees: objects that were handed out never change; every change has its own resourceVersion from one counter; watches get each change once, in
 * order; nothing but the clock and the random source decides what happens.
 */
export class ApiServer {
  readonly clock: Clock;
  readonly random: Random;
  readonly store: Store;
  readonly resources: ResourceRegistry;
  readonly models: KindModels;
  readonly sharedFields = new SharedFields();
  /** Tokens of service accounts. */
  readonly tokens: AccountTokens;
  /** Objects whose next write is a change, whatever it says: `KindModel.defaultedWhenRead`. */
  readonly defaultedWhenRead = new WeakSet<StoredObject>();
  /** What versions of kinds with a conversion webhook show of objects. */
  readonly shownObjects: ShownObjects = new WeakMap();
  /** What is stored of objects that reading fills in, where a conversion webhook left that out. */
  readonly rawObjects = new WeakMap<StoredObject, JsonObject>();
  readonly requiresNamespaces: boolean;
  readonly completes: boolean;
  readonly authorizes: boolean;
  readonly #webhooks: WebhookCaller;
  readonly #hub: WatchHub;
  readonly #interceptors = new Set<Interceptor>();

  constructor(options: ApiServerOptions) {
    this.clock = options.clock;
    this.random = options.random;
    this.store = new Store(options.historyLimit);
    this.tokens = new AccountTokens(this);
    this.resources = builtinRegistry();
    this.models = new KindModels(options.compiled ?? new CompiledKinds(options.cel));
    this.requiresNamespaces = options.requiresNamespaces ?? false;
    this.completes = options.completes ?? false;
    this.authorizes = options.authorizes ?? false;
    this.#webhooks = options.webhooks ?? noWebhooks;
    // Before the server itself writes in answer to a change: watches get that change first.
    this.#hub = new WatchHub(this.store, this.clock);
    followDefinitions(this);
    if (this.authorizes) followNamespaces(this);
    if (this.completes) {
      createPriorityClasses(this);
      followServices(this);
    }
  }

  /**
   * Carries out a request at once. Refusals are replies with a `Status`; nothing is thrown for them. A webhook that only promises its answer counts as
   * failed: use `begin` where there may be such.
   */
  execute(request: ApiRequest): ApiReply {
    const refused = this.#before({ ...request, via: 'direct' });
    const reply = refused ?? this.#answered(request, (steps) => runNow(steps, this.#webhooks));
    return this.#ended(request, reply);
  }

  /** Like `execute`, and waits for a webhook that promises its answer. Without such a one it answers at once. */
  begin(request: ApiRequest): ApiReply | Promise<ApiReply> {
    const refused = this.#before({ ...request, via: 'direct' });
    const reply = refused ?? this.#answered(request, (steps) => runSoon(steps, this.#webhooks));
    return reply instanceof Promise ? reply.then((late) => this.#ended(request, late)) : this.#ended(request, reply);
  }

  /** Carries out a request without asking the interceptors, which can wait and lose, and whether its user may: transports ask both. */
  async answer(request: ApiRequest): Promise<ApiReply> {
    try {
      return this.#warned(request, await run(dispatch(this, request), this.#webhooks));
    } catch (error) {
      return refusedBy(error);
    }
  }

  /** Asks admission whether there may be a connection; rejects with the refusal where not. */
  async connect(connection: Connection): Promise<void> {
    await run(admitConnection(this, connection), this.#webhooks);
  }

  /**
   * Opens a watch. Events are delivered synchronously: those that are due already before this returns. Where the server refuses the watch, its Status
   * comes as an `ERROR` event.
   */
  watch(request: WatchRequest, listener: WatchListener): WatchHandle {
    return this.#opened(listener, () => {
      if (this.authorizes) checkPermission(this, attributesOf({ ...request, verb: 'watch' }));
      return openWatch(this, this.#hub, request, listener);
    });
  }

  /** Like `watch`, without asking whether its user may: transports ask that. */
  stream(request: WatchRequest, listener: WatchListener): WatchHandle {
    return this.#opened(listener, () => openWatch(this, this.#hub, request, listener));
  }

  #opened(listener: WatchListener, open: () => WatchHandle): WatchHandle {
    try {
      return open();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      listener.event({ type: 'ERROR', object: error.status as unknown as JsonObject });
      listener.end?.();
      return { stop: () => undefined };
    }
  }

  /** Refuses, by throwing, a watch that could not even begin; one that begins too far back gets that as its first event. */
  checkWatch(request: WatchRequest): void | Promise<void> {
    try {
      return awaitConversions(planWatch(this, request));
    } catch (error) {
      if (!(error instanceof Refusal) || error.status.code !== 410) throw error;
    }
  }

  /** The way to this server for a client that acts as `identity`. */
  transport(identity: Identity = administrator, userAgent = 'ordinal'): Transport {
    return new InProcessTransport(this, authenticated(identity), userAgent);
  }

  /** Whose token of a service account it is; undefined for any other text. One that counts for nothing is refused. */
  authenticate(token: string): Identity | 'refused' | undefined {
    const verdict = this.tokens.verdict(token);
    if ('user' in verdict) return verdict.user;
    return verdict.error === undefined ? undefined : 'refused';
  }

  /** Asks `interceptor` about every request from now on. Returns how to take it out. */
  intercept(interceptor: Interceptor): () => void {
    this.#interceptors.add(interceptor);
    return () => this.#interceptors.delete(interceptor);
  }

  /** The interceptors, in the order in which they came. */
  interceptors(): Iterable<Interceptor> {
    return this.#interceptors;
  }

  /** Ends watches of one kind (`plural.group`), or all, as a server does that restarts. */
  endWatches(storage?: string): void {
    this.#hub.endAll(storage);
  }

  /** Forgets the history of changes: watches that resume from before get 410. */
  compact(): void {
    this.store.compact();
  }

  /**
   * The store goes back to its state at a revision, and the server starts again: what comes of restoring a backup of etcd. Watches end; one of a revision that is
   * still to come says nothing until it has passed, and a list or get of one is refused with 504.
   */
  restore(revision: number): void {
    this.store.restore(revision);
    this.#hub.endAll();
  }

  /** The type of a kind in another of its versions; undefined where that is not served. */
  typeOf(resource: ServerResource, apiVersion: string): TypeNode | undefined {
    const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
    const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
    const other = this.resources.find({ group, version, plural: resource.plural });
    return other && this.models.of(other).type;
  }

  /** An object of the store by where its kind is kept; a Service also by what it was given (`services by address`, `services by node port`). */
  lookup(storage: string, key: string): StoredObject | undefined {
    return storage.startsWith('services by ') ? serviceBy(this.store, storage, key) : this.store.get(storage, key);
  }

  /** An object in the version of a resource: at once, unless a conversion webhook has to be waited for. */
  show(resource: ServerResource, object: StoredObject): JsonObject | Promise<JsonObject> {
    return runSoon(shown(this, resource, object), this.#webhooks);
  }

  /** Stores an object in its kind's storage version. Where a webhook converts between versions, it has to be in one that it can be stored in. */
  write(resource: ServerResource, key: string, object: StoredObject): StoredObject {
    const storageVersion =
      resource.group === '' ? resource.storageVersion : `${resource.group}/${resource.storageVersion}`;
    const apiVersion = resource.conversion ? object.apiVersion : storageVersion;
    return this.store.put(resource.storage, key, (resourceVersion) => ({
      ...object,
      apiVersion,
      metadata: { ...object.metadata, resourceVersion },
    }));
  }

  /** Takes an object out of the store; gives its last state. */
  erase(resource: ServerResource, key: string, object: StoredObject): StoredObject {
    return this.store.remove(resource.storage, key, (resourceVersion) => ({
      ...object,
      metadata: { ...object.metadata, resourceVersion },
    }));
  }

  /** Replies of deprecated versions say so. */
  #warned(request: ApiRequest, reply: ApiReply): ApiReply {
    const deprecated = this.resources.find(request.resource)?.deprecated;
    return deprecated === undefined ? reply : { ...reply, warnings: [deprecated, ...(reply.warnings ?? [])] };
  }

  #before(request: InterceptedRequest): ApiReply | undefined {
    for (const interceptor of this.#interceptors) {
      const interception = interceptor.before?.(request);
      if (interception && 'refuse' in interception)
        return { status: interception.refuse.code, body: interception.refuse as unknown as JsonObject };
    }
    return undefined;
  }

  #ended(request: ApiRequest, reply: ApiReply): ApiReply {
    for (const interceptor of this.#interceptors) interceptor.after?.({ ...request, via: 'direct' }, reply);
    return reply;
  }

  #answered(request: ApiRequest, drive: (steps: Steps<ApiReply>) => ApiReply): ApiReply;
  #answered(
    request: ApiRequest,
    drive: (steps: Steps<ApiReply>) => ApiReply | Promise<ApiReply>,
  ): ApiReply | Promise<ApiReply>;
  #answered(
    request: ApiRequest,
    drive: (steps: Steps<ApiReply>) => ApiReply | Promise<ApiReply>,
  ): ApiReply | Promise<ApiReply> {
    try {
      if (this.authorizes) checkPermission(this, attributesOf(request));
      const reply = drive(dispatch(this, request));
      if (!(reply instanceof Promise)) return this.#warned(request, reply);
      return reply.then((late) => this.#warned(request, late), refusedBy);
    } catch (error) {
      return refusedBy(error);
    }
  }
}

function refusedBy(error: unknown): ApiReply {
  if (error instanceof Refusal)
    return { status: error.status.code, body: error.status as unknown as JsonObject, warnings: error.warnings };
  throw error;
}
