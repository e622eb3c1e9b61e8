import { ApiError } from '@ordinal/client';
import type { Status } from '@ordinal/client';
import type { Connection } from '../api-server/admission/connections.ts';

/** A request to a pod or service, taken apart. */
export interface PodRequest {
  readonly kind: 'pods' | 'services';
  readonly namespace: string;
  /** With `proxy`, `[scheme:]name[:port]`. */
  readonly place: string;
  readonly subresource: 'log' | 'exec' | 'attach' | 'proxy';
  /** What comes after the subresource. */
  readonly rest: string;
  /** The path until there. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** A request to a pod or service; undefined for any other. */
export function podRequestOf(path: string): PodRequest | undefined {
  const [pathname = '', search = ''] = path.split('?', 2);
  const match = /^\/api\/v1\/namespaces\/([^/]+)\/(pods|services)\/([^/]+)\/(log|exec|attach|proxy)(\/.*)?$/.exec(
    pathname,
  );
  if (match === null) return undefined;
  const [, namespace = '', kind, place = '', subresource, rest = ''] = match;
  return {
    // The expression above lets nothing else through.
    kind: kind as PodRequest['kind'],
    subresource: subresource as PodRequest['subresource'],
    namespace: decodeURIComponent(namespace),
    place: decodeURIComponent(place),
    rest,
    path: pathname.slice(0, pathname.length - rest.length),
    query: new URLSearchParams(search),
  };
}

/** The name of the object that is asked for, whatever port of it. */
export function nameOf({ subresource, place }: PodRequest): string {
  const parts = place.split(':');
  return subresource === 'proxy' && parts.length > 1 ? (parts[parts.length - 2] ?? '') : place;
}

/** What is asked for, as admission sees it. */
export function connectionOptions({ kind, subresource, rest, query }: PodRequest): Connection['options'] {
  if (subresource === 'proxy') return { kind: kind === 'pods' ? 'PodProxyOptions' : 'ServiceProxyOptions', path: rest };
  const set = ['stdin', 'stdout', 'stderr', 'tty'].filter((name) => isSet(query, name));
  const container = query.get('container') ?? '';
  return {
    kind: subresource === 'exec' ? 'PodExecOptions' : 'PodAttachOptions',
    ...Object.fromEntries(set.map((name) => [name, true])),
    ...(container !== '' && { container }),
    ...(subresource === 'exec' && { command: query.getAll('command') }),
  };
}

/** Whether a query sets an option: with `true`, `1` or any word but `false` and `0`, as Kubernetes reads it. */
export function isSet(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value !== '0' && value.toLowerCase() !== 'false';
}

/** What a request to a pod or service is refused with. */
export function refused(code: number, reason: string, message: string): ApiError {
  const status: Status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message };
  return new ApiError(status, 'kubelet');
}
