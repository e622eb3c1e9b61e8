import type { ResourceDescriptor, Status } from '@ordinal/client';

/** Any JSON object. */
export type JsonObject = Record<string, unknown>;

/** Who asks. */
export interface Identity {
  readonly name: string;
  readonly groups?: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Which kind is meant: its group, version and plural name. A `ResourceDescriptor` will do. */
export type ResourceAddress = Pick<ResourceDescriptor, 'group' | 'version' | 'plural'>;

/** What a request asks for. `apply` is a patch with an apply configuration. */
export type Verb = 'get' | 'list' | 'create' | 'update' | 'patch' | 'apply' | 'delete' | 'deletecollection';

/** How a patch's body is to be read. */
export type PatchType = 'json' | 'merge' | 'strategic';

/** The options of all verbs, as the API names them. */
export interface RequestOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  /** Apply: take over fields that others own. */
  readonly force?: boolean;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: string;
  /** Delete: the options may also be the request's body. */
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** A request at the level of objects. */
export interface ApiRequest {
  /** Absent: the cluster's own administrator. */
  readonly user?: Identity;
  /** What called, as in the `User-Agent` header: the default name of the field manager is its first word. */
  readonly userAgent?: string;
  readonly verb: Verb;
  readonly resource: ResourceAddress;
  /** Absent for cluster-scoped kinds and for lists across namespaces. */
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
  /** The object, the patch or the delete options. It is never changed. */
  readonly body?: unknown;
  readonly patchType?: PatchType;
  /** What field validation says of fields that the text of the body gives twice. */
  readonly repeated?: readonly string[];
  /** Where in the text what field validation says would be found; absent where no field is given twice. */
  readonly places?: ReadonlyMap<string, number>;
  readonly options?: RequestOptions;
}

/** What the server answered. A refused request has a `Status` as its body. */
export interface ApiReply {
  readonly status: number;
  /** Frozen or shared with the store: never change it. */
  readonly body: JsonObject;
  /** The texts of `Warning` headers. */
  readonly warnings?: readonly string[];
}

/** What a watch selects and where it begins. */
export interface WatchRequest {
  readonly user?: Identity;
  readonly userAgent?: string;
  readonly resource: ResourceAddress;
  readonly namespace?: string;
  readonly name?: string;
  readonly options?: Pick<
    RequestOptions,
    'labelSelector' | 'fieldSelector' | 'resourceVersion' | 'resourceVersionMatch'
  > & {
    readonly allowWatchBookmarks?: boolean;
    readonly sendInitialEvents?: boolean;
    readonly timeoutSeconds?: number;
  };
}

/** One event of a watch. `ERROR` carries a `Status`, and the watch has ended. */
export interface ServerWatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: JsonObject;
}

/** What a watch calls. Both are called synchronously; writes made from within are carried out at once and delivered afterwards, in order. */
export interface WatchListener {
  event(event: ServerWatchEvent): void;
  /** The server has ended the watch: its time is up, or an `ERROR` event came before. */
  end?(): void;
}

/** A watch under way. */
export interface WatchHandle {
  /** No event comes after this. */
  stop(): void;
}

/** What an interceptor makes of a request before it is examined. */
export type Interception =
  /** The server answers with this Status, and does nothing. */
  | { readonly refuse: Status }
  /** The request waits on the server's clock first. Only requests through a transport can wait. */
  | { readonly delayMs: number }
  /** The request never arrives: a `TransportError`. Only requests through a transport can be lost. */
  | { readonly lose: true };

/** A hook around each request: what faults are injected with. */
export interface Interceptor {
  /** Called before anything is done, for watches with the verb `watch`. */
  before?(request: InterceptedRequest): Interception | undefined;
  /** Called after the request was carried out or refused, before its reply leaves. `lose` drops the reply (transport only); `delayMs` holds it back. */
  after?(
    request: InterceptedRequest,
    reply: ApiReply,
  ): { readonly lose: true } | { readonly delayMs: number } | undefined;
}

/** A request as interceptors see it. */
export type InterceptedRequest = (ApiRequest | (WatchRequest & { readonly verb: 'watch' })) & {
  /** `direct` for object-level calls in the process, `transport` for those that came as bytes. */
  readonly via: 'direct' | 'transport';
};
