import type { MonitoredStatefulSet } from '@ordinal/api';
import { monitoredStatefulSets } from '@ordinal/api';
import type { StatefulSet } from '@ordinal/client';
import { hashOf, monitoredStatefulSet, templateHashAnnotation } from '@ordinal/constructs';
import type { Hold } from '@ordinal/lifecycle';
import { asServed, driftOf } from '@ordinal/lifecycle';
import { previousTemplateAnnotation } from '../annotations.ts';
import { toBuild } from './task.ts';
import type { WantedTemplate } from './template.ts';
import { askedTemplate } from './template.ts';
import { withoutNulls } from './without-nulls.ts';

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

/** What the StatefulSet is made of while the operator replaces the pods. */
export interface UpgradedWorkload extends Pick<WantedTemplate, 'made' | 'previous'> {
  readonly replicas: number;
}

/** The StatefulSet that should be: as the embedded spec says or, where the operator replaces the pods, of the template and size that an upgrade has come to. */
export function wantedStatefulSet(set: MonitoredStatefulSet, upgraded?: UpgradedWorkload): StatefulSet {
  const { spec } = set;
  const {
    made,
    previous,
    replicas = 1,
  }: Partial<UpgradedWorkload> & Pick<UpgradedWorkload, 'made'> = upgraded ?? {
    made: askedTemplate(set),
  };
  const upgradedSpec = { template: made.template, replicas, updateStrategy: { type: 'OnDelete' } } as const;
  // Said also where the spec says nothing: what is left out would stay `OnDelete` when `spec.upgrade` goes.
  const updateStrategy = { type: 'RollingUpdate', ...spec.statefulSetSpec.updateStrategy } as const;
  const statefulSetSpec = { ...spec.statefulSetSpec, updateStrategy, ...(upgraded && upgradedSpec) };
  const annotations = {
    [appliedSpecAnnotation]: hashOf(statefulSetSpec),
    [templateHashAnnotation]: made.revision,
    ...(previous === undefined ? {} : { [previousTemplateAnnotation]: previous }),
  };
  const toApply = { ...toBuild(set), spec: { ...spec, statefulSetSpec } };
  // What a builder gives is the same as what is written; the server fills in the rest of the metadata.
  return withoutNulls(monitoredStatefulSet(toApply, annotations)) as StatefulSet;
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
  const differs = (annotation: string): boolean =>
    existing.metadata.annotations?.[annotation] !== wanted.metadata.annotations?.[annotation];
  if (differs(appliedSpecAnnotation)) return 'what is wanted of it has changed';
  if ([templateHashAnnotation, previousTemplateAnnotation].some(differs))
    return 'what it says of its template has changed';
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
