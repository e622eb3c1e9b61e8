import type { EndpointSlice } from 'kubernetes-types/discovery/v1.js';
import type { Endpoint } from 'kubernetes-types/discovery/v1.js';
import { endpointGroups } from '../controllers/network/endpoint-slices.ts';
import type { EndpointGroup } from '../controllers/network/endpoint-slices.ts';
import { kinds } from '../controllers/kinds.ts';
import { podsBehind, selectsPods } from '../controllers/network/pods.ts';
import type { LiveService, ServicePort } from '../controllers/network/pods.ts';
import type { Store } from '../controllers/store.ts';

/** Where it is known which addresses are behind Services. */
export interface EndpointSource {
  readonly store: Store;
  /** Whether the cluster keeps EndpointSlices. Without them, the pods that a Service selects are behind it. */
  readonly keepsSlices: boolean;
}

/** What is behind a Service: what its EndpointSlices say, also those that a user wrote. */
export function endpointsOf(service: LiveService, { store, keepsSlices }: EndpointSource): readonly EndpointGroup[] {
  const { name, namespace } = service.metadata;
  if (!keepsSlices) return selectsPods(service) ? endpointGroups(service, podsBehind(service, store)) : [];
  return store
    .list<EndpointSlice>(kinds.endpointSlice, namespace)
    .filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === name)
    .map(({ ports, endpoints }) => ({ ports: ports ?? [], endpoints: endpoints ?? [] }));
}

/** Whether an endpoint is to get requests: what is not known counts as ready. */
export const isReady = ({ conditions }: Endpoint): boolean => conditions?.ready !== false;

/** An address behind a port of a Service, and the port there. */
export interface Backend {
  readonly address: string;
  readonly port: number;
}

/** What is behind a port of a Service: what is ready or, where nothing is, what still answers while it ends. */
export function backendsOf(service: LiveService, port: ServicePort, source: EndpointSource): readonly Backend[] {
  const all = endpointsOf(service, source).flatMap(({ ports, endpoints }) => {
    const own = ports.find((each) => (each.name ?? '') === (port.name ?? '') && sameProtocol(each, port));
    if (own === undefined) return [];
    return endpoints.map((endpoint) => ({ endpoint, port: own.port ?? port.port }));
  });
  const ready = all.filter(({ endpoint }) => isReady(endpoint));
  const chosen = ready.length > 0 ? ready : all.filter(({ endpoint: { conditions } }) => endsServing(conditions));
  return chosen.flatMap(({ endpoint, port: number }) => {
    const [address] = endpoint.addresses;
    return address === undefined ? [] : [{ address, port: number }];
  });
}

const endsServing = (conditions: Endpoint['conditions']): boolean =>
  conditions?.serving === true && conditions.terminating === true;

type WithProtocol = Pick<ServicePort, 'protocol'>;

/** Whether two ports are of the same protocol, which is TCP where none is named. */
export const sameProtocol = (
  { protocol: one = 'TCP' }: WithProtocol,
  { protocol: other = 'TCP' }: WithProtocol,
): boolean => one === other;
