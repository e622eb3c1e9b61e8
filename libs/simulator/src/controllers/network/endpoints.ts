import type { Endpoints, Service } from 'kubernetes-types/core/v1.js';
import { keyOf } from '../controller.ts';
import type { ControllerDefinition } from '../controller.ts';
import { kinds } from '../kinds.ts';
import type { LivePod } from '../kinds.ts';
import { isTerminating } from '../owner.ts';
import { isPodReady } from '../pod-condition.ts';
import { sameEntries } from '../selector.ts';
import type { LiveService, ServicePort } from './pods.ts';
import { hostnameIn, podsBehind, portIn, selectsPods, serviceWatches } from './pods.ts';

/** Keeps the older Endpoints of each Service with a selector. */
export const endpointsController: ControllerDefinition = {
  name: 'endpoint-controller',
  watches: [
    ...serviceWatches,
    // Endpoints that are taken away are made again.
    { kind: kinds.endpoints, keys: ({ type, object }) => (type === 'DELETED' ? [keyOf(object)] : []) },
  ],
  reconcile: ({ namespace, name }, { store }) => {
    const service = store.find<Service>(kinds.service, namespace, name);
    const existing = store.find<Endpoints>(kinds.endpoints, namespace, name);
    if (service === undefined) {
      if (existing !== undefined && !isTerminating(existing)) store.delete(kinds.endpoints, existing);
      return undefined;
    }
    if (isTerminating(service) || !selectsPods(service)) return undefined;
    const subsets = subsetsOf(service, podsBehind(service, store));
    const labels = {
      ...service.metadata.labels,
      'endpoints.kubernetes.io/managed-by': 'endpoint-controller',
      ...(service.spec?.clusterIP === 'None' && { 'service.kubernetes.io/headless': '' }),
    };
    if (existing === undefined)
      store.create<Endpoints>(kinds.endpoints, { metadata: { name, namespace, labels }, subsets });
    else if (
      JSON.stringify(subsets) !== JSON.stringify(existing.subsets ?? []) ||
      !sameEntries(existing.metadata.labels, labels)
    )
      store.update<Endpoints>(kinds.endpoints, { ...existing, subsets, metadata: { ...existing.metadata, labels } });
    return undefined;
  },
};

type Subset = NonNullable<Endpoints['subsets']>[number];
type Address = NonNullable<Subset['addresses']>[number];
type Port = NonNullable<Subset['ports']>[number];

/** A pod's address, and whether it counts as ready. */
interface Place {
  readonly pod: LivePod;
  readonly address: Address;
  readonly isReady: boolean;
}

/** Ports, and where they are. */
interface PortPlaces {
  readonly ports: readonly Port[];
  readonly places: readonly Place[];
}

/** The Service's subsets: each address stands in those of the ports that its pod has, and ports with the same addresses share one. */
function subsetsOf(service: LiveService, pods: readonly LivePod[]): Subset[] {
  const publishes = service.spec?.publishNotReadyAddresses === true;
  const places = pods
    .filter((pod) => publishes || !isTerminating(pod))
    .map((pod): Place => ({ pod, address: addressOf(service, pod), isReady: publishes || isPodReady(pod) }))
    .sort((left, right) => (left.address.ip < right.address.ip ? -1 : 1));
  if (places.length === 0) return [];
  const ports = service.spec?.ports ?? [];
  if (ports.length === 0) return [subset(places, [])];
  const byPort = new Map<string, PortPlaces>();
  for (const servicePort of ports)
    for (const place of places) {
      const port = portOf(servicePort, place.pod);
      if (port === undefined) continue;
      const key = JSON.stringify(port);
      byPort.set(key, { ports: [port], places: [...(byPort.get(key)?.places ?? []), place] });
    }
  const byPlaces = new Map<string, PortPlaces>();
  for (const { ports: own, places: at } of byPort.values()) {
    const key = at.map(({ pod }) => pod.metadata.uid).join(' ');
    byPlaces.set(key, { ports: [...(byPlaces.get(key)?.ports ?? []), ...own], places: at });
  }
  return [...byPlaces.values()].map(({ ports: own, places: at }) => subset(at, own));
}

function portOf(servicePort: ServicePort, pod: LivePod): Port | undefined {
  const number = portIn(pod, servicePort);
  if (number === undefined) return undefined;
  const { name, protocol = 'TCP', appProtocol } = servicePort;
  return {
    ...(name !== undefined && { name }),
    port: number,
    protocol,
    ...(appProtocol !== undefined && { appProtocol }),
  };
}

function addressOf(service: LiveService, pod: LivePod): Address {
  const { name, namespace = '', uid } = pod.metadata;
  const hostname = hostnameIn(service, pod);
  return {
    ip: pod.status?.podIP ?? '',
    ...(hostname !== undefined && { hostname }),
    ...(pod.spec?.nodeName !== undefined && { nodeName: pod.spec.nodeName }),
    targetRef: { kind: 'Pod', name, namespace, uid },
  };
}

function subset(places: readonly Place[], ports: readonly Port[]): Subset {
  const addresses = places.filter(({ isReady }) => isReady).map(({ address }) => address);
  const notReadyAddresses = places.filter(({ isReady }) => !isReady).map(({ address }) => address);
  return {
    ...(addresses.length > 0 && { addresses }),
    ...(notReadyAddresses.length > 0 && { notReadyAddresses }),
    ...(ports.length > 0 && { ports: [...ports] }),
  };
}
