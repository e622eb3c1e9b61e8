import type { Instant } from '@ordinal/client';
import { instantOf, timestamp } from '@ordinal/client';
import { atTheLatest } from '../decision/index.ts';
import type { Member } from '../rollout/member.ts';

/** What is known of one pod that was judged. It counts for that pod and revision, and for no other (S0.9). */
export interface Judgement {
  readonly podUID: string;
  readonly pod?: string;
  readonly revision: string;
  /** Absent while it may still pass. */
  readonly result?: 'Passed' | 'Failed';
  /** How many attempts in a row have failed. */
  readonly failures?: number;
  readonly message?: string;
  /** When it was judged. */
  readonly at?: string;
}

/** The judgment of exactly this pod, running what it runs. Undefined where there is none. */
export const judgementOf = (
  judgements: readonly Judgement[] | undefined,
  { uid, revision }: Pick<Member, 'uid' | 'revision'>,
): Judgement | undefined =>
  judgements?.find((judgement) => judgement.podUID === uid && judgement.revision === revision);

/** The judgments with this one in place of an earlier one of the same pod. */
export function withJudgement(
  judgements: readonly Judgement[] | undefined,
  member: Member,
  judgement: Pick<Judgement, 'result' | 'failures' | 'message'>,
  now: Instant,
): readonly Judgement[] {
  const { uid: podUID, name: pod, revision } = member;
  const others = (judgements ?? []).filter((one) => one.podUID !== podUID);
  return [...others, { podUID, pod, revision, at: timestamp(now), ...judgement }];
}

/** How long a canary bakes, and since when that is recorded. */
export interface Bake {
  /** How long it has to stay ready, in milliseconds. */
  readonly bakeMs: number;
  /** When the step was recorded in which it bakes; absent where none is. */
  readonly recordedSince?: string | undefined;
}

/** When a canary has baked: counted from when it got ready or, where the clock was set back since, from when the step was recorded. Pure. */
export function bakedAt({ since }: Pick<Member, 'since'>, { bakeMs, recordedSince }: Bake, now: Instant): Instant {
  if (since <= now) return since + bakeMs;
  return atTheLatest(instantOf(recordedSince) ?? now, now) + bakeMs;
}

/** What an upgrade is known by. */
export interface Named {
  /** The revision that it leads to. */
  readonly revision: string;
  /** The version that it leads to. */
  readonly version: string;
  /** The version that runs; undefined where none did. */
  readonly runs: string | undefined;
}

/** Whether the value of an annotation names this upgrade: by the revision that it leads to, or by a version that does not run yet. */
export const namesUpgrade = (value: string | undefined, { revision, version, runs }: Named): boolean =>
  value !== undefined && (value === revision || (value === version && version !== runs));
