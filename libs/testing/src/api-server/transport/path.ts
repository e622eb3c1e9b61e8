import type { ApiRequest, RequestOptions, ResourceAddress, WatchRequest } from '../request.ts';
import { badRequest, invalid } from '../status.ts';

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
  const parts = pathname
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
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
    return address({ group, version, plural }, { namespace, name, subresource, rest });
  }
  const [plural = '', name, subresource, ...rest] = tail;
  return address({ group, version, plural }, { name, subresource, rest });
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

const truthy = (text: string | null): boolean => text !== null && text !== 'false' && text !== '0';

const whole = (query: URLSearchParams, name: string): number | undefined => {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  const value = Number(text);
  if (!Number.isInteger(value)) throw badRequest(`strconv.ParseInt: parsing "${text}": invalid syntax`);
  return value;
};

const texts = [
  'fieldManager',
  'labelSelector',
  'fieldSelector',
  'continue',
  'resourceVersion',
  'resourceVersionMatch',
  'propagationPolicy',
  'fieldValidation',
] as const;

/** The options in a query; `optionsKind` is how errors name them. */
export function parseOptions(
  query: URLSearchParams,
  optionsKind = 'ListOptions',
): RequestOptions & NonNullable<WatchRequest['options']> {
  const options: Record<string, unknown> = {};
  for (const name of texts) {
    const text = query.get(name);
    if (text !== null && text !== '') options[name] = text;
  }
  for (const name of ['limit', 'gracePeriodSeconds', 'timeoutSeconds']) {
    const value = whole(query, name);
    if (value !== undefined) options[name] = value;
  }
  for (const name of ['force', 'allowWatchBookmarks', 'sendInitialEvents'])
    if (query.has(name)) options[name] = truthy(query.get(name));
  const dryRun = query.getAll('dryRun');
  if (dryRun.length > 0) {
    if (dryRun.some((value) => value !== 'All'))
      throw invalid({ group: 'meta.k8s.io', kind: optionsKind }, '', [
        {
          reason: 'FieldValueNotSupported',
          message: `Unsupported value: ${JSON.stringify(dryRun)}: supported values: "All"`,
          field: 'dryRun',
        },
      ]);
    options['dryRun'] = true;
  }
  // The names and types above are those of the options.
  return options as RequestOptions & NonNullable<WatchRequest['options']>;
}

/** What a request with a name, or without, does by its method. */
export function verbOf(method: string, named: boolean, contentType: string): ApiRequest['verb'] | undefined {
  switch (method) {
    case 'GET':
      return named ? 'get' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return contentType.startsWith('application/apply-patch') ? 'apply' : 'patch';
    case 'DELETE':
      return named ? 'delete' : 'deletecollection';
    default:
      return undefined;
  }
}
