import type { KubernetesObject } from '@ordinal/client';
import { controllerReference } from '@ordinal/client';
import type { Pod, PodTemplateSpec } from 'kubernetes-types/core/v1.js';
import { sideBySide } from '../../scheduler/work.ts';
import type { Work } from '../../scheduler/work.ts';
import { deleteObject } from '../controller.ts';
import { kinds } from '../kinds.ts';
import type { LivePod } from '../kinds.ts';
import { isTerminating } from '../owner.ts';
import type { Draft, Store } from '../store.ts';

/** A pod of a template, with a generated name, controlled by its owner. */
export function podFromTemplate(owner: KubernetesObject, template: PodTemplateSpec | undefined): Draft<Pod> {
  const { labels, annotations, finalizers } = template?.metadata ?? {};
  return {
    metadata: {
      generateName: `${owner.metadata.name}-`,
      namespace: owner.metadata.namespace ?? '',
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...(finalizers && { finalizers }),
      ownerReferences: [controllerReference(owner)],
    },
    spec: { ...template?.spec, containers: template?.spec?.containers ?? [] },
  };
}

/** Whether the pod has not come to its end, and is not on its way there. */
export function isActive(pod: LivePod): boolean {
  return pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed' && !isTerminating(pod);
}

/** Deletes pods side by side. What the server refuses is the result: the other deletions go on. */
export function deletePods(store: Store, pods: readonly LivePod[]): Work<readonly unknown[]> {
  return sideBySide(pods.map((pod) => deleteObject(store, [kinds.pod, pod], { uid: pod.metadata.uid })));
}
