import type { Pod, Service } from 'kubernetes-types/core/v1.js';
import type { ControllerWatch } from '../controller.ts';
import { itself, keyOf } from '../controller.ts';
import { kinds } from '../kinds.ts';
import type { Live, LivePod } from '../kinds.ts';
import { matchesLabels } from '../selector.ts';
import type { Store } from '../store.ts';

/** A Service from the store. */
export type LiveService = Live<Service>;

/** A port of a Service. */
export type ServicePort = NonNullable<NonNullable<Service['spec']>['ports']>[number];

const servicesOf: ControllerWatch['keys'] = ({ object, previous }, store) =>
  store
    .list<Service>(kinds.service, object.metadata.namespace)
    .filter(
      ({ spec }) =>
        matchesLabels(spec?.selector, object.metadata.labels) ||
        matchesLabels(spec?.selector, previous?.metadata.labels),
    )
    .map(keyOf);

/** What wakes the controllers of Services' addresses. */
export const serviceWatches: readonly ControllerWatch[] = [
  { kind: kinds.service, keys: itself },
  { kind: kinds.pod, keys: servicesOf },
];

/** Whether the cluster keeps the Service's addresses: it names pods, and is no alias of another host. */
export const selectsPods = ({ spec }: LiveService): boolean =>
  Object.keys(spec?.selector ?? {}).length > 0 && spec?.type !== 'ExternalName';

/** The pods behind a Service that have an address and have not come to their end. */
export function podsBehind(service: LiveService, store: Store): readonly LivePod[] {
  return store
    .list<Pod>(kinds.pod, service.metadata.namespace)
    .filter((pod) => matchesLabels(service.spec?.selector, pod.metadata.labels) && pod.status?.podIP !== undefined)
    .filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed');
}

/** The number of a Service's port in a pod; undefined where the pod has no port of the name that the Service asks for. */
export function portIn(pod: LivePod, { targetPort, port, protocol = 'TCP' }: ServicePort): number | undefined {
  if (typeof targetPort !== 'string') return targetPort ?? port;
  const sidecars = (pod.spec?.initContainers ?? []).filter(
    (container) => (container as { readonly restartPolicy?: string }).restartPolicy === 'Always',
  );
  return [...(pod.spec?.containers ?? []), ...sidecars]
    .flatMap(({ ports = [] }) => ports)
    .find((own) => own.name === targetPort && (own.protocol ?? 'TCP') === protocol)?.containerPort;
}

/** The name that the pod has within the Service, where it has one. */
export const hostnameIn = (service: LiveService, pod: LivePod): string | undefined =>
  pod.spec?.subdomain === service.metadata.name && pod.spec.hostname !== '' ? pod.spec.hostname : undefined;
