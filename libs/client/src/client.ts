import type { CancelSignal } from './cancel-signal.ts';
import type { ResourceDescriptor } from './descriptor.ts';
import type { KubernetesObject, KubernetesObjectInput } from './object.ts';
import type { BodyReader } from './body-reader.ts';
import type { TransportChannel } from './transport.ts';

/** What every call takes. */
export interface CallOptions {
  readonly signal?: CancelSignal;
  /** How long the call may take in all, its retries included, in milliseconds. */
  readonly timeoutMs?: number;
  /** Asked before each attempt, the repeated ones too. What it throws ends the call, and nothing more is sent. */
  readonly permit?: () => void;
}

/** What every write takes. */
export interface WriteOptions extends CallOptions {
  /** Validate and answer, but store nothing. */
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
}

/** What a list or a watch selects. */
export interface Selection {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/**
 * What to keep of an object. It is called for each object as soon as it is parsed, so that what it leaves out is never held for a whole list. It
 * may change the object that it is given, or return another.
 */
export type Projection = (object: KubernetesObject) => KubernetesObject;

/** A list's options. */
export interface ListOptions extends CallOptions, Selection {
  /** Objects for each page; the client asks for the next page by itself. 500 by default; 0 asks for all at once. */
  readonly limit?: number;
  /** No more pages than this are read; where there are more, the list is not whole. All of them by default. */
  readonly maxPages?: number;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  readonly project?: Projection;
}

/** A whole list, consistent at `resourceVersion`. */
export interface ListResult<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
}

/** A watch's options. */
export interface WatchOptions extends Selection {
  readonly signal?: CancelSignal;
  readonly resourceVersion?: string;
  readonly allowWatchBookmarks?: boolean;
  /** Begin with all objects, then a bookmark annotated `k8s.io/initial-events-end`. */
  readonly sendInitialEvents?: boolean;
  /** The server ends the watch after this long. */
  readonly timeoutSeconds?: number;
  /** Called once the server has accepted the watch, before its first event: a cache is current again although nothing happens. */
  readonly onOpen?: () => void;
  /** Not called for bookmarks. */
  readonly project?: Projection;
}

/** One event of a watch. An `ERROR` event is thrown as an `ApiError` instead (410 with reason `Expired` among them). */
export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: T;
}

/** A delete's options. */
export interface DeleteOptions extends WriteOptions {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
}

/** An apply's options. The API server refuses an apply for which neither these nor the client name a field manager. */
export interface ApplyOptions extends WriteOptions {
  /** Take over fields that others own. Without it, their ownership is an `ApiError` with code `Conflict` that lists them. */
  readonly force?: boolean;
}

/** A JSON patch operation (RFC 6902). */
export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** A patch and how the server is to read it. */
export type Patch =
  | { readonly type: 'json'; readonly operations: readonly JsonPatchOperation[] }
  | { readonly type: 'merge'; readonly body: unknown }
  | { readonly type: 'strategic'; readonly body: unknown };

/** The scale subresource (`autoscaling/v1`). */
export interface Scale extends KubernetesObject {
  readonly spec: { readonly replicas?: number };
  readonly status: { readonly replicas: number; readonly selector?: string };
}

/** What was deleted, or the Status that says so: an object that still has finalizers comes back whole. */
export type DeleteResult<T> = { readonly outcome: 'deleted' } | { readonly outcome: 'deleting'; readonly object: T };

/** Reading and writing one kind, in one namespace or, for cluster-scoped kinds, in the cluster. */
export interface ResourceClient<Read extends KubernetesObject, Write extends KubernetesObjectInput> {
  get(name: string, options?: CallOptions & { readonly resourceVersion?: string }): Promise<Read>;
  /** Undefined where there is no such object; every other failure is thrown. */
  find(name: string, options?: CallOptions): Promise<Read | undefined>;
  list(options?: ListOptions): Promise<ListResult<Read>>;
  /**
   * The events from one request, until the server ends it. To resume, to relist on 410 and to notice silence is the informer's job. An aborted
   * signal ends it with a `TransportError` (`Aborted`).
   */
  watch(options?: WatchOptions): AsyncIterable<WatchEvent<Read>>;
  create(object: Write, options?: WriteOptions): Promise<Read>;
  update(object: Write, options?: WriteOptions): Promise<Read>;
  patch(name: string, patch: Patch, options?: WriteOptions): Promise<Read>;
  apply(object: Write, options: ApplyOptions): Promise<Read>;
  delete(name: string, options?: DeleteOptions): Promise<DeleteResult<Read>>;
  deleteCollection(options?: DeleteOptions & Selection): Promise<void>;
  readonly status: {
    get(name: string, options?: CallOptions): Promise<Read>;
    update(object: Read | Write, options?: WriteOptions): Promise<Read>;
    patch(name: string, patch: Patch, options?: WriteOptions): Promise<Read>;
    apply(object: Write, options: ApplyOptions): Promise<Read>;
  };
  readonly scale: {
    get(name: string, options?: CallOptions): Promise<Scale>;
    update(name: string, replicas: number, options?: WriteOptions): Promise<Scale>;
  };
}

