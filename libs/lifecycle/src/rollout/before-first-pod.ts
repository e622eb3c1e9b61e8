import type { TaskRecord, TaskStep } from '../task/index.ts';
import { failed } from './failed.ts';
import type { Rule } from './outcome.ts';
import { areAllCurrent, proceed } from './outcome.ts';
import { releaseEnded } from './transit.ts';

/** Why an upgrade has failed whose Job before the first member has. */
const hookFailed = 'HookFailed';

/** What the Job before the first member is run for: this upgrade to this revision. One that is asked for again is another one: what stopped the Job may be mended. */
export const hookSubject = (revision: string, startedAt: string): string => `${revision}@${startedAt}`;

/** What an upgrade waits for, or why it has failed. */
type HookVerdict =
  { readonly blockedBy: string } | { readonly failed: { readonly reason: string; readonly message: string } };

/** What the Job before the first member says of the upgrade; undefined where the first member may be replaced. Pure. */
function verdictOnHook({ state, record, blockedBy }: TaskStep): HookVerdict | undefined {
  const { job, message = '' } = record;
  if (state === 'Succeeded') return undefined;
  if (state === 'Failed') return { failed: { reason: hookFailed, message: `the Job ${job} failed: ${message}` } };
  const wait = `the Job ${job} has to succeed before the first member is replaced`;
  return { blockedBy: blockedBy === undefined ? wait : `${wait}: ${blockedBy}` };
}

/** An upgrade that has failed, and the Job before its first member. */
export interface FailedHook {
  /** Why the upgrade has failed. */
  readonly reason: string | undefined;
  /** The record of the Job that was run for this upgrade. */
  readonly record: TaskRecord | undefined;
}

/** Whether an upgrade that has failed because of its hook has another hook by now, or none: then it is tried again. `definition` is of what the spec asks for now. Pure. */
export const isHookChanged = ({ reason, record }: FailedHook, definition: string | undefined): boolean =>
  reason === hookFailed &&
  record?.result === 'Failed' &&
  record.definition !== undefined &&
  record.definition !== definition;

/**
 * No member is taken down before the Job that comes before the first one has succeeded, and that is on record. One that has ended already is released all the same (I3).
 *
 * **Assumptions.** What the set makes new members of stays what it was until then: the kind holds the template back.
 */
export const beforeFirstPod: Rule = (seen, now) => {
  const { hook } = seen;
  if (!hook || seen.paused || areAllCurrent(seen)) return undefined;
  const verdict = verdictOnHook(hook);
  if (verdict && 'failed' in verdict) return failed(verdict.failed, seen, { tasks: [hook] });
  const ended = releaseEnded(seen, now);
  if (ended) return ended;
  const rest = { tasks: [hook], ...(hook.lookAgainAt === undefined ? {} : { lookAgainAt: hook.lookAgainAt }) };
  if (verdict) return proceed('BeforeFirstPod', 'the Job before the first member runs', { ...rest, ...verdict });
  // A status write of our own starts no reconcile: with its success on record the first member goes when we look again, at once.
  return proceed('BeforeFirstPod', `the Job ${hook.record.job} has succeeded`, { ...rest, lookAgainAt: now });
};
