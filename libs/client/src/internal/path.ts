import type { ResourceDescriptor } from '../descriptor.ts';

/** What a query may hold; undefined and false are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** A place under a kind's path. */
export interface Place {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** The path of a kind, an object or a subresource. */
export function pathOf(descriptor: ResourceDescriptor, place: Place): string {
  const base =
    descriptor.group === '' ? `/api/${descriptor.version}` : `/apis/${descriptor.group}/${descriptor.version}`;
  let path = base;
  if (place.namespace !== undefined) path += `/namespaces/${segment(place.namespace, 'namespace')}`;
  path += `/${descriptor.plural}`;
  if (place.name !== undefined) path += `/${segment(place.name, 'name')}`;
  if (place.subresource !== undefined) path += `/${place.subresource}`;
  return path;
}

/** The path with a query. */
export function withQuery(path: string, query: Query): string {
  let text = '';
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === false) continue;
    text += `${text === '' ? '' : '&'}${name}=${encodeURIComponent(value)}`;
  }
  if (text === '') return path;
  return path + (path.includes('?') ? '&' : '?') + text;
}

// An empty name would turn the request for one object into one for all of them, and `..` into one for another path.
function segment(value: string, what: string): string {
  if (value === '' || value === '.' || value === '..' || value.includes('/')) {
    throw new TypeError(`"${value}" can't be the ${what} of an object`);
  }
  return encodeURIComponent(value);
}
