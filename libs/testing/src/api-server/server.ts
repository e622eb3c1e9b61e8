import type { Clock, Random, Transport } from '@ordinal/client';
import { ReadVerbs } from './verbs/read.ts';
import { WriteVerbs } from './verbs/write.ts';
import { DeleteVerbs } from './verbs/delete.ts';
import { WatchHub } from './watch/hub.ts';
import { openWatch } from './watch/open.ts';
import { Store } from './store/store.ts';
import { builtinRegistry } from './resources/builtin.ts';
import type { ResourceRegistry } from './resources/resource.ts';
import { InProcessTransport } from './transport/in-process.ts';
import { Refusal } from './status.ts';
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

/** What an API server is made of. */
export interface ApiServerOptions {
  readonly clock: Clock;
  /** Where uids and generated names come from. */
  readonly random: Random;
  /** Changes remembered for each kind; older ones are compacted. 10,000 unless told. */
  readonly historyLimit?: number;
}

/** The cluster's own administrator: who asks where no user is named. */
export const administrator: Identity = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };

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
  readonly #hub: WatchHub;
  readonly #reads: ReadVerbs;
  readonly #writes: WriteVerbs;
  readonly #deletes: DeleteVerbs;
  readonly #interceptors = new Set<Interceptor>();

  constructor(options: ApiServerOptions) {
    this.clock = options.clock;
    this.random = options.random;
    this.store = new Store(options.historyLimit);
    this.resources = builtinRegistry();
    this.#hub = new WatchHub(this.store, this.clock);
    this.#reads = new ReadVerbs(this);
    this.#deletes = new DeleteVerbs(this);
    this.#writes = new WriteVerbs(this, this.#deletes);
  }

  /** Carries out a request at once. Refusals are replies with a `Status`; nothing is thrown for them. */
  execute(request: ApiRequest): ApiReply {
    return this.#intercepted({ ...request, via: 'direct' }, () => this.answer(request));
  }

  /** Carries out a request without asking the interceptors. Transports do, which have to wait and to lose. */
  answer(request: ApiRequest): ApiReply {
    try {
      return this.#dispatch(request);
    } catch (error) {
      if (error instanceof Refusal) return { status: error.status.code, body: error.status as unknown as JsonObject };
      throw error;
    }
  }

  /**
   * Opens a watch. Events are delivered synchronously: those that are due already before this returns. Where the server refuses the watch, its Status
   * comes as an `ERROR` event.
   */
  watch(request: WatchRequest, listener: WatchListener): WatchHandle {
    try {
      return openWatch(this, this.#hub, request, listener);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      listener.event({ type: 'ERROR', object: error.status as unknown as JsonObject });
      listener.end?.();
      return { stop: () => undefined };
    }
  }

  /** The way to this server for a client that acts as `identity`. */
  transport(identity: Identity = administrator, userAgent = 'ordinal'): Transport {
    return new InProcessTransport(this, identity, userAgent);
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

  #intercepted(request: ApiRequest & InterceptedRequest, answer: () => ApiReply): ApiReply {
    for (const interceptor of this.#interceptors) {
      const interception = interceptor.before?.(request);
      if (interception && 'refuse' in interception)
        return { status: interception.refuse.code, body: interception.refuse as unknown as JsonObject };
    }
    const reply = answer();
    for (const interceptor of this.#interceptors) interceptor.after?.(request, reply);
    return reply;
  }

  #dispatch(request: ApiRequest): ApiReply {
    switch (request.verb) {
      case 'get':
        return this.#reads.get(request);
      case 'list':
        return this.#reads.list(request);
      case 'create':
        return this.#writes.create(request);
      case 'update':
        return this.#writes.update(request);
      case 'patch':
        return this.#writes.patch(request);
      case 'apply':
        return this.#writes.apply(request);
      case 'delete':
        return this.#deletes.delete(request);
      case 'deletecollection':
        return this.#deletes.deleteCollection(request);
    }
  }
}
