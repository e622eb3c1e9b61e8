import { controllerReference } from '@ordinal/client';
import type { Endpoints, Service } from 'kubernetes-types/core/v1.js';
import type { Endpoint, EndpointPort, EndpointSlice } from 'kubernetes-types/discovery/v1.js';
import type { ControllerContext, ControllerDefinition, ControllerWatch } from '../controller.ts';
import { itself } from '../controller.ts';
import { kinds } from '../kinds.ts';
import type { Live } from '../kinds.ts';
import { isTerminating } from '../owner.ts';
import { sameEntries } from '../selector.ts';
import type { Store } from '../store.ts';
import type { LiveService } from './pods.ts';

type LiveSlice = Live<EndpointSlice>;
type LiveEndpoints = Live<Endpoints>;
type Subset = NonNullable<Endpoints['subsets']>[number];
type Address = NonNullable<Subset['addresses']>[number];

const serviceLabel = 'kubernetes.io/service-name';
const managerLabel = 'endpointslice.kubernetes.io/managed-by';
const manager = 'endpointslicemirroring-controller.k8s.io';
/** Annotations of Endpoints that say nothing about their slices. */
const ownAnnotations: ReadonlySet<string> = new Set([
  'endpoints.kubernetes.io/last-change-trigger-time',
  'kubectl.kubernetes.io/last-applied-configuration',
]);
const mostAddresses = 1000;

const hasSelector = ({ spec }: LiveService): boolean => spec?.selector !== undefined;

/** Services without a selector, and those that have, or had, none until now. */
const servicesWithout: ControllerWatch['keys'] = (event, store) => {
  const states = [event.object, event.previous].filter((state) => state !== undefined);
  return states.every((state) => hasSelector(state as LiveService)) ? [] : itself(event, store);
};

/** Endpoints that the cluster does not keep itself. */
const othersEndpoints: ControllerWatch['keys'] = (event, store) =>
  event.object.metadata.labels?.['endpoints.kubernetes.io/managed-by'] === 'endpoint-controller'
    ? []
    : itself(event, store);

const mirroredFor: ControllerWatch['keys'] = ({ object: { metadata } }) =>
  metadata.labels?.[managerLabel] === manager
    ? [{ namespace: metadata.namespace ?? '', name: metadata.labels[serviceLabel] ?? '' }]
    : [];

/** Mirrors the Endpoints that users write for Services without a selector to EndpointSlices. */
export const mirroringController: ControllerDefinition = {
  name: 'endpointslicemirroring-controller',
  watches: [
    { kind: kinds.service, keys: servicesWithout },
    { kind: kinds.endpoints, keys: othersEndpoints },
    { kind: kinds.endpointSlice, keys: mirroredFor },
  ],
  reconcile: ({ namespace, name }, context) => {
    const { store } = context;
    const slices = store
      .list<EndpointSlice>(kinds.endpointSlice, namespace)
      .filter(({ metadata: { labels = {} } }) => labels[serviceLabel] === name && labels[managerLabel] === manager);
    const endpoints = store.find<Endpoints>(kinds.endpoints, namespace, name);
    const service = store.find<Service>(kinds.service, namespace, name);
    const isMirrored =
      endpoints !== undefined && isForSlices(endpoints) && service !== undefined && !hasSelector(service);
    if (isMirrored) writeSlices(endpoints, slices, context);
    else for (const slice of slices) store.delete(kinds.endpointSlice, slice);
    return undefined;
  },
};

const isForSlices = ({ metadata: { labels, annotations } }: LiveEndpoints): boolean =>
  labels?.['endpointslice.kubernetes.io/skip-mirror'] !== 'true' &&
  annotations?.['control-plane.alpha.kubernetes.io/leader'] === undefined;

