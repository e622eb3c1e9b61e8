import type { ApiRequest, ResourceAddress } from '../request.ts';

/** What a path asks for, before the method is looked at. */
export interface ParsedPath {
  readonly resource: ResourceAddress;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
  /** What follows the subresource, as in `pods/web-0/proxy/metrics`. */
  readonly rest?: string;
}

/** Reads `/api/v1/…` and `/apis/group/version/…`; undefined for other paths. */
export function parsePath(pathname: string): ParsedPath | undefined {
  // An empty namespace is none; no other part of an address is empty.
  const parts = pathname.split('/').slice(1).map(decoded);
  if (parts.at(-1) === '') parts.pop();
  const core = parts[0] === 'api';
  if (!core && parts[0] !== 'apis') return undefined;
  const [group, version] = core ? ['', parts[1]] : [parts[1], parts[2]];
  const tail = parts.slice(core ? 2 : 3);
  if (group === undefined || version === undefined || tail.length === 0) return undefined;
  if (
    tail[0] === 'namespaces' &&
    tail.length > 2 &&
    !(core && tail.length === 3 && (tail[2] === 'status' || tail[2] === 'finalize'))
  ) {
    const [, namespace = '', plural = '', name, subresource, ...rest] = tail;
    return address({ group, version, plural }, { ...(namespace !== '' && { namespace }), name, subresource, rest });
  }
  const [plural = '', name, subresource, ...rest] = tail;
  return address({ group, version, plural }, { name, subresource, rest });
}

/** A part of an address. What is no UTF-8 stays as it is: no object has such a name. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function address(
  resource: ResourceAddress,
  parts: { namespace?: string; name: string | undefined; subresource: string | undefined; rest: readonly string[] },
): ParsedPath {
  return {
    resource,
    ...(parts.namespace !== undefined && { namespace: parts.namespace }),
    ...(parts.name !== undefined && { name: parts.name }),
    ...(parts.subresource !== undefined && { subresource: parts.subresource }),
    ...(parts.rest.length > 0 && { rest: parts.rest.join('/') }),
  };
}

/** What a request does by its method and address; undefined where the address does not know the method. */
export function verbOf(
  method: string,
  { name, subresource }: ParsedPath,
  contentType: string,
): ApiRequest['verb'] | undefined {
  const named = name !== undefined;
  switch (method) {
    case 'GET':
      return named ? 'get' : 'list';
    case 'POST':
      return named && subresource === undefined ? undefined : 'create';
    case 'PUT':
      return named ? 'update' : undefined;
    case 'PATCH':
      if (!named) return undefined;
      return contentType.startsWith('application/apply-patch') ? 'apply' : 'patch';
    case 'DELETE':
      return named ? 'delete' : 'deletecollection';
    default:
      return undefined;
  }
}
