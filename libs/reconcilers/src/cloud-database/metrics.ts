import { conditionOf } from '@ordinal/client';
import type { CloudDatabase } from '@ordinal/api';
import type { GaugeSample, Gauges, ExternalReason } from '@ordinal/lifecycle';
import { samplesOf } from '@ordinal/lifecycle';
import { rotationOnSchedule } from './rotation-report.ts';

/** The gauges of this kind: their names, what they say, and their labels beside the resource's. The operator serves exactly these. */
export const cloudDatabaseGauges = {
  ordinal_clouddatabase_processing_error: {
    help: '1 while the provider does not have what the spec asks for, and nothing brings it there.',
  },
  ordinal_clouddatabase_provider_reachable: {
    help: '1 unless the provider does not answer, or refuses what it is asked, or there is no account to ask it with.',
  },
  ordinal_clouddatabase_rotation_overdue: {
    help: '1 while the login of a database is not replaced as spec.rotation asks: the condition RotationOnSchedule is false.',
  },
} as const satisfies Gauges;

/** What is under way, and ends by itself. */
const passing: ReadonlySet<string> = new Set<ExternalReason>([
  'Creating',
  'Updating',
  'BeingDeleted',
  'Deleting',
  'Settling',
  'Vanished',
]);

/** What the state of databases says, as gauges: computed from the objects when metrics are read, so that no gauge outlives its object. */
export function cloudDatabaseMetrics(databases: readonly CloudDatabase[]): GaugeSample[] {
  return databases.flatMap((database) => {
    const synced = conditionOf(database.status?.conditions, 'Synced');
    const isFailing = synced?.status === 'False' && !passing.has(synced.reason);
    const rotation = conditionOf(database.status?.conditions, rotationOnSchedule);
    return samplesOf<keyof typeof cloudDatabaseGauges>(database, [
      ['ordinal_clouddatabase_processing_error', isFailing],
      ['ordinal_clouddatabase_provider_reachable', synced?.reason !== 'CallFailed'],
      ...(rotation ? ([['ordinal_clouddatabase_rotation_overdue', rotation.status === 'False']] as const) : []),
    ]);
  });
}
