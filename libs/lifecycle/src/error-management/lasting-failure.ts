import type { Condition, Instant } from '@ordinal/client';
import { conditionOf, withFindings } from '@ordinal/client';
import type { Announcement, Decision } from '../decision/index.ts';
import { earliest } from '../decision/index.ts';
import { longestRetryMs, reportAgainMs } from './error-management.ts';

/** Something that fails while the rest of the object is as it should be, such as a Job or a check. */
export interface LastingFailure {
  /** UpperCamelCase: what fails. */
  readonly reason: string;
  /** What fails, of which object, why, and the command that helps. */
  readonly message: string;
}

/** What fails now, and where that is reported. */
export interface LastingFailures {
  /** The type of the condition, which is true while something fails and not there otherwise. */
  readonly type: string;
  readonly failures: readonly LastingFailure[];
  /** The event of a failure. Its note is the message. */
  readonly eventOf: (note: string) => Announcement;
}

/**
 * The decision with what fails in it: as a condition of its own in the status, and as an event for each failure. Pure.
 *
 * **Guarantees.** The condition has the reason of the first failure and the messages of all. Its `lastTransitionTime` does not move while something fails. An event goes with the write that
 * shows a failure first, and with every later look at most every half hour; while something fails, there is such a look.
 */
export function withLastingFailures<C>(
  decision: Decision<C>,
  { type, failures, eventOf }: LastingFailures,
  now: Instant,
): Decision<C> {
  const { status: write } = decision;
  if (write === undefined) return decision;
  const { conditions = [] } = write.status as WithConditions;
  const others = conditions.filter((condition) => condition.type !== type);
  const [first] = failures;
  if (first === undefined)
    return others.length === conditions.length
      ? decision
      : { ...decision, status: { ...write, status: { ...write.status, conditions: others } } };
  const before = conditionOf((write.object.status as WithConditions | undefined)?.conditions, type);
  const message = failures.map((failure) => failure.message).join('; ');
  const finding = { type, status: 'True', reason: first.reason, message } as const;
  const at = { now, generation: write.object.metadata.generation };
  const shown = withFindings(before && [before], [finding], at);
  return {
    ...decision,
    status: { ...write, status: { ...write.status, conditions: [...others, ...shown] } },
    events: [...(decision.events ?? []), ...failures.map((failure) => repeatedly(eventOf(failure.message), before))],
    lookAgainAt: earliest(decision.lookAgainAt, now + longestRetryMs) ?? now,
  };
}

/** A status that has conditions, as every kind's has that uses this. */
interface WithConditions {
  readonly conditions?: readonly Condition[];
}

/** The event: at once where its note does not stand in the condition yet, and from then on rarely. */
function repeatedly(event: Announcement, before: Condition | undefined): Announcement {
  const isReported = before?.status === 'True' && before.message.includes(event.note);
  return isReported ? { ...event, atMostEveryMs: reportAgainMs } : event;
}
