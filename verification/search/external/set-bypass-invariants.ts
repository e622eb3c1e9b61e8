import type { MonitoredStatefulSet } from '@ordinal/api';
import { conditionOf } from '@ordinal/client';
import type { SetWorld } from '../../../libs/reconcilers/test/external/set-world.ts';
import { wasRestored } from '../../../libs/reconcilers/test/world/restored.ts';

/** What is reported to have gone past its gates; undefined where nothing is. */
export function reportedBypass(set: MonitoredStatefulSet | undefined): string | undefined {
  const found = conditionOf(set?.status?.conditions, 'GateBypassed');
  return found?.status === 'True' ? found.message : undefined;
}

/**
 * Watches what is reported of bypassed gates: members that other clients have deleted past them, and no others. After a restore of etcd members end of which nothing is on record. Returns what
 * ends it.
 */
export function watchBypasses(
  { cluster }: SetWorld,
  broken: (invariant: string, what: string) => void,
  bypassed: readonly string[],
): () => void {
  return cluster.server.store.subscribe(({ kind, before, after, deleted }) => {
    if (kind !== 'monitoredstatefulsets.statefulsets.example.com' || deleted || wasRestored(cluster)) return;
    const message = reportedBypass(after as unknown as MonitoredStatefulSet); // The store holds what the API server has validated.
    if (message === undefined || message === reportedBypass(before as MonitoredStatefulSet | undefined)) return;
    const others = message.split('; ').filter((sentence) => !bypassed.some((name) => sentence.startsWith(`${name} `)));
    if (others.length > 0) broken('GateBypassed', `no other client did it: ${others.join('; ')}`);
  });
}
