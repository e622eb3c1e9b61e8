import { memberPods } from './deletion-members.ts';
import { recordOf } from './records.ts';
import type { Observation } from './observation.ts';
import { adoptClaims } from './volumes.ts';

/**
 * Whether the volumes may hold data: a member was ever ready, a backup was restored into them, or an earlier cluster left them. Sticky, by `status.mayHoldData`: a
 * cluster that was never complete may have served for months, and whoever deletes it may do so while nobody is ready.
 *
 * **Assumptions.** What makes it true is recorded before anything relies on it: the status is written before a claim is taken over.
 */
export function mayHoldData(seen: Observation): boolean {
  const { status } = seen.cluster;
  const isReady = ({ status: pod }: Observation['pods'][number]): boolean =>
    pod?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false;
  return (
    status?.mayHoldData === true ||
    status?.currentVersion !== undefined ||
    recordOf(status, 'Restore')?.result === 'Succeeded' ||
    memberPods(seen).some(isReady) ||
    adoptClaims(seen).length > 0
  );
}
