import type { Pod, StatefulSet } from '@ordinal/client';
import { controllerOf, pods } from '@ordinal/client';
import { hashIn, templateHashAnnotation } from '@ordinal/constructs';
import type { Action } from '@ordinal/lifecycle';
import { controllerRevisionLabel, seenOf } from '@ordinal/lifecycle';

/** A pod template, as far as it says what it is. */
interface Template {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** On the template of a StatefulSet that was taken over, as long as its pods are those that its former owner has made of it. */
const adoptedAnnotation = 'ordinal.dev/adopted';

/** Whether a template is as it was taken over. */
export const isAdopted = (template: Template | undefined): boolean =>
  template?.metadata?.annotations !== undefined && adoptedAnnotation in template.metadata.annotations;

/** Whether a template says what it is made of. */
export const isMarked = ({ metadata }: Template): boolean =>
  metadata?.annotations?.[templateHashAnnotation] !== undefined;

/** A template that was just taken over, with its marks: the hash of what the spec asks for, which counts as what all members run, and labels. It differs by nothing else. */
export function markedTemplate<T extends Template>(
  present: T,
  { revision, labels }: { readonly revision: string; readonly labels: Readonly<Record<string, string>> },
): T {
  const annotations = { ...present.metadata?.annotations, [templateHashAnnotation]: revision };
  return {
    ...present,
    metadata: {
      ...present.metadata,
      labels: { ...present.metadata?.labels, ...labels },
      annotations: { ...annotations, [adoptedAnnotation]: 'true' },
    },
  };
}

/** The pods that a StatefulSet had before its template was marked. */
export const unmarkedAmong = (present: readonly Pod[], set: StatefulSet): readonly Pod[] =>
  present.filter(
    (pod) =>
      pod.metadata.deletionTimestamp === undefined && controllerOf(pod)?.uid === set.metadata.uid && !isMarked(pod),
  );

/**
 * Marks pods as the template of their StatefulSet is, once its controller has a revision of that; undefined until then. Their labels say that they are of that revision, which differs by
 * nothing but the marks: without it they would count as made by another client, and be replaced.
 */
export function markPods(
  unmarked: readonly Pod[],
  set: StatefulSet,
  labels: Readonly<Record<string, string>>,
): readonly Action[] | undefined {
  const { observedGeneration, updateRevision } = set.status ?? {};
  if (observedGeneration !== set.metadata.generation || updateRevision === undefined) return undefined;
  const marks = {
    annotations: { [templateHashAnnotation]: hashIn(set.spec.template) },
    labels: { [controllerRevisionLabel]: updateRevision, ...labels },
  };
  return unmarked.map((pod) => ({
    kind: 'patch',
    descriptor: pods,
    target: seenOf(pod),
    fields: { metadata: marks },
    because: 'it was made before its StatefulSet was taken over',
  }));
}