/** One kind in the whole cluster: lists and watches across namespaces, or narrowed to one. */
export interface KindClient<Read extends KubernetesObject, Write extends KubernetesObjectInput> extends Pick<
  ResourceClient<Read, Write>,
  'list' | 'watch'
> {
  /** The kind in one namespace. */
  namespace(namespace: string): ResourceClient<Read, Write>;
  /** The kind without a namespace, for cluster-scoped kinds. Throws a `TypeError` for namespaced ones. */
  cluster(): ResourceClient<Read, Write>;
  /** `namespace(namespace)`, or `cluster()` where the kind has no namespaces. */
  in(namespace: string): ResourceClient<Read, Write>;
}

/** A pod and the container in it. */
export interface ContainerAddress {
  readonly namespace: string;
  readonly pod: string;
  /** May be left out where the pod has one container. */
  readonly container?: string;
}

/** What a command printed and how it ended. */
export interface ExecResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Subresources of pods, and requests proxied by the API server. */
export interface PodClient {
  logs(
    address: ContainerAddress,
    options?: CallOptions & { readonly tailLines?: number; readonly limitBytes?: number; readonly previous?: boolean },
  ): Promise<string>;
  /** Runs a command to its end. One that prints more than `limitBytes` on one of its outputs is left, with a `TransportError` of code `ReplyTooLarge`. */
  exec(
    address: ContainerAddress,
    command: readonly string[],
    options?: CallOptions & { readonly stdin?: string; readonly limitBytes?: number },
  ): Promise<ExecResult>;
  /** Opens a command's streams without waiting for its end. */
  stream(
    address: ContainerAddress,
    command: readonly string[],
    options?: CallOptions & { readonly tty?: boolean },
  ): Promise<TransportChannel>;
  /** Asks the API server to evict the pod: 429 (`TooManyRequests`) where a budget does not allow it now. */
  evict(
    address: Pick<ContainerAddress, 'namespace' | 'pod'>,
    options?: WriteOptions & Pick<DeleteOptions, 'preconditions' | 'gracePeriodSeconds'>,
  ): Promise<void>;
  /**
   * An HTTP request to a pod or service through the API server's proxy. The body is what a reader keeps of it, which `reader` makes for each attempt; its
   * beginning, up to `limitBytes`, without one.
   */
  proxy(
    target: ProxyTarget,
    options?: CallOptions & { readonly limitBytes?: number; readonly reader?: () => BodyReader },
  ): Promise<{ readonly status: number; readonly body: string }>;
}

/** Where the API server's proxy should send a request. */
export interface ProxyTarget {
  readonly kind: 'pods' | 'services';
  readonly namespace: string;
  readonly name: string;
  readonly port: number | string;
  readonly scheme?: 'http' | 'https';
  readonly path: string;
  readonly method?: 'GET' | 'POST';
}

/**
 * A client of one API server. Call it with a descriptor: `client(clusteredCaches).namespace('shop').get('sessions')`.
 * Every failure is an `ApiError` (the server's `Status`) or a `TransportError` (no reply).
 */
export interface Client {
  <Read extends KubernetesObject, Write extends KubernetesObjectInput>(
    descriptor: ResourceDescriptor<Read, Write>,
  ): KindClient<Read, Write>;
  readonly pods: PodClient;
  /** A client whose writes are validated by the server and never stored. */
  dryRun(): Client;
  /** A client that acts as another user, where the server allows it. */
  impersonate(user: { readonly name: string; readonly groups?: readonly string[]; readonly uid?: string }): Client;
  /** A request to any path; the reply parsed as JSON. */
  request(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    options?: CallOptions & { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<unknown>;
  close(): Promise<void>;
}
