import type { MonitoredStatefulSet } from '@ordinal/api';
import { monitoredStatefulSets } from '@ordinal/api';
import type { StatefulSet } from '@ordinal/client';
import { hashOf, monitoredStatefulSet } from '@ordinal/constructs';
import type { Hold } from '@ordinal/lifecycle';
import { asServed, driftOf } from '@ordinal/lifecycle';

/** The seed's finalizer: on the object from before its first registration until nothing of it is left at any monitor. */
export const monitoredSetFinalizer = 'statefulsets.example.com/finalizer';

/** How a set is held. */
export const monitoredSetHold: Hold = {
  descriptor: monitoredStatefulSets,
  finalizer: monitoredSetFinalizer,
  because: 'nothing may be registered before its clean-up is sure',
};

/** On the StatefulSet: the hash of the embedded spec that was last applied, so that a field that was taken out of it is noticed. */
export const appliedSpecAnnotation = 'ordinal.dev/applied-spec';

/** The StatefulSet that should be. */
export function wantedStatefulSet({ apiVersion, kind, metadata, spec }: MonitoredStatefulSet): StatefulSet {
  const { name, uid } = metadata;
  const namespace = metadata.namespace ?? '';
  const owner = { apiVersion, kind, name, uid, namespace };
  const annotations = { [appliedSpecAnnotation]: hashOf(spec.statefulSetSpec) };
  // What a builder gives is the same as what is written; the server fills in the rest of the metadata.
  return withoutNulls(monitoredStatefulSet({ name, namespace, spec, owner }, annotations)) as StatefulSet;
}

/** `creationTimestamp: null` and its like, which tools leave in manifests, say nothing; the server drops them, and they must not look like drift. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, entry]) => entry !== null);
  return Object.fromEntries(entries.map(([key, entry]) => [key, withoutNulls(entry)]));
}

const mutableFields: ReadonlySet<string> = new Set([
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
]);

/** What the API server puts where nothing was said. */
const defaults: Readonly<Record<string, unknown>> = {
  podManagementPolicy: 'OrderedReady',
  volumeClaimTemplates: [],
  serviceName: '',
};

/** The first field of the embedded spec that differs from the existing StatefulSet and that Kubernetes does not let change; undefined where none does. */
export function immutableChange(existing: StatefulSet, wanted: StatefulSet): string | undefined {
  const present = existing.spec as unknown as Readonly<Record<string, unknown>>; // Read by name, field by field.
  const asked = { ...defaults, ...wanted.spec } as Readonly<Record<string, unknown>>;
  for (const field of new Set([...Object.keys(asked), ...Object.keys(present)])) {
    if (mutableFields.has(field)) continue;
    const [was, is] = [present[field] ?? defaults[field], asked[field] ?? defaults[field]];
    const hasShrunk = Array.isArray(was) && Array.isArray(is) && was.length !== is.length;
    const drift = hasShrunk ? field : driftOf(was, asServed(is, was, field), field);
    if (drift !== undefined) return drift;
  }
  return undefined;
}

/** Whether the StatefulSet has to be applied: it is missing, was changed by another client, or the embedded spec is another one. */
export function applyReason(existing: StatefulSet | undefined, wanted: StatefulSet): string | undefined {
  if (existing === undefined) return 'there is no StatefulSet yet';
  if (existing.metadata.annotations?.[appliedSpecAnnotation] !== wanted.metadata.annotations?.[appliedSpecAnnotation])
    return 'spec.statefulSetSpec has changed';
  const drift = driftOf(existing.spec, asServed(wanted.spec, existing.spec), 'spec');
  return drift === undefined ? undefined : `${drift} was changed by another client`;
}

/** Whether the StatefulSet exists and the set does not own it, so that it must not be written. */
export function isForeign(existing: StatefulSet | undefined, { metadata }: MonitoredStatefulSet): boolean {
  return existing !== undefined && existing.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid) !== true;
}

/** Whether pods are being replaced or are missing: the time in which alerts would only tell what is known. */
export function isRollingOut(existing: StatefulSet | undefined): boolean {
  if (existing === undefined) return true;
  const { status, spec, metadata } = existing;
  const replicas = spec.replicas ?? 1;
  const isCurrent = status?.updateRevision === undefined || status.updateRevision === status.currentRevision;
  return (
    (status?.observedGeneration ?? 0) < (metadata.generation ?? 0) ||
    !isCurrent ||
    (status?.updatedReplicas ?? replicas) < replicas ||
    (status?.readyReplicas ?? 0) < replicas
  );
}