/** What a slice holds. */
interface Content {
  readonly addressType: 'IPv4' | 'IPv6';
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

const keyOf = (addressType: string, ports: readonly EndpointPort[] | null = []): string =>
  `${addressType} ${JSON.stringify(ports ?? [])}`;

function contentsOf({ subsets = [] }: LiveEndpoints): readonly Content[] {
  const contents = new Map<string, Content>();
  for (const subset of subsets) {
    const ports = (subset.ports ?? []).map(({ name = '', port, protocol = 'TCP', appProtocol }): EndpointPort => ({
      name,
      port,
      protocol,
      ...(appProtocol !== undefined && { appProtocol }),
    }));
    for (const { addressType, endpoint } of endpointsIn(subset)) {
      const key = keyOf(addressType, ports);
      const endpoints = [...(contents.get(key)?.endpoints ?? []), endpoint];
      if (endpoints.length <= mostAddresses) contents.set(key, { addressType, ports, endpoints });
    }
  }
  return [...contents.values()];
}

function endpointsIn({ addresses = [], notReadyAddresses = [] }: Subset) {
  const made = (ready: boolean) => (address: Address) => ({
    addressType: address.ip.includes(':') ? ('IPv6' as const) : ('IPv4' as const),
    endpoint: endpointOf(address, ready),
  });
  return [...addresses.map(made(true)), ...notReadyAddresses.map(made(false))];
}

const endpointOf = ({ ip, hostname, nodeName, targetRef }: Address, ready: boolean): Endpoint => ({
  addresses: [ip],
  conditions: { ready },
  ...(hostname !== undefined && { hostname }),
  ...(nodeName !== undefined && { nodeName }),
  ...(targetRef !== undefined && { targetRef }),
});

/** Each content gets the slice that has its ports already, else one of its family that has no use any more, else a new one. */
function writeSlices(endpoints: LiveEndpoints, slices: readonly LiveSlice[], { store }: ControllerContext): void {
  const spare = new Set(slices);
  const take = (fits: (slice: LiveSlice) => boolean): LiveSlice | undefined => {
    const found = [...spare].find(fits);
    if (found !== undefined) spare.delete(found);
    return found;
  };
  const contents = contentsOf(endpoints);
  const kept = contents.map(({ addressType, ports }) =>
    take((slice) => keyOf(slice.addressType, slice.ports) === keyOf(addressType, ports)),
  );
  for (const [index, content] of contents.entries()) {
    const slice = kept[index] ?? take(({ addressType }) => addressType === content.addressType);
    writeSlice(endpoints, slice, { content, store });
  }
  for (const slice of spare) store.delete(kinds.endpointSlice, slice);
}

function writeSlice(
  endpoints: LiveEndpoints,
  slice: LiveSlice | undefined,
  { content, store }: { readonly content: Content; readonly store: Store },
): void {
  const { name, namespace = '' } = endpoints.metadata;
  const labels = { ...endpoints.metadata.labels, [serviceLabel]: name, [managerLabel]: manager };
  const annotations = Object.fromEntries(
    Object.entries(endpoints.metadata.annotations ?? {}).filter(([key]) => !ownAnnotations.has(key)),
  );
  const { addressType, ports, endpoints: own } = content;
  const parts = { addressType, ports: [...ports], endpoints: [...own] };
  const ownerReferences = [controllerReference(endpoints)];
  if (slice === undefined) {
    if (isTerminating(endpoints)) return;
    const metadata = { generateName: `${name}-`, namespace, labels, annotations, ownerReferences };
    store.create<EndpointSlice>(kinds.endpointSlice, { metadata, ...parts });
    return;
  }
  const { metadata } = slice;
  const isSame =
    JSON.stringify([slice.endpoints ?? [], slice.ports ?? []]) === JSON.stringify([own, ports]) &&
    sameEntries(metadata.labels, labels) &&
    sameEntries(metadata.annotations, annotations) &&
    metadata.ownerReferences?.[0]?.uid === endpoints.metadata.uid;
  if (isSame) return;
  store.update<EndpointSlice>(kinds.endpointSlice, {
    ...slice,
    ...parts,
    metadata: { ...metadata, labels, annotations, ownerReferences },
  });
}
