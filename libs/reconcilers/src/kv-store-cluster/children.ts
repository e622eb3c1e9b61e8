import type { KubernetesObjectInput } from '@ordinal/client';
import { podDisruptionBudgets, services, statefulSets } from '@ordinal/client';
import { kvStoreVolume, synthesizeKVStoreCluster } from '@ordinal/constructs';
import type { Action } from '../decision/index.ts';
import { asServed, driftOf } from '../decision/index.ts';
import type { Child, Observation, PodTemplate } from './observation.ts';
import { toBuild } from './observation.ts';

/** What the StatefulSet should be now. */
export interface Wanted {
  /** Undefined: the one that the spec asks for. */
  readonly template: PodTemplate | undefined;
  readonly partition: number;
  readonly replicas: number;
}

const descriptors = {
  Service: services,
  PodDisruptionBudget: podDisruptionBudgets,
  StatefulSet: statefulSets,
} as const;

/**
 * The applies that bring the children to what is wanted: only those that lack something, so that nothing is written when nothing changes. What others have
 * added stays; what others have changed of ours is put back.
 */
export function applyChildren(seen: Observation, wanted: Wanted): readonly Action[] {
  const { cluster, statefulSet, children } = seen;
  const claimSize = statefulSet?.spec?.volumeClaimTemplates?.find(({ metadata }) => metadata?.name === kvStoreVolume)
    ?.spec?.resources?.requests?.['storage'];
  const now = {
    partition: wanted.partition,
    replicas: wanted.replicas,
    ...(claimSize === undefined ? {} : { claimSize }),
  };
  const present = [...children, ...(statefulSet ? [statefulSet as Child] : [])];
  return synthesizeKVStoreCluster({ ...toBuild(cluster), now })
    .map((manifest) =>
      manifest.kind === 'StatefulSet' ? withTemplate(manifest, wanted.template, statefulSet) : manifest,
    )
    .flatMap((manifest) => {
      const { kind, metadata } = manifest;
      const descriptor = Object.entries(descriptors).find(([name]) => name === kind)?.[1];
      if (!descriptor) throw new TypeError(`a KVStoreCluster has no child of kind ${kind}`);
      const observed = present.find((child) => child.kind === kind && child.metadata.name === metadata.name);
      const drift = observed ? driftOf(observed, asServed(manifest, observed)) : '';
      if (drift === undefined) return [];
      const because = observed ? `${drift} is not what it should be` : 'it does not exist';
      return [{ kind: 'apply', descriptor, object: manifest as KubernetesObjectInput, because } as const];
    });
}

/** A StatefulSet's claim templates can't be changed, so those that it has are the ones that are applied. */
function withTemplate(
  manifest: Child,
  template: PodTemplate | undefined,
  statefulSet: Observation['statefulSet'],
): Child {
  const set = manifest as unknown as { readonly spec: object };
  const claims = statefulSet?.spec?.volumeClaimTemplates;
  const spec = { ...set.spec, ...(template ? { template } : {}), ...(claims ? { volumeClaimTemplates: claims } : {}) };
  return { ...manifest, spec } as Child; // Only the spec has changed.
}
