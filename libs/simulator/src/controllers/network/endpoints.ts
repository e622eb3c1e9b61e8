import { controllerReference } from '@ordinal/client';
import type { Endpoints, Pod, Service } from 'kubernetes-types/core/v1.js';
import type { Endpoint, EndpointSlice } from 'kubernetes-types/discovery/v1.js';
import type { ControllerContext, ControllerDefinition, ControllerWatch } from '../controller.ts';
import { itself, keyOf } from '../controller.ts';
import { kinds } from '../kinds.ts';
import type { Live, LivePod } from '../kinds.ts';
import { isTerminating } from '../owner.ts';
import { isPodReady } from '../pod-condition.ts';
import { matchesLabels } from '../selector.ts';

type LiveService = Live<Service>;

const servicesOf: ControllerWatch['keys'] = ({ object, previous }, store) =>
  store
    .list<Service>(kinds.service, object.metadata.namespace)
    .filter(
      ({ spec }) =>
        matchesLabels(spec?.selector, object.metadata.labels) ||
        matchesLabels(spec?.selector, previous?.metadata.labels),
    )
    .map(keyOf);

/** Keeps one EndpointSlice for each Service with a selector: the addresses of its pods, and whether they are ready. */
export const endpointSliceController: ControllerDefinition = {
  name: 'endpointslice-controller',
  watches: [
    { kind: kinds.service, keys: itself },
    { kind: kinds.pod, keys: servicesOf },
  ],
  reconcile: ({ namespace, name }, context) => {
    const service = context.store.find<Service>(kinds.service, namespace, name);
    if (service === undefined || isTerminating(service) || Object.keys(service.spec?.selector ?? {}).length === 0)
      return undefined;
    writeSlice(service, podsOf(service, context), context);
    return undefined;
  },
};

/** Keeps the older Endpoints of each Service with a selector. */
export const endpointsController: ControllerDefinition = {
  name: 'endpoint-controller',
  watches: endpointSliceController.watches,
  reconcile: ({ namespace, name }, context) => {
    const { store } = context;
    const service = store.find<Service>(kinds.service, namespace, name);
    const existing = store.find<Endpoints>(kinds.endpoints, namespace, name);
    if (service === undefined) {
      if (existing !== undefined && !isTerminating(existing)) store.delete(kinds.endpoints, existing);
      return undefined;
    }
    if (isTerminating(service) || Object.keys(service.spec?.selector ?? {}).length === 0) return undefined;
    const subsets = subsetsOf(service, podsOf(service, context));
    if (JSON.stringify(subsets) === JSON.stringify(existing?.subsets ?? [])) return undefined;
    const labels = {
      ...service.metadata.labels,
      'endpoints.kubernetes.io/managed-by': 'endpoint-controller',
      ...(service.spec?.clusterIP === 'None' && { 'service.kubernetes.io/headless': '' }),
    };
    if (existing === undefined)
      store.create<Endpoints>(kinds.endpoints, { metadata: { name, namespace, labels }, subsets });
    else store.update<Endpoints>(kinds.endpoints, { ...existing, subsets });
    return undefined;
  },
};

function podsOf(service: LiveService, { store }: ControllerContext): readonly LivePod[] {
  return store
    .list<Pod>(kinds.pod, service.metadata.namespace)
    .filter((pod) => matchesLabels(service.spec?.selector, pod.metadata.labels) && pod.status?.podIP !== undefined)
    .filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed');
}

function targetPort(
  { targetPort: target, port }: { readonly targetPort?: number | string; readonly port: number },
  pods: readonly LivePod[],
): number {
  if (typeof target !== 'string') return target ?? port;
  for (const pod of pods)
    for (const { ports = [] } of pod.spec?.containers ?? [])
      for (const { name, containerPort } of ports) if (name === target) return containerPort;
  return port;
}

function writeSlice(service: LiveService, pods: readonly LivePod[], { store }: ControllerContext): void {
  const { name, namespace = '' } = service.metadata;
  const publishes = service.spec?.publishNotReadyAddresses === true;
  const endpoints = pods.map((pod): Endpoint => {
    const serving = isPodReady(pod);
    const terminating = isTerminating(pod);
    return {
      addresses: [pod.status?.podIP ?? ''],
      conditions: { ready: publishes || (serving && !terminating), serving: publishes || serving, terminating },
      ...(pod.spec?.subdomain === name && pod.spec.hostname !== undefined && { hostname: pod.spec.hostname }),
      ...(pod.spec?.nodeName !== undefined && { nodeName: pod.spec.nodeName }),
      targetRef: { kind: 'Pod', name: pod.metadata.name, namespace, uid: pod.metadata.uid },
    };
  });
  const ports = (service.spec?.ports ?? []).map((port) => ({
    name: port.name ?? '',
    port: targetPort(port, pods),
    protocol: port.protocol ?? 'TCP',
  }));
  const existing = store
    .list<EndpointSlice>(kinds.endpointSlice, namespace)
    .find(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === name);
  if (existing === undefined) {
    const labels = {
      ...service.metadata.labels,
      'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
      'kubernetes.io/service-name': name,
    };
    store.create<EndpointSlice>(kinds.endpointSlice, {
      metadata: { generateName: `${name}-`, namespace, labels, ownerReferences: [controllerReference(service)] },
      addressType: 'IPv4',
      endpoints,
      ports,
    });
  } else if (JSON.stringify([existing.endpoints ?? [], existing.ports ?? []]) !== JSON.stringify([endpoints, ports])) {
    store.update<EndpointSlice>(kinds.endpointSlice, { ...existing, endpoints, ports });
  }
}

function subsetsOf(service: LiveService, pods: readonly LivePod[]): NonNullable<Endpoints['subsets']> {
  const publishes = service.spec?.publishNotReadyAddresses === true;
  const living = pods.filter((pod) => !isTerminating(pod) || publishes);
  const addressOf = (pod: LivePod): NonNullable<NonNullable<Endpoints['subsets']>[number]['addresses']>[number] => ({
    ip: pod.status?.podIP ?? '',
    ...(pod.spec?.subdomain === service.metadata.name &&
      pod.spec.hostname !== undefined && { hostname: pod.spec.hostname }),
    ...(pod.spec?.nodeName !== undefined && { nodeName: pod.spec.nodeName }),
    targetRef: { kind: 'Pod', name: pod.metadata.name, namespace: pod.metadata.namespace ?? '', uid: pod.metadata.uid },
  });
  const addresses = living.filter((pod) => publishes || isPodReady(pod)).map(addressOf);
  const notReadyAddresses = living.filter((pod) => !publishes && !isPodReady(pod)).map(addressOf);
  if (addresses.length + notReadyAddresses.length === 0) return [];
  const ports = (service.spec?.ports ?? []).map((port) => ({
    ...(port.name !== undefined && { name: port.name }),
    port: targetPort(port, pods),
    protocol: port.protocol ?? 'TCP',
  }));
  return [
    {
      ...(addresses.length > 0 && { addresses }),
      ...(notReadyAddresses.length > 0 && { notReadyAddresses }),
      ...(ports.length > 0 && { ports }),
    },
  ];
}
