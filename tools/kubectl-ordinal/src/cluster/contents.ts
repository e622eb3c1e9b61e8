import type {
  Event,
  Job,
  KubernetesObject,
  PersistentVolumeClaim,
  Pod,
  ResourceDescriptor,
  StatefulSet,
} from '@ordinal/client';
import { events, jobs, persistentVolumeClaims, pods, statefulSets } from '@ordinal/client';
import type { OrdinalResource } from '../kinds.ts';
import { ordinalKinds } from '../kinds.ts';

/** What was read of a namespace, or of all. */
export interface Contents {
  readonly resources: readonly OrdinalResource[];
  readonly sets: readonly StatefulSet[];
  readonly pods: readonly Pod[];
  readonly claims: readonly PersistentVolumeClaim[];
  readonly jobs: readonly Job[];
  readonly events: readonly Event[];
  /** What could not be read, and why: a part of the picture is missing. */
  readonly unread: readonly string[];
}

/** The kinds that belong to resources. */
export const childKinds = [statefulSets, pods, persistentVolumeClaims, jobs, events] as const;

/** All kinds that are read. */
export const readKinds: readonly ResourceDescriptor[] = [...ordinalKinds, ...childKinds];

/** What is known of each kind, by the kind's name. */
export type ObjectsByKind = ReadonlyMap<string, readonly KubernetesObject[]>;

/** The contents, of what was read of each kind. */
export function contentsOf(objects: ObjectsByKind, unread: readonly string[]): Contents {
  // Each list has objects of the kind that it was read as.
  const all = <T extends KubernetesObject>({ kind }: ResourceDescriptor<T>): readonly T[] =>
    (objects.get(kind) ?? []) as readonly T[];
  return {
    resources: ordinalKinds.flatMap((descriptor) => all(descriptor)),
    sets: all(statefulSets),
    pods: all(pods),
    claims: all(persistentVolumeClaims),
    jobs: all(jobs),
    events: all(events),
    unread,
  };
}
