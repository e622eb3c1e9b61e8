import { ownField } from '../object.ts';
import type { ServerResource } from './resource.ts';

/** Kinds that would have to act on others' requests, and do not here: a client must not believe that they do. By where they are kept. */
const kinds: Readonly<Record<string, string>> = {
  'apiservices.apiregistration.k8s.io': 'API servers of others',
};

/** What a request would need that the simulation leaves out; undefined where it needs nothing of the kind. */
export function leftOut(resource: ServerResource, verb: string): string | undefined {
  return verb === 'create' ? ownField(kinds, resource.storage) : undefined;
}

/** Whether a real server answers at a path that is no address of objects, and that is left out here: its metrics, its index, watches as they were before 1.11. */
export function leftOutPath(pathname: string): boolean {
  return (
    ['/', '/metrics', '/.well-known/openid-configuration', '/openid/v1/jwks'].includes(pathname) ||
    /^\/(api|apis\/[^/]+)\/v[^/]+\/watch\//.test(pathname)
  );
}

/** Whether a real server serves an address that is not known here at all. No such kind is listed in discovery, and one that asks all the same gets 501. */
export function leftOutAddress({ group, plural }: Pick<ServerResource, 'group' | 'plural'>): boolean {
  return group === '' && plural === 'componentstatuses';
}
