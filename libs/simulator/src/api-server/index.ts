export type {
  ApiReply,
  ApiRequest,
  Identity,
  InterceptedRequest,
  Interception,
  Interceptor,
  JsonObject,
  PatchType,
  RequestOptions,
  ResourceAddress,
  ServerWatchEvent,
  Verb,
  WatchHandle,
  WatchListener,
  WatchRequest,
} from './request.ts';
export type { StoredMeta, StoredObject } from './object.ts';
export { CompiledKinds } from './kinds/models.ts';
export { ApiServer } from './server.ts';
export type { ApiServerOptions } from './server.ts';
export { administrator } from './identity.ts';
export type { WebhookAnswer, WebhookCall, WebhookCaller } from './admission/steps.ts';
