import type { Instant } from '@ordinal/client';
import type { Operator, SimulatedCluster } from '@ordinal/simulator';

/** Since when the operator has run on what the last restore of etcd has brought back: the restore, or its last start, or the end of a suspension, which may be still to come. */
export function runsSince({
  cluster,
  operator,
}: {
  readonly cluster: SimulatedCluster;
  readonly operator: Operator;
}): Instant {
  const resumed = cluster.trace.entries
    .filter(({ actor }) => actor === `operator ${operator.name}`)
    .map(({ at, action, outcome = '' }) =>
      action === 'pause' ? at + Number.parseInt(outcome, 10) : action === 'start' ? at : 0,
    );
  return Math.max(cluster.restores.at(-1) ?? 0, ...resumed);
}
