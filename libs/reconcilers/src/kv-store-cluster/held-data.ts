import type { KVStoreCluster } from '@ordinal/api';
import { kvStoreClusters } from '@ordinal/api';
import type { Action } from '@ordinal/lifecycle';
import { seenOf } from '@ordinal/lifecycle';
import { memberPods } from './deletion-members.ts';
import { recordOf } from './records.ts';
import type { Observation } from './observation.ts';
import { adoptClaims } from './volumes.ts';

/**
 * The annotation by which the operator marks a cluster whose volumes may hold data. Its value is the UID of that cluster: in a manifest that was restored, or copied, it
 * says nothing.
 */
const holdsDataAnnotation = 'ordinal.dev/holds-data';

const isMarked = ({ metadata }: KVStoreCluster): boolean =>
  metadata.annotations?.[holdsDataAnnotation] === metadata.uid;

/**
 * Whether it was found before that the volumes may hold data.
 *
 * **Guarantees.** What was found once is not taken back by a status alone, also by an earlier one that the operator has sealed: the mark is outside of it, and
 * anyone who may change that may leave the final backup out anyway.
 */
export const isKnownToHoldData = (cluster: KVStoreCluster): boolean =>
  isMarked(cluster) || cluster.status?.mayHoldData === true || cluster.status?.currentVersion !== undefined;

/**
 * Whether the volumes may hold data: a member was ever ready, a backup was restored into them, or an earlier cluster left them. Sticky, by the mark and by `status.mayHoldData`: a
 * cluster that was never complete may have served for months, and a user may delete it while no member is ready.
 *
 * **Assumptions.** What makes it true is recorded before anything relies on it: status and mark are written before a claim is taken over.
 */
export function mayHoldData(seen: Observation): boolean {
  const isReady = ({ status: pod }: Observation['pods'][number]): boolean =>
    pod?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false;
  return (
    isKnownToHoldData(seen.cluster) ||
    recordOf(seen.cluster.status, 'Restore')?.result === 'Succeeded' ||
    memberPods(seen).some(isReady) ||
    adoptClaims(seen).length > 0
  );
}

/** Marks a cluster whose volumes may hold data, once. To come before all that changes its volumes or makes Jobs. */
export function markData(seen: Observation): readonly Action[] {
  const { cluster } = seen;
  if (isMarked(cluster) || !mayHoldData(seen)) return [];
  return [
    {
      kind: 'annotate',
      descriptor: kvStoreClusters,
      target: seenOf(cluster),
      annotations: { [holdsDataAnnotation]: cluster.metadata.uid },
      because: 'its volumes may hold data from now on, whatever its status says later',
    },
  ];
}
