import type { TransportRequest } from '@ordinal/client';
import type { ApiRequest, WatchRequest } from '../request.ts';
import { groupVersion } from '../resources/resource.ts';
import type { ServerResource } from '../resources/resource.ts';
import type { ApiServer } from '../server.ts';
import { pathNotFound, unknownMethod } from '../status.ts';
import { readBody } from './body.ts';
import type { BodyForm } from './body.ts';
import { contentTypeOf, patchTypeOf } from './content-type.ts';
import type { Session } from './exchange.ts';
import { parseOptions } from './options.ts';
import { verbOf } from './path.ts';
import type { ParsedPath } from './path.ts';

const optionKinds: Readonly<Record<TransportRequest['method'], string>> = {
  GET: 'ListOptions',
  POST: 'CreateOptions',
  PUT: 'UpdateOptions',
  PATCH: 'PatchOptions',
  DELETE: 'DeleteOptions',
};

/** An address and what was asked there, on whose behalf. */
export interface Incoming {
  readonly path: ParsedPath;
  readonly query: URLSearchParams;
  readonly session: Session;
}

/** The watch that a request asks for. */
export function watchRequestOf({ path, query, session }: Incoming): WatchRequest {
  return {
    user: session.identity,
    resource: path.resource,
    options: parseOptions(query),
    ...(path.namespace !== undefined && { namespace: path.namespace }),
    ...(path.name !== undefined && { name: path.name }),
  };
}

/** What a request asks for at the level of objects. Refuses what can't be read, in the order in which the server looks at it. */
export function objectRequestOf(server: ApiServer, request: TransportRequest, incoming: Incoming): ApiRequest {
  const { path, query, session } = incoming;
  const contentType = contentTypeOf(request.headers?.['content-type']);
  const verb = verbOf(request.method, path, contentType);
  if (verb === undefined) throw unknownMethod();
  const resource = server.resources.find(path.resource);
  if (resource) checkScope(resource, path, verb);
  const patchType = verb === 'patch' ? patchTypeOf(contentType) : undefined;
  const read = bodyOf(request, {
    verb,
    contentType,
    kind: resource?.kind ?? 'JSON',
    custom: resource?.custom === true ? groupVersion(resource) : undefined,
  });
  const userAgent = request.headers?.['user-agent'];
  return {
    user: session.identity,
    verb,
    resource: path.resource,
    ...targetOf(path),
    options: parseOptions(query, { kind: optionKinds[request.method], isPatch: verb === 'patch' }),
    ...(userAgent !== undefined && { userAgent }),
    ...read,
    ...(patchType !== undefined && { patchType }),
  };
}

const targetOf = ({
  namespace,
  name,
  subresource,
}: ParsedPath): Pick<ApiRequest, 'namespace' | 'name' | 'subresource'> => ({
  ...(namespace !== undefined && { namespace }),
  ...(name !== undefined && { name }),
  ...(subresource !== undefined && { subresource }),
});

/** Writes have a body, and deletions may have one. */
function bodyOf({ body = '' }: TransportRequest, form: BodyForm): Pick<ApiRequest, 'body' | 'repeated' | 'places'> {
  const { verb } = form;
  if (verb === 'get' || verb === 'list') return {};
  if (body.length === 0 && (verb === 'delete' || verb === 'deletecollection')) return {};
  const { value, repeated, places } = readBody(body, form);
  return { body: value, ...(repeated.length > 0 && { repeated }), ...(places && { places }) };
}

/** Objects are in a namespace or in none, as their kind is. Only lists go across all namespaces. */
function checkScope({ namespaced }: ServerResource, { namespace, name }: ParsedPath, verb: ApiRequest['verb']): void {
  if (namespaced === (namespace !== undefined) || (namespaced && verb === 'list')) return;
  throw namespaced && name === undefined ? unknownMethod() : pathNotFound();
}
