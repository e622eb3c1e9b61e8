import type { ApiRequest, Identity, WatchRequest } from '../request.ts';
import { administrator, authenticated } from '../identity.ts';
import { parsePath } from '../transport/path.ts';
import { fieldTerms } from '../store/selectors.ts';

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

/** The attributes of a request. An apply is a patch. A namespace is in itself. */
export function attributesOf(request: ApiRequest | (WatchRequest & { readonly verb: 'watch' })): Attributes {
  const { group, plural } = request.resource;
  const name = request.name ?? '';
  return {
    user: authenticated(request.user ?? administrator),
    verb: request.verb === 'apply' ? 'patch' : request.verb,
    group,
    resource: plural,
    subresource: ('subresource' in request ? request.subresource : undefined) ?? '',
    namespace: request.namespace ?? (group === '' && plural === 'namespaces' ? name : ''),
    name,
  };
}

const verbs: Readonly<Record<string, string>> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** An HTTP request, as far as permissions look at it. */
export interface Asked {
  readonly method: string;
  readonly pathname: string;
  readonly query: URLSearchParams;
}

/** The attributes of an HTTP request, whether anything answers there or not. */
export function attributesOfHttp({ method, pathname, query }: Asked): Omit<Attributes, 'user'> {
  const path = parsePath(pathname);
  const none = { group: '', resource: '', subresource: '', namespace: '', name: '' };
  if (path === undefined) return { ...none, verb: method.toLowerCase(), path: pathname };
  const { group, plural: resource } = path.resource;
  const named = path.name ?? '';
  const place = { group, resource, subresource: path.subresource ?? '' };
  const verb = verbs[method] ?? '';
  if (named !== '') {
    const namespace = path.namespace ?? (resource === 'namespaces' ? named : '');
    return { ...place, verb, namespace, name: named };
  }
  const namespace = path.namespace ?? '';
  if (verb === 'delete') return { ...place, verb: 'deletecollection', namespace, name: '' };
  if (verb !== 'get') return { ...place, verb, namespace, name: '' };
  const watch = query.get('watch');
  const watches = watch !== null && watch !== 'false' && watch !== '0';
  return { ...place, verb: watches ? 'watch' : 'list', namespace, name: selectedName(query.get('fieldSelector')) };
}

/** A list that asks for one object by its name counts as a request for that one. */
function selectedName(fieldSelector: string | null): string {
  if (fieldSelector === null) return '';
  try {
    const term = fieldTerms(fieldSelector).find(({ field, equal }) => field === 'metadata.name' && equal);
    return term?.value ?? '';
  } catch {
    // What is wrong with the selector is said by who reads it.
    return '';
  }
}
