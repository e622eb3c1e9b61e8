import { desiredReplicas, maxSurge } from './live-deployment.ts';
import type { LiveDeployment, LiveReplicaSet } from './live-deployment.ts';

const annotation = {
  desired: 'deployment.kubernetes.io/desired-replicas',
  max: 'deployment.kubernetes.io/max-replicas',
} as const;

/** What a ReplicaSet has noted of the Deployment's size when it was scaled itself: how its part of a later size is found. */
export const sizeNotes = (deployment: LiveDeployment): Readonly<Record<string, string>> => ({
  [annotation.desired]: String(desiredReplicas(deployment)),
  [annotation.max]: String(desiredReplicas(deployment) + maxSurge(deployment)),
});

/** Whether what a ReplicaSet has noted is another size than the Deployment's present one. */
export const lacksSizeNotes = (deployment: LiveDeployment, set: LiveReplicaSet): boolean =>
  Object.entries(sizeNotes(deployment)).some(([name, value]) => set.metadata.annotations?.[name] !== value);

const replicasOf = ({ spec }: LiveReplicaSet): number => spec?.replicas ?? 0;
const isActive = (set: LiveReplicaSet): boolean => replicasOf(set) > 0;

/** Whether the Deployment has another size than when its ReplicaSets were last scaled. */
export function wasScaled(deployment: LiveDeployment, sets: readonly LiveReplicaSet[]): boolean {
  return sets.filter(isActive).some(({ metadata }) => {
    const noted = metadata.annotations?.[annotation.desired];
    return noted !== undefined && Number(noted) !== desiredReplicas(deployment);
  });
}

/** A ReplicaSet's size to be. */
export interface Size {
  readonly set: LiveReplicaSet;
  readonly replicas: number;
  /** Whether the Deployment's size is noted also where the set's stays the same. */
  readonly notes?: boolean;
}

/** A Deployment whose size has changed, or that is paused, with its ReplicaSets. */
export interface Scaling {
  readonly deployment: LiveDeployment;
  readonly current: LiveReplicaSet | undefined;
  readonly old: readonly LiveReplicaSet[];
}

/**
 * The sizes of the ReplicaSets after the Deployment's has changed. The only one with pods gets the whole. In the middle of a roll each gets a part in
 * proportion to its own size, the largest what is left over.
 */
export function sizesAfterScale({ deployment, current, old }: Scaling): readonly Size[] {
  const active = [...(current === undefined ? [] : [current]), ...old].filter(isActive);
  const desired = desiredReplicas(deployment);
  if (active.length <= 1) {
    const only = active[0] ?? current ?? newestFirst(old)[0];
    return only === undefined ? [] : [{ set: only, replicas: desired }];
  }
  if (current !== undefined && isSaturated(current, desired))
    return active.filter((set) => set !== current).map((set) => ({ set, replicas: 0 }));
  if (deployment.spec?.strategy?.type === 'Recreate') return [];
  return proportionalSizes(deployment, active);
}

function isSaturated(current: LiveReplicaSet, desired: number): boolean {
  const noted = Number(current.metadata.annotations?.[annotation.desired]);
  return replicasOf(current) === desired && noted === desired && current.status?.availableReplicas === desired;
}

function proportionalSizes(deployment: LiveDeployment, active: readonly LiveReplicaSet[]): readonly Size[] {
  const desired = desiredReplicas(deployment);
  const allowed = desired > 0 ? desired + maxSurge(deployment) : 0;
  const missing = allowed - active.reduce((sum, set) => sum + replicasOf(set), 0);
  const byAge = missing > 0 ? newestFirst(active) : [...newestFirst(active)].reverse();
  // A sort keeps the order of those of one size.
  const largestFirst = [...byAge].sort((left, right) => replicasOf(right) - replicasOf(left));
  let left = missing;
  const sizes = new Map<LiveReplicaSet, number>();
  for (const set of largestFirst) {
    const fraction = left === 0 ? 0 : fractionOf(set, { deployment, allowed });
    const part = missing > 0 ? Math.min(fraction, left) : Math.max(fraction, left);
    sizes.set(set, replicasOf(set) + part);
    left -= part;
  }
  const [largest] = largestFirst;
  if (largest !== undefined) sizes.set(largest, Math.max(0, (sizes.get(largest) ?? 0) + left));
  return [...sizes].map(([set, replicas]) => ({ set, replicas, notes: true }));
}

/** How many more pods a set has when its part of the Deployment stays the same. */
function fractionOf(
  set: LiveReplicaSet,
  { deployment, allowed }: { readonly deployment: LiveDeployment; readonly allowed: number },
): number {
  const size = replicasOf(set);
  if (desiredReplicas(deployment) === 0) return -size;
  const noted = Number(set.metadata.annotations?.[annotation.max] ?? 0);
  const before = noted > 0 ? noted : (deployment.status?.replicas ?? 0);
  return before === 0 ? 0 : Math.round((size * allowed) / before) - size;
}

const newestFirst = (sets: readonly LiveReplicaSet[]): readonly LiveReplicaSet[] =>
  [...sets].sort(
    (left, right) =>
      right.metadata.creationTimestamp.localeCompare(left.metadata.creationTimestamp) ||
      right.metadata.name.localeCompare(left.metadata.name),
  );
