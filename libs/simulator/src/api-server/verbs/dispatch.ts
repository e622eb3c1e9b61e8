import type { Steps } from '../admission/steps.ts';
import type { ApiReply, ApiRequest } from '../request.ts';
import type { ApiServer } from '../server.ts';
import { notSimulated, pathNotFound } from '../status.ts';
import { apply, patch, update } from './change.ts';
import { create } from './create.ts';
import { deleteCollection, deleteOne } from './delete.ts';
import { get, list } from './read.ts';
import { review, reviews } from '../authorization/reviews.ts';
import { evict } from '../subresources/eviction.ts';
import { scale } from '../subresources/scale.ts';
import { requestToken } from '../subresources/token.ts';
import { bind } from '../subresources/binding.ts';

/** Subresources that are written like the object itself, only that other parts of it count. */
const likeObjects: ReadonlySet<string> = new Set(['status', 'finalize', 'approval', 'resize', 'ephemeralcontainers']);

/** Finds what carries a request out. Whether its user may is asked before. */
export function dispatch(server: ApiServer, request: ApiRequest): Steps<ApiReply> {
  if (request.verb === 'create' && reviews.has(request.resource.plural)) return review(server, request);
  const { subresource } = request;
  if (subresource !== undefined && !likeObjects.has(subresource)) return subresourceOf(server, request, subresource);
  if (subresource !== undefined && server.resources.find(request.resource)?.subresources.has(subresource) !== true)
    throw pathNotFound();
  switch (request.verb) {
    case 'get':
      return get(server, request);
    case 'list':
      return list(server, request);
    case 'create':
      return create(server, request);
    case 'update':
      return update(server, request);
    case 'patch':
      return patch(server, request);
    case 'apply':
      return apply(server, request);
    case 'delete':
      return deleteOne(server, request);
    case 'deletecollection':
      return deleteCollection(server, request);
  }
}

function subresourceOf(server: ApiServer, request: ApiRequest, subresource: string): Steps<ApiReply> {
  const resource = server.resources.find(request.resource);
  if (resource?.subresources.has(subresource) !== true) throw pathNotFound();
  if (subresource === 'scale') return scale(server, request);
  if (subresource === 'eviction') return evict(server, request);
  if (subresource === 'binding') return bind(server, request);
  if (subresource === 'token') return requestToken(server, request);
  throw notSimulated(`the subresource ${resource.plural}/${subresource}`);
}
