import { sameJson } from '@ordinal/client';
import type { KubernetesObject } from '@ordinal/client';
import type { Change } from '../cache/store.ts';

/** Whether a change is worth a reconcile. Must not change what it is given. */
export type Predicate<Read extends KubernetesObject = KubernetesObject> = (change: Change<Read>) => boolean;

/** Lets an update through when something that is read from the object has changed; additions and deletions always. */
export function changed<Read extends KubernetesObject>(read: (object: Read) => unknown): Predicate<Read> {
  return (change) => change.type !== 'updated' || !sameJson(read(change.old), read(change.object));
}

/** The specification has changed: `metadata.generation`, which status writes leave alone. */
export const generationChanged: Predicate = changed((object) => object.metadata.generation);

/** Annotations have changed. */
export const annotationsChanged: Predicate = changed((object) => object.metadata.annotations ?? {});

/** Labels have changed. */
export const labelsChanged: Predicate = changed((object) => object.metadata.labels ?? {});

/** Finalizers have changed. They do not raise the generation. */
export const finalizersChanged: Predicate = changed((object) => object.metadata.finalizers ?? []);

/** Deletion has been asked for. */
export const deletionRequested: Predicate = changed((object) => object.metadata.deletionTimestamp);

/** The data of a Secret or ConfigMap have changed. */
export const dataChanged: Predicate = changed((object) => {
  // Every object may be asked: one without these members never differs in them.
  const { data, binaryData, stringData } = object as { data?: unknown; binaryData?: unknown; stringData?: unknown };
  return { data, binaryData, stringData };
});

/** The resource version is another one: any change at all, but no repetition. */
export const resourceVersionChanged: Predicate = changed((object) => object.metadata.resourceVersion);

/** At least one of the predicates lets the change through. */
export function anyOf<Read extends KubernetesObject>(...predicates: readonly Predicate<Read>[]): Predicate<Read> {
  return (change) => predicates.some((predicate) => predicate(change));
}

/** All predicates let the change through. */
export function allOf<Read extends KubernetesObject>(...predicates: readonly Predicate<Read>[]): Predicate<Read> {
  return (change) => predicates.every((predicate) => predicate(change));
}

/** The predicate does not let the change through. */
export function not<Read extends KubernetesObject>(predicate: Predicate<Read>): Predicate<Read> {
  return (change) => !predicate(change);
}

/** Only changes of one of these types. */
export function ofType(...types: readonly Change['type'][]): Predicate {
  return (change) => types.includes(change.type);
}

/**
 * What wakes a controller's own kind at once by default: a change of generation, annotations, finalizers or deletionTimestamp. Its own status
 * writes do not. Those of others do, a little later.
 */
export const primaryChanged: Predicate = anyOf(
  generationChanged,
  annotationsChanged,
  finalizersChanged,
  deletionRequested,
);
