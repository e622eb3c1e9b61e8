import type { Instant } from '@ordinal/client';
import { analyse, bakedAt } from '@ordinal/lifecycle';
import type { Answer, Judgement, Member } from '@ordinal/lifecycle';

const bakeMs = 5 * 60_000;

/** What keeps the canary from passing, and what is to be recorded of it before anything rests on that. */
export function judge(
  canary: Member,
  seen: { readonly judgements: readonly Judgement[]; readonly answer: Answer | undefined },
  now: Instant,
): { readonly blockedBy?: string; readonly judgements: readonly Judgement[] } {
  const { judgements } = seen;
  if (now < bakedAt(canary, { bakeMs }, now)) return { blockedBy: 'it has not been ready for 5 minutes', judgements };
  const { failed, blockedBy = failed?.message, analysed } = analyse(canary, { ...seen, failureThreshold: 3 }, now);
  return { ...(blockedBy === undefined ? {} : { blockedBy }), judgements: analysed ?? judgements };
}
