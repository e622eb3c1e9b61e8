import type { Condition, Pod } from '@ordinal/client';

/** Whether a pod serves, and is not on its way out. */
export const isReady = ({ status, metadata }: Pod): boolean =>
  metadata.deletionTimestamp === undefined &&
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;

/** Members of a set end in an ordinal; the pods of its Jobs do not. */
export const isMember = ({ metadata }: Pick<Pod, 'metadata'>): boolean => /-\d+$/.test(metadata.name);

/** The tag of a pod's image. */
export const versionOf = ({ spec }: Pod): string => (spec.containers[0]?.image ?? '').split(':').at(-1) ?? '';

/** `2.0.0` of a pod that serves, `2.0.0…` of one that does not yet, `1.0.0✕` of one that is going. */
export function shown(pod: Pod): string {
  if (pod.metadata.deletionTimestamp !== undefined) return `${versionOf(pod)}✕`;
  return isReady(pod) ? versionOf(pod) : `${versionOf(pod)}…`;
}

/** Whether a condition is true. */
export const isTrue = (conditions: readonly Condition[] | undefined, type: string): boolean =>
  conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;
