import type { MonitoredStatefulSet, MonitoredStatefulSetStatus } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { timestamp } from '@ordinal/client';
import type { ExternalRecord, Outcome, ExternalStatus } from '@ordinal/lifecycle';
import { recordAfter } from '@ordinal/lifecycle';
import type { FormerStatus } from './conditions.ts';
import type { MonitorRequest, MonitorView } from './monitor.ts';
import { statusWithRecord } from './status.ts';

/** How a call of a monitor ended. */
export interface MonitorOutcome {
  readonly endpoint: string;
  readonly outcome: Outcome<MonitorRequest, MonitorView>;
  /** How it stands at the monitors that could not be asked before the call. */
  readonly unasked: readonly FormerStatus[];
}

/** The status after a call: the ID that was learnt, or why it failed. `set` is read again. */
export function statusAfter(
  set: MonitoredStatefulSet,
  { endpoint, outcome, unasked }: MonitorOutcome,
  now: Instant,
): MonitoredStatefulSetStatus {
  const entry = set.status?.registrations?.find((registration) => registration.endpoint === endpoint);
  if (entry === undefined) return set.status ?? {};
  return statusWithRecord(set, {
    endpoint,
    record: confirmed(recordAfter(entry, outcome), outcome, now),
    externalStatus: externalStatusAfter(outcome),
    unasked,
    now,
  });
}

/** The record with what the answer to a deletion says, where nothing else can say it. */
function confirmed(
  record: ExternalRecord,
  { call, error }: Outcome<MonitorRequest, MonitorView>,
  now: Instant,
): ExternalRecord {
  const isGone = call.verb === 'delete' && error === undefined && call.id === record.id;
  return isGone && record.lookUpMissingAt !== undefined ? { ...record, deletedAt: timestamp(now) } : record;
}

function externalStatusAfter({ call, error }: Outcome<MonitorRequest, MonitorView>): ExternalStatus {
  if (error) {
    const message = `${call.verb}: ${error.code}: ${error.message}`;
    return { reason: 'CallFailed', message, synced: 'False', ready: 'Unknown', retry: error.retry, code: error.code };
  }
  return { reason: 'Available', message: 'the monitoring service has taken it', synced: 'True', ready: 'True' };
}
