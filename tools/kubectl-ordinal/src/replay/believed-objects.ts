import type { Job, KubernetesObject } from '@ordinal/client';
import { jobs } from '@ordinal/client';
import { jobMarks } from '@ordinal/reconcilers';
import type { RecordedReconcile } from '@ordinal/runtime/recording';
import type { OrdinalResource } from '../kinds.ts';
import { ordinalKinds } from '../kinds.ts';
import { withBelievedSeal, withBelievedStatus } from '../plan/believed.ts';

/** Whether the operator itself has replaced the status of this reconcile's resource, because it did not believe it. */
const wasMistrusted = ({ decisions: [first] }: Pick<RecordedReconcile, 'decisions'>): boolean =>
  (first as { readonly status?: { readonly fromScratch?: boolean } } | undefined)?.status?.fromScratch === true; // As `execute` takes it.

const isOurs = (object: KubernetesObject): object is OrdinalResource =>
  ordinalKinds.some(({ kind, group }) => kind === object.kind && object.apiVersion.startsWith(`${group}/`));

const isSealedJob = (object: KubernetesObject): object is Job =>
  object.kind === jobs.kind && object.metadata.annotations?.[jobMarks.sealAnnotation] !== undefined;

/**
 * Objects with seals of this run, in place of those of the operator, whose key stays with it: what it believed is believed, and what it did not believe is not. Each object has one, however many
 * reconciles have seen it.
 */
export class BelievedObjects {
  readonly #known = new WeakMap<KubernetesObject, Promise<KubernetesObject>>();

  /** The object as it is believed, in a reconcile of `owner`. */
  async of(
    object: KubernetesObject,
    owner: OrdinalResource | undefined,
    record: RecordedReconcile,
  ): Promise<KubernetesObject> {
    if (object.metadata.uid === owner?.metadata.uid && wasMistrusted(record)) return object;
    const known = this.#known.get(object) ?? this.#sealed(object, owner);
    this.#known.set(object, known);
    return known;
  }

  async #sealed(object: KubernetesObject, owner: OrdinalResource | undefined): Promise<KubernetesObject> {
    if (isOurs(object)) return deepFrozen(withBelievedStatus(object));
    return isSealedJob(object) && owner ? deepFrozen(await withBelievedSeal(object, owner)) : object;
  }
}

function deepFrozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFrozen);
  }
  return value;
}
