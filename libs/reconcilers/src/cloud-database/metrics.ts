import type { CloudDatabase } from '@ordinal/api';
import type { GaugeSample } from '../clustered-cache/index.ts';
import { conditionOf } from '../decision/index.ts';
import type { StandingReason } from '../external-resource/index.ts';

const help = {
  ordinal_clouddatabase_processing_error:
    '1 while the provider does not have what the spec asks for, and nothing brings it there.',
  ordinal_clouddatabase_provider_reachable:
    '1 unless the provider does not answer, or refuses what it is asked, or there is no account to ask it with.',
} as const;

/** What is under way, and ends by itself. */
const passing: ReadonlySet<string> = new Set<StandingReason>([
  'Creating',
  'Updating',
  'BeingDeleted',
  'Deleting',
  'Settling',
  'Vanished',
]);

/** What the state of databases says, as gauges: computed from the objects when metrics are read, so that no gauge outlives its object. */
export function cloudDatabaseMetrics(databases: readonly CloudDatabase[]): GaugeSample[] {
  return databases.flatMap(({ metadata, status }) => {
    const synced = conditionOf(status?.conditions, 'Synced');
    const isFailing = synced?.status === 'False' && !passing.has(synced.reason);
    const labels = { namespace: metadata.namespace ?? '', name: metadata.name };
    const sample = (name: keyof typeof help, value: boolean): GaugeSample => ({
      name,
      help: help[name],
      labels,
      value: value ? 1 : 0,
    });
    return [
      sample('ordinal_clouddatabase_processing_error', isFailing),
      sample('ordinal_clouddatabase_provider_reachable', synced?.reason !== 'CallFailed'),
    ];
  });
}
