import { controllerReference } from '@ordinal/client';
import type { StatefulSet } from 'kubernetes-types/apps/v1.js';
import type { Pod, Volume } from 'kubernetes-types/core/v1.js';
import type { Live, LivePod, LiveStatefulSet } from '../kinds.ts';
import type { Draft } from '../store.ts';

/** The label with the name of the revision that a pod was made from. */
const revisionLabel = 'controller-revision-hash';
const podNameLabel = 'statefulset.kubernetes.io/pod-name';
const podIndexLabel = 'apps.kubernetes.io/pod-index';

/** A pod's ordinal within the set of this name, or undefined where the name is not of its form. */
export function ordinalOf(set: LiveStatefulSet, podName: string): number | undefined {
  const match = /^(.*)-([0-9]+)$/.exec(podName);
  return match?.[1] === set.metadata.name ? Number(match[2]) : undefined;
}

/** The ordinals that the set asks for: the first, and the one after the last. */
export function ordinalRange(set: Pick<StatefulSet, 'spec'>): { readonly start: number; readonly end: number } {
  const start = set.spec?.ordinals?.start ?? 0;
  return { start, end: start + (set.spec?.replicas ?? 1) };
}

/** A pod's revision. */
export function revisionOf(pod: Pick<Draft<Pod>, 'metadata'>): string {
  return pod.metadata.labels?.[revisionLabel] ?? '';
}

/** The claim that a template gives the pod of an ordinal. */
export function claimName(set: LiveStatefulSet, template: string, ordinal: number): string {
  return `${template}-${set.metadata.name}-${ordinal}`;
}

/** The pod of an ordinal as a template at a revision has it. */
export function podFor(set: LiveStatefulSet, revision: string, ordinal: number): Draft<Pod> {
  const { template, serviceName } = set.spec ?? {};
  const name = `${set.metadata.name}-${ordinal}`;
  return {
    metadata: {
      name,
      namespace: set.metadata.namespace ?? '',
      generateName: `${set.metadata.name}-`,
      labels: {
        ...template?.metadata?.labels,
        [revisionLabel]: revision,
        [podNameLabel]: name,
        [podIndexLabel]: String(ordinal),
      },
      ...(template?.metadata?.annotations && { annotations: template.metadata.annotations }),
      ...(template?.metadata?.finalizers && { finalizers: template.metadata.finalizers }),
      ownerReferences: [controllerReference(set)],
    },
    spec: {
      ...template?.spec,
      containers: template?.spec?.containers ?? [],
      hostname: name,
      ...(serviceName !== undefined && serviceName !== '' && { subdomain: serviceName }),
      volumes: volumesOf(set, ordinal, template?.spec?.volumes ?? []),
    },
  };
}

/** Whether the pod bears the labels of its identity. */
export function identityMatches(pod: LivePod): boolean {
  return pod.metadata.labels?.[podNameLabel] === pod.metadata.name;
}

/** Whether the pod mounts the claims that the set's templates give it. */
export function storageMatches(set: LiveStatefulSet, pod: LivePod, ordinal: number): boolean {
  return (set.spec?.volumeClaimTemplates ?? []).every(({ metadata }) => {
    const template = metadata?.name ?? '';
    const volume = pod.spec?.volumes?.find(({ name }) => name === template);
    return volume?.persistentVolumeClaim?.claimName === claimName(set, template, ordinal);
  });
}

/** The pod with its identity restored. */
export function withIdentity(pod: LivePod, ordinal: number): Live<Pod> {
  const labels = { ...pod.metadata.labels, [podNameLabel]: pod.metadata.name, [podIndexLabel]: String(ordinal) };
  return { ...pod, metadata: { ...pod.metadata, labels } };
}

function volumesOf(set: LiveStatefulSet, ordinal: number, others: readonly Volume[]): Volume[] {
  const templates = (set.spec?.volumeClaimTemplates ?? []).map(({ metadata }) => metadata?.name ?? '');
  const claimed = templates.map((name) => ({
    name,
    persistentVolumeClaim: { claimName: claimName(set, name, ordinal) },
  }));
  return [...claimed, ...others.filter(({ name }) => !templates.includes(name))];
}
