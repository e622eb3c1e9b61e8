import type { PersistentVolumeClaim } from '@ordinal/client';
import { persistentVolumeClaims, pods, statefulSets } from '@ordinal/client';
import { kvStoreClaimTemplate, outlivingLabels, ownerUidLabel } from '@ordinal/constructs';
import type { Action } from '@ordinal/lifecycle';
import { identityOf, quantity, seenOf } from '@ordinal/lifecycle';
import type { Observation } from './observation.ts';
import { claimName, membersOf, ordinalOfClaim, toBuild } from './observation.ts';

const requested = (claim: PersistentVolumeClaim): string => claim.spec?.resources?.requests?.['storage'] ?? '0';
const capacity = (claim: PersistentVolumeClaim): string => claim.status?.capacity?.['storage'] ?? requested(claim);
const less = (a: string, b: string): boolean => (quantity(a) ?? 0) < (quantity(b) ?? 0);

/**
 * Claims that have to grow: their request is raised, and the volume's driver does the rest. No pod is replaced for it (I29). An API server refuses the change of a claim
 * that is not bound: it grows once it is.
 */
export function growVolumes({ cluster, claims }: Observation): readonly Action[] {
  const { size } = cluster.spec.storage;
  return claims
    .filter(({ metadata, status }) => metadata.deletionTimestamp === undefined && status?.phase === 'Bound')
    .filter((claim) => less(requested(claim), size))
    .map((claim) => ({
      kind: 'patch',
      descriptor: persistentVolumeClaims,
      target: seenOf(claim),
      fields: { spec: { resources: { requests: { storage: size } } } },
      because: `storage.size is ${size}, and this volume was asked for ${requested(claim)}`,
    }));
}

/** The smallest volume's size, and how many have not reached what is wanted. */
export function volumeStatus({
  cluster,
  claims,
}: Observation): { readonly size?: string; readonly resizing?: number } | undefined {
  if (claims.length === 0) return undefined;
  const smallest = claims.map(capacity).reduce((a, b) => (less(b, a) ? b : a));
  const resizing = claims.filter((claim) => less(capacity(claim), cluster.spec.storage.size)).length;
  return { size: smallest, resizing };
}

/**
 * Deletes finished pods of our Jobs that mount these claims: a claim goes only when no pod names it, also none that has ended. The Jobs themselves stay,
 * with their results.
 */
export function releaseClaims({ taskPods }: Observation, going: readonly PersistentVolumeClaim[]): readonly Action[] {
  const names = new Set(going.map(({ metadata }) => metadata.name));
  return taskPods
    .filter(({ metadata, status, spec }) => {
      const ended = status?.phase === 'Succeeded' || status?.phase === 'Failed';
      const mounts = spec.volumes?.some(
        ({ persistentVolumeClaim }) => persistentVolumeClaim && names.has(persistentVolumeClaim.claimName),
      );
      return ended && metadata.deletionTimestamp === undefined && mounts === true;
    })
    .map((pod) => ({
      kind: 'delete',
      descriptor: pods,
      target: identityOf(pod),
      because: 'it has ended, and keeps a claim from going',
    }));
}

/**
 * Claims of members that were taken away, where the spec wants them deleted. Only when the StatefulSet has come down to the wanted size and the member's
 * pod is gone: until then the claim is in use, or may be again.
 */
export function dropClaims(seen: Observation): readonly Action[] {
  const { cluster, statefulSet, claims, pods: members } = seen;
  if (cluster.spec.scaleDown?.claims !== 'Delete' || statefulSet?.spec?.replicas !== cluster.spec.replicas) return [];
  const dropped = claims.filter((claim) => {
    const ordinal = ordinalOfClaim(cluster, claim);
    if (ordinal === undefined || ordinal < cluster.spec.replicas) return false;
    return !members.some(({ metadata }) => metadata.name === `${cluster.metadata.name}-${ordinal}`);
  });
  const because = 'scaleDown.claims is Delete and its member was taken away';
  // A user may have made it larger meanwhile: its member comes back then, and needs its volume.
  const onlyWhile = { descriptor: statefulSets, target: seenOf(statefulSet) };
  const going = dropped.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return [
    ...releaseClaims(seen, dropped),
    ...going.map(
      (claim) =>
        ({
          kind: 'delete',
          descriptor: persistentVolumeClaims,
          target: identityOf(claim),
          onlyWhile,
          because,
        }) as const,
    ),
  ];
}

/**
 * Claims that a member of this cluster uses and that carry another owner's UID, or none: an earlier cluster of this name left them. They become this
 * cluster's, so that its policy counts for them.
 */
export function adoptClaims(seen: Observation): readonly Action[] {
  const members = membersOf(seen);
  return seen.foreignClaims
    .filter((claim) => members.some(({ ordinal }) => claim.metadata.name === claimName(seen.cluster, ordinal)))
    .map((claim) => ({
      kind: 'patch',
      descriptor: persistentVolumeClaims,
      target: seenOf(claim),
      fields: { metadata: { labels: { [ownerUidLabel]: seen.cluster.metadata.uid } } },
      because: 'a member of this cluster uses it',
    }));
}

/** The claims of all members, made before any member starts: what a restore fills. */
export function createClaims({ cluster, claims, foreignClaims }: Observation): readonly Action[] {
  const existing = new Set([...claims, ...foreignClaims].map(({ metadata }) => metadata.name));
  const build = toBuild(cluster);
  const { spec } = kvStoreClaimTemplate(build);
  return Array.from({ length: cluster.spec.replicas }, (_, ordinal) => claimName(cluster, ordinal))
    .filter((name) => !existing.has(name))
    .map((name) => ({
      kind: 'create',
      descriptor: persistentVolumeClaims,
      object: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name, namespace: build.namespace, labels: outlivingLabels(build) },
        spec,
      },
      because: 'the backup is restored into it before a member starts',
    }));
}
