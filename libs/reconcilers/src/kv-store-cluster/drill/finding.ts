import { conditionOf } from '@ordinal/client';
import type { Finding } from '@ordinal/client';
import type { KVStoreCluster } from '@ordinal/api';
import type { Announcement } from '@ordinal/lifecycle';
import { drillAnnotation, newestEnded, openDrill } from './records.ts';
import type { DrillRecord } from './records.ts';

/** The condition that says whether a backup could be restored. */
const restorable = 'Restorable';

const statusAfter = (ended: DrillRecord | undefined): Finding['status'] => {
  if (ended === undefined) return 'Unknown';
  return ended.result === 'Succeeded' ? 'True' : 'False';
};

const about = ({ name, backup, message = '' }: DrillRecord): string => {
  const what = backup === undefined ? '' : ` of the backup ${backup}`;
  return `the restore drill ${name}${what}${message === '' ? '' : `: ${message}`}`;
};

/**
 * The condition `Restorable`: how the newest drill with a result has ended, also while the next one is under way, and what that waits for. Undefined where the spec has no drill and none
 * was ever made.
 */
export function drillFinding(
  { spec, status }: KVStoreCluster,
  records: readonly DrillRecord[],
  waitsFor: string | undefined,
): Finding | undefined {
  const isWanted = spec.backup?.drill !== undefined;
  if (!isWanted && records.length === 0 && !conditionOf(status?.conditions, restorable)) return undefined;
  const open = openDrill(records);
  const ended = newestEnded(records);
  const waits = waitsFor === undefined ? '' : `; ${waitsFor}`;
  const finding = { type: restorable, status: statusAfter(ended) } as const;
  if (open !== undefined && open.result === undefined)
    return { ...finding, reason: 'DrillUnderWay', message: `${about(open)}${waits}` };
  if (ended === undefined)
    return {
      ...finding,
      reason: 'NotDrilled',
      message: `no restore drill was made; the annotation ${drillAnnotation} asks for one`,
    };
  return {
    ...finding,
    reason: ended.result === 'Succeeded' ? 'DrillSucceeded' : 'DrillFailed',
    message: `${about(ended)}${waits}`,
  };
}

/** The events of a drill: that it began, and how it ended, each once, with the write that records it. */
export function drillEvents(before: DrillRecord | undefined, after: DrillRecord | undefined): readonly Announcement[] {
  if (after === undefined || before?.result !== undefined) return [];
  if (after.result === 'Succeeded') return [{ type: 'Normal', reason: 'RestoreDrillSucceeded', note: about(after) }];
  if (after.result === 'Failed') return [{ type: 'Warning', reason: 'RestoreDrillFailed', note: about(after) }];
  return before === undefined ? [{ type: 'Normal', reason: 'RestoreDrillStarted', note: about(after) }] : [];
}
