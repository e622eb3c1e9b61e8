import { controllerReference } from '@ordinal/client';
import type { KubernetesObject } from '@ordinal/client';
import type { Service } from 'kubernetes-types/core/v1.js';
import type { Endpoint, EndpointPort, EndpointSlice } from 'kubernetes-types/discovery/v1.js';
import type { ControllerContext, ControllerDefinition } from '../controller.ts';
import { kinds } from '../kinds.ts';
import type { Live, LivePod } from '../kinds.ts';
import { isTerminating } from '../owner.ts';
import { isPodReady } from '../pod-condition.ts';
import { sameEntries } from '../selector.ts';
import type { LiveService } from './pods.ts';
import { hostnameIn, podsBehind, portIn, selectsPods, serviceWatches } from './pods.ts';

type LiveSlice = Live<EndpointSlice>;

const serviceLabel = 'kubernetes.io/service-name';
const managerLabel = 'endpointslice.kubernetes.io/managed-by';
const manager = 'endpointslice-controller.k8s.io';

const isManaged = ({ metadata }: KubernetesObject): boolean => metadata.labels?.[managerLabel] === manager;
const serviceOf = ({ metadata: { namespace = '', labels } }: KubernetesObject) => ({
  namespace,
  name: labels?.[serviceLabel] ?? '',
});

/**
 * Keeps the EndpointSlices of each Service with a selector: the addresses of its pods, and whether they are ready. Pods whose ports are the same share a
 * slice, however many they are; without any pod there is one empty slice.
 */
export const endpointSliceController: ControllerDefinition = {
  name: 'endpointslice-controller',
  watches: [
    ...serviceWatches,
    // A slice that is taken away is made again.
    {
      kind: kinds.endpointSlice,
      keys: ({ type, object }) => (type === 'DELETED' && isManaged(object) ? [serviceOf(object)] : []),
    },
  ],
  reconcile: ({ namespace, name }, context) => {
    const service = context.store.find<Service>(kinds.service, namespace, name);
    if (service === undefined || isTerminating(service) || !selectsPods(service)) return undefined;
    const groups = endpointGroups(service, podsBehind(service, context.store));
    writeSlices(service, groups.length === 0 ? [{ ports: [], endpoints: [] }] : groups, context);
    return undefined;
  },
};

/** What a slice holds. */
export interface EndpointGroup {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

const keyOfPorts = (ports: readonly EndpointPort[] | null = []): string => JSON.stringify(ports ?? []);

/** The pods behind a Service as its slices have them: those whose ports are the same together. */
export function endpointGroups(service: LiveService, pods: readonly LivePod[]): readonly EndpointGroup[] {
  const groups = new Map<string, { readonly ports: readonly EndpointPort[]; readonly endpoints: Endpoint[] }>();
  for (const pod of pods) {
    const ports = portsOf(service, pod);
    const key = keyOfPorts(ports);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { ports, endpoints: [endpointOf(service, pod)] });
    else group.endpoints.push(endpointOf(service, pod));
  }
  return [...groups.values()];
}

function portsOf(service: LiveService, pod: LivePod): readonly EndpointPort[] {
  return (service.spec?.ports ?? []).flatMap((port) => {
    const number = portIn(pod, port);
    if (number === undefined) return [];
    const { name = '', protocol = 'TCP', appProtocol } = port;
    return [{ name, port: number, protocol, ...(appProtocol !== undefined && { appProtocol }) }];
  });
}

function endpointOf(service: LiveService, pod: LivePod): Endpoint {
  const serving = isPodReady(pod);
  const terminating = isTerminating(pod);
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const { name, namespace = '', uid } = pod.metadata;
  const hostname = hostnameIn(service, pod);
  return {
    addresses: [pod.status?.podIP ?? ''],
    conditions: { ready, serving, terminating },
    ...(hostname !== undefined && { hostname }),
    ...(pod.spec?.nodeName !== undefined && { nodeName: pod.spec.nodeName }),
    targetRef: { kind: 'Pod', name, namespace, uid },
  };
}

/** Each group gets the slice that has its ports already, else one that has no use any more, else a new one. */
function writeSlices(service: LiveService, groups: readonly EndpointGroup[], { store }: ControllerContext): void {
  const spare = new Set(slicesOf(service, store));
  const kept = groups.map(({ ports }) => {
    const slice = [...spare].find((candidate) => keyOfPorts(candidate.ports) === keyOfPorts(ports));
    if (slice !== undefined) spare.delete(slice);
    return slice;
  });
  for (const [index, group] of groups.entries()) {
    const [unused] = spare;
    const slice = kept[index] ?? unused;
    if (slice !== undefined) spare.delete(slice);
    writeSlice(service, slice, { group, store });
  }
  for (const slice of spare) store.delete(kinds.endpointSlice, slice);
}

function slicesOf({ metadata }: LiveService, store: ControllerContext['store']): readonly LiveSlice[] {
  return store
    .list<EndpointSlice>(kinds.endpointSlice, metadata.namespace)
    .filter(({ metadata: { labels = {}, ownerReferences = [] } }) => {
      const isOurs = labels[serviceLabel] === metadata.name && labels[managerLabel] === manager;
      return isOurs && ownerReferences.some(({ uid }) => uid === metadata.uid);
    });
}

function writeSlice(
  service: LiveService,
  slice: LiveSlice | undefined,
  { group, store }: { readonly group: EndpointGroup; readonly store: ControllerContext['store'] },
): void {
  const { name, namespace = '', labels: own } = service.metadata;
  const labels = {
    ...own,
    ...(service.spec?.clusterIP === 'None' && { 'service.kubernetes.io/headless': '' }),
    [managerLabel]: manager,
    [serviceLabel]: name,
  };
  const content = { endpoints: [...group.endpoints], ports: [...group.ports] };
  if (slice === undefined) {
    const metadata = { generateName: `${name}-`, namespace, labels, ownerReferences: [controllerReference(service)] };
    store.create<EndpointSlice>(kinds.endpointSlice, { metadata, addressType: 'IPv4', ...content });
    return;
  }
  const before = [slice.endpoints ?? [], slice.ports ?? []];
  const isSame = JSON.stringify(before) === JSON.stringify([group.endpoints, group.ports]);
  if (isSame && sameEntries(slice.metadata.labels, labels)) return;
  store.update<EndpointSlice>(kinds.endpointSlice, { ...slice, ...content, metadata: { ...slice.metadata, labels } });
}
