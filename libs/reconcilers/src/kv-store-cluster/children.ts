import type { KubernetesObject, KubernetesObjectInput, StatefulSet } from '@ordinal/client';
import { podDisruptionBudgets, services, statefulSets, controllerOf, defined } from '@ordinal/client';
import { synthesizeKVStoreCluster } from '@ordinal/constructs';
import type { KVStoreNow } from '@ordinal/constructs';
import type { Action } from '@ordinal/lifecycle';
import { asServed, driftOf, identityOf, neededByMembers, onlyAsSeen } from '@ordinal/lifecycle';
import type { Child, Observation, PodTemplate } from './observation.ts';
import { toBuild, wantedTemplate } from './observation.ts';

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
  const { cluster, statefulSet, unowned, children } = seen;
  const fixed = cluster.spec.adopt && statefulSet ? { fixed: fixedIn(statefulSet) } : {};
  const now = { partition: wanted.partition, replicas: wanted.replicas, ...fixed };
  const known = [...children, ...(statefulSet ? [statefulSet as Child] : [])];
  const manifests = synthesizeKVStoreCluster({ ...toBuild(cluster), now });
  const applied = manifests
    .map((manifest) =>
      manifest.kind === 'StatefulSet'
        ? withTemplate(manifest, wanted.template ?? wantedTemplate(seen), statefulSet ?? unowned)
        : manifest,
    )
    .flatMap((manifest) => {
      const { kind, metadata } = manifest;
      const descriptor = Object.entries(descriptors).find(([name]) => name === kind)?.[1];
      if (!descriptor) throw new TypeError(`a KVStoreCluster has no child of kind ${kind}`);
      const observed = known.find((child) => child.kind === kind && child.metadata.name === metadata.name);
      if (isLeft(cluster, observed)) return [];
      const drift = observed ? driftOf(observed, asServed(manifest, observed)) : '';
      if (drift === undefined) return [];
      const object = manifest as KubernetesObjectInput;
      const common = { kind: 'apply', descriptor, ...neededByMembers(descriptor) } as const;
      if (observed) {
        const because = `${drift} is not what it should be`;
        return [{ ...common, object: onlyAsSeen(object, observed as KubernetesObject), because }]; // It was observed, so it has a UID.
      }
      if (kind === 'StatefulSet' && unowned)
        return [{ ...common, object: onlyAsSeen(object, unowned), because: 'it has no controller any more' }];
      return [{ ...common, object, onlyIfAbsent: true, because: 'it does not exist' }];
    });
  return [...applied, ...dropObsolete(seen, manifests)];
}

/** What can't be changed of a StatefulSet that was made by another client. As it is read it is what may be written. */
const fixedIn = ({ spec: { selector, podManagementPolicy, volumeClaimTemplates } }: StatefulSet) =>
  defined({ selector, podManagementPolicy, volumeClaimTemplates }) as NonNullable<KVStoreNow['fixed']>;

/** A child of the same name that was there beside a StatefulSet that was taken over: it stays as it is. */
const isLeft = ({ spec }: Observation['cluster'], observed: Child | undefined): boolean =>
  spec.adopt !== undefined && observed !== undefined && controllerOf(observed as KubernetesObject) === undefined; // It was observed.

/** Deletes the children that the spec wants no more: the Service for clients, when the port was taken away. Only those that this cluster controls. */
function dropObsolete({ cluster, children }: Observation, manifests: readonly Child[]): readonly Action[] {
  return children
    .filter(({ kind, metadata }) => !manifests.some((one) => one.kind === kind && one.metadata.name === metadata.name))
    .flatMap((child) => {
      const observed = child as KubernetesObject; // It was observed, so it has a UID.
      const controls = controllerOf(observed)?.uid === cluster.metadata.uid;
      const descriptor = Object.entries(descriptors).find(([name]) => name === child.kind)?.[1];
      if (!controls || !descriptor || observed.metadata.deletionTimestamp !== undefined) return [];
      const target = identityOf(observed);
      const because = 'the spec wants it no more';
      return [{ kind: 'delete', descriptor, target, ...neededByMembers(descriptor), because } as const];
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
