import type { KVStoreCluster, KVStoreClusterStatus } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { instantOf, timestamp } from '@ordinal/client';
import { earliest, compactTime, dueRun, longestLookMs, scheduleOf } from '@ordinal/lifecycle';

/** How far the schedule of drills has come, as the status has it. */
export type DrillScheduleState = NonNullable<KVStoreClusterStatus['drillSchedule']>;

/** What the schedule of drills does in a reconcile. */
export interface ScheduledDrill {
  /** How far it has come; undefined where there is none. */
  readonly state?: DrillScheduleState;
  /** The name of the drill that begins now. */
  readonly name?: string;
  readonly lookAgainAt?: Instant;
}

type Wanted = NonNullable<NonNullable<NonNullable<KVStoreCluster['spec']['backup']>['drill']>['schedule']>;

/** The state that a decision begins with: the one before, where it speaks of the same. */
function stateAtStart(before: DrillScheduleState | undefined, wanted: Wanted, now: Instant): DrillScheduleState {
  const { cron, timeZone, suspend = false } = wanted;
  const isSame = before?.cron === cron && before.timeZone === timeZone && (before.suspended ?? false) === suspend;
  return isSame ? before : { ...scheduleOf(wanted), since: timestamp(now), ...(suspend ? { suspended: true } : {}) };
}

/**
 * The drill that `spec.backup.drill.schedule` begins now. Pure.
 *
 * **Guarantees.** A time has at most one drill: it is settled with the write that records the drill. Times count from when the schedule is set, changed, or not suspended any
 * more. Of those that were missed, or came while no drill could begin (`mayBegin`), the newest is made up for until half of the time to the next one.
 */
export function scheduledDrill({ spec, status }: KVStoreCluster, mayBegin: boolean, now: Instant): ScheduledDrill {
  const wanted = spec.backup?.drill?.schedule;
  if (!wanted) return {};
  const schedule = scheduleOf(wanted);
  const state = stateAtStart(status?.drillSchedule, wanted, now);
  if (state.suspended === true) return { state };
  const settled = Math.max(instantOf(state.since) ?? now, instantOf(state.settledAt) ?? 0);
  const run = dueRun(schedule, { settled, now });
  const lookAgainAt = earliest(run.next, now + longestLookMs) ?? now + longestLookMs;
  if (run.clockWasAhead) return { state: { ...schedule, since: timestamp(now) }, lookAgainAt };
  if (run.missed !== undefined) return { state: { ...state, settledAt: timestamp(run.missed) }, lookAgainAt };
  if (run.due === undefined || !mayBegin) return { state, lookAgainAt };
  return { state: { ...state, settledAt: timestamp(run.due) }, name: `scheduled-${compactTime(run.due)}`, lookAgainAt };
}
