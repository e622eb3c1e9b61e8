import type { Instant } from '@ordinal/client';
import type { Announcement } from '../decision/index.ts';
import type { Answer } from '../health-check/index.ts';
import type { Member } from '../rollout/member.ts';
import type { TaskStep } from '../task/index.ts';
import type { Judgement } from './judgement.ts';
import { judgementOf, withJudgement } from './judgement.ts';

/** How long after an analysis that failed, but may yet pass, it is asked again, in milliseconds. */
const askAgainMs = 10_000;

/** What is known of the analysis of one canary. */
export interface Judged {
  readonly judgements: readonly Judgement[] | undefined;
  /** The Job that judges it, as far as it has come; undefined where the pod itself is asked. */
  readonly task?: TaskStep | undefined;
  /** What the pod answered; undefined where it was not asked. */
  readonly answer?: Answer | undefined;
  /** How many attempts in a row must fail before the canary has failed. A Job has its own retries and counts once. */
  readonly failureThreshold: number;
}

/** What an analysis says. Without `failed` and without `blockedBy` the canary has passed. */
export interface Analysis {
  readonly blockedBy?: string;
  /** All judgments, with that of this canary: to be recorded before they are acted on. */
  readonly analysed?: readonly Judgement[];
  readonly failed?: { readonly reason: 'AnalysisFailed'; readonly message: string };
  readonly events?: readonly Announcement[];
  readonly tasks?: readonly TaskStep[];
  readonly lookAgainAt?: Instant;
}

/**
 * Judges a canary by a Job, or by what it answered in this reconcile. Pure.
 *
 * **Guarantees.** A judgment is of the pod (UID) and the revision that it runs, and of no other (S0.9). Silence is no judgment: it may be the network's, and is asked about
 * again until the deadline. A Job that has failed is one, at once: it has its own retries.
 */
export function analyse(member: Member, judged: Judged, now: Instant): Analysis {
  const { judgements, task, answer, failureThreshold } = judged;
  if (task) return byTask(member, { judgements, task }, now);
  const again = { lookAgainAt: now + askAgainMs };
  if (!answer) return { blockedBy: `${member.name} has not been asked yet`, ...again };
  const { message } = answer;
  if (answer.ok) return concluded(member, withJudgement(judgements, member, { result: 'Passed', message }, now), now);
  if (answer.silent === true) return { blockedBy: `${member.name}: ${message}`, ...again };
  const failures = (judgementOf(judgements, member)?.failures ?? 0) + 1;
  if (failures >= failureThreshold) {
    return concluded(member, withJudgement(judgements, member, { result: 'Failed', failures, message }, now), now);
  }
  return {
    blockedBy: `${member.name} answered ${failures} of ${failureThreshold} times with no: ${message}`,
    analysed: withJudgement(judgements, member, { failures, message }, now),
    ...again,
  };
}

function byTask(
  member: Member,
  { judgements, task }: { readonly judgements: Judged['judgements']; readonly task: TaskStep },
  now: Instant,
): Analysis {
  if (task.state === 'Running') return { tasks: [task], blockedBy: `the analysis of ${member.name} has not ended` };
  const result = task.state === 'Succeeded' ? 'Passed' : 'Failed';
  const analysed = withJudgement(judgements, member, { result, message: task.record.message ?? '' }, now);
  return { tasks: [task], ...concluded(member, analysed, now) };
}

function concluded(member: Member, analysed: readonly Judgement[], now: Instant): Analysis {
  const { result, message = '' } = judgementOf(analysed, member) ?? {};
  if (result === 'Failed') {
    const failed = { reason: 'AnalysisFailed', message: `the analysis of ${member.name} failed: ${message}` } as const;
    return { analysed, failed };
  }
  return {
    analysed,
    // A status write of our own starts no reconcile: the next member is released when we look again, at once, with the judgment recorded.
    lookAgainAt: now,
    events: [{ type: 'Normal', reason: 'CanaryPassed', note: `${member.name} passed its analysis` }],
  };
}
