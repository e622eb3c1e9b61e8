import type { StoredObject } from '../object.ts';
import type { Store } from '../store/store.ts';

interface ServiceSpec {
  readonly clusterIP?: string;
  readonly ports?: readonly { readonly nodePort?: number }[];
}

/** The Service that has a cluster IP (`services by address`), or a port on nodes (`services by node port`). */
export function serviceBy(store: Store, what: string, key: string): StoredObject | undefined {
  const has = ({ clusterIP, ports = [] }: ServiceSpec): boolean =>
    what === 'services by address' ? clusterIP === key : ports.some(({ nodePort }) => String(nodePort) === key);
  return store.snapshot('services').find(([, service]) => has((service['spec'] ?? {}) as ServiceSpec))?.[1];
}
