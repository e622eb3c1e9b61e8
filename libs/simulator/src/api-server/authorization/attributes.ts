import type { ApiRequest, Identity, WatchRequest } from '../request.ts';
import { administrator } from '../identity.ts';

/** What a user wants to do, as permissions see it. */
export interface Attributes {
  readonly user: Identity;
  readonly verb: string;
  /** Empty for the core group. */
  readonly group: string;
  /** The plural; empty for paths that are no resources. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** A path that is no resource. */
  readonly path?: string;
}

/** The attributes of a request. An apply is a patch. */
export function attributesOf(request: ApiRequest | (WatchRequest & { readonly verb: 'watch' })): Attributes {
  const { group, plural } = request.resource;
  return {
    user: request.user ?? administrator,
    verb: request.verb === 'apply' ? 'patch' : request.verb,
    group,
    resource: plural,
    subresource: ('subresource' in request ? request.subresource : undefined) ?? '',
    namespace: request.namespace ?? '',
    name: request.name ?? '',
  };
}
