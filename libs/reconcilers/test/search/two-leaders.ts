import type { SimulatedCluster, TraceEntry } from '@ordinal/testing';

const isTwin = ({ actor }: TraceEntry): boolean => actor === 'operator operator-twin';

/**
 * Whether two operators lead at this moment (fault `twoLeaders`). Neither can tell then what the other is about to do: the runtime's election refuses each write that a deposed leader
 * begins, but not the one that it was suspended in.
 */
export function twoLead(cluster: SimulatedCluster, entries: readonly TraceEntry[] = cluster.trace.entries): boolean {
  return entries.findLast((entry) => isTwin(entry) && ['start', 'crash'].includes(entry.action))?.action === 'start';
}

/**
 * The names of the claims that were made although their cluster `owner` (`kvstoreclusters default/orders`) had gone, while two led: the StatefulSet of the one that was suspended in making it came
 * after the other one's deletion had ended. The garbage collector takes it back, but it may have made claims by then, which are empty and have no owner reference.
 */
export function claimsMadeTooLate(cluster: SimulatedCluster, owner: string): ReadonlySet<string> {
  const { entries } = cluster.trace;
  const ended = entries.findLastIndex(({ subject, outcome }) => subject === owner && outcome === undefined);
  const made = entries.flatMap(({ action, subject, outcome }, index) =>
    index > ended && action === 'create' && outcome === undefined && twoLead(cluster, entries.slice(0, index))
      ? [/^persistentvolumeclaims default\/(.+)$/.exec(subject)?.[1] ?? '']
      : [],
  );
  return new Set(made);
}
