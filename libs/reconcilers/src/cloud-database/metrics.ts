import type { CloudDatabase } from '@ordinal/api';
import type { GaugeSample } from '../clustered-cache/index.ts';
import { conditionOf } from '../decision/index.ts';
import type { StandingReason } from '../external-resource/index.ts';

const help = {
  ordinal_clouddatabase_processing_error:
    '1 while the provider does not have what the spec asks for, and nothing brings it there.',
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
  const name = 'ordinal_clouddatabase_processing_error';
  return databases.map(({ metadata, status }) => {
    const synced = conditionOf(status?.conditions, 'Synced');
    return {
      name,
      help: help[name],
      labels: { namespace: metadata.namespace ?? '', name: metadata.name },
      value: synced?.status === 'False' && !passing.has(synced.reason) ? 1 : 0,
    };
  });
}
