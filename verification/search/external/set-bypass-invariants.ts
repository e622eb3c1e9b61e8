import type { MonitoredStatefulSet } from '@ordinal/api';
import { conditionOf, instantOf } from '@ordinal/client';
import type { Pod } from '@ordinal/client';
import type { SetWorld } from '../../../libs/reconcilers/test/external/set-world.ts';
import { wasRestored } from '../../../libs/reconcilers/test/world/restored.ts';

/** What is reported to have gone past its gates; undefined where nothing is. */
export function reportedBypass(set: MonitoredStatefulSet | undefined): string | undefined {
  const found = conditionOf(set?.status?.conditions, 'GateBypassed');
  return found?.status === 'True' ? found.message : undefined;
}

/**
 * Whether a pod begins to terminate within the second in which it stopped to be ready. Timestamps have whole seconds: they can't tell whether it still served, so the gate that lets one pass
 * which does not serve is held to be bypassed.
 */
function isUnclear(before: Pod | undefined, { metadata, status }: Pod): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata;
  if (deletionTimestamp === undefined || before?.metadata.deletionTimestamp !== undefined) return false;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const asked = (instantOf(deletionTimestamp) ?? 0) - deletionGracePeriodSeconds * 1000;
  return ready?.status === 'False' && instantOf(ready.lastTransitionTime) === asked;
}

/**
 * Watches what is reported of bypassed gates: members that other clients have deleted past them, and those for which the timestamps leave it open. After a restore of etcd members end of which nothing is
 * on record. Returns what ends it.
 */
export function watchBypasses(
  { cluster }: SetWorld,
  broken: (invariant: string, what: string) => void,
  bypassed: readonly string[],
): () => void {
  const reportable = new Set(bypassed);
  return cluster.server.store.subscribe(({ kind, before, after, deleted }) => {
    // The store holds what the API server has validated.
    if (kind === 'pods' && !deleted && isUnclear(before as Pod | undefined, after as unknown as Pod))
      reportable.add((after as unknown as Pod).metadata.name);
    if (kind !== 'monitoredstatefulsets.statefulsets.example.com' || deleted || wasRestored(cluster)) return;
    const message = reportedBypass(after as unknown as MonitoredStatefulSet);
    if (message === undefined || message === reportedBypass(before as MonitoredStatefulSet | undefined)) return;
    const others = message
      .split('; ')
      .filter((sentence) => ![...reportable].some((name) => sentence.startsWith(`${name} `)));
    if (others.length > 0) broken('GateBypassed', `no other client did it: ${others.join('; ')}`);
  });
}
