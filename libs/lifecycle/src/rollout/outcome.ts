import type { Instant } from '@ordinal/client';
import { pods } from '@ordinal/client';
import type { Action, Announcement } from '../decision/index.ts';
import { earliest } from '../decision/index.ts';
import { checkIntervalMs, failureIntervalMs, gateIntervalMs, pauseAfter } from './ask-again.ts';
import type { Judgement } from '../canary/judgement.ts';
import type { TaskStep } from '../task/index.ts';
import type { Answered, FailedCheck } from './failed-check.ts';
import { checkName, failedCheckIn } from './failed-check.ts';
import type { Member, MemberInFlight } from './member.ts';
import type { Question, RolloutAnswer, RolloutObservation } from './observation.ts';
import type { Step } from './step.ts';

/** Why an upgrade has failed. */
export interface Failure {
  /** In one word. */
  readonly reason: string;
  /** For people. */
  readonly message: string;
}

/** What is to be done next, and how to tell it. */
export interface RolloutOutcome {
  readonly step: Step;
  readonly message: string;
  readonly member?: Member;
  /** The name of the pod, where the member itself is not known, or is not recorded. */
  readonly pod?: string;
  readonly blockedBy?: string;
  /** Other members that are about to go, and what keeps them. */
  readonly beside?: readonly MemberInFlight[];
  /** Its member goes alone, where several may go at a time. */
  readonly alone?: true;
  /** The check that it waits for, where that can't be run or its Job has failed. */
  readonly failedCheck?: FailedCheck;
  /** It waits for the Job of a check: whether that fails again is not known yet. */
  readonly isCheckPending?: true;
  /** What would release it: `gate` by hand, a `retry` of a failed upgrade, a `promotion` of canaries, or the end of a `pause`. */
  readonly release?: 'gate' | 'retry' | 'promotion' | 'pause';
  readonly actions: readonly Action[];
  /** How many members the StatefulSet should keep from now on, where that changes. */
  readonly replicas?: number;
  /** From which ordinal on members may be made of what is wanted, where a partition holds the others. */
  readonly partition?: number;
  /** What must be asked before more can be decided, where a partition holds the others meanwhile. */
  readonly ask?: readonly Question[];
  /** No member is asked, as this one does not serve: the API server itself has to show that. */
  readonly unasked?: boolean;
  /** The UID of the member whose hand-off is done. */
  readonly handedOff?: string;
  readonly events?: readonly Announcement[];
  /** Why the upgrade fails, where it does so now. */
  readonly failed?: Failure;
  /** All judgments of canaries, where there is a new one: to be recorded before they are acted on. */
  readonly analysed?: readonly Judgement[];
  /** The Jobs that this step runs or waits for: to be recorded before their actions are carried out. */
  readonly tasks?: readonly TaskStep[];
  readonly lookAgainAt?: Instant;
}

/** Either the next step, or what must be asked before it can be decided. */
export type Verdict = { readonly ask: readonly Question[] } | { readonly outcome: RolloutOutcome };

/** One consideration. Silent (undefined) where it has nothing to say. */
export type Rule<Seen extends RolloutObservation = RolloutObservation> = (
  seen: Seen,
  now: Instant,
) => Verdict | undefined;

/** Whether a member runs what it should. */
export function isCurrent(member: Member, seen: RolloutObservation): boolean {
  return member.revision === seen.revision;
}

/** Whether every member that is to stay is there, and none runs anything else than it should. One that is missing may yet be made of something else. */
export function areAllCurrent(seen: RolloutObservation): boolean {
  const { members, wantedReplicas } = seen;
  const staying = members.filter((member) => isKept(member, seen));
  return staying.length >= wantedReplicas && members.every((member) => isCurrent(member, seen));
}

/** Whether a member is to stay when the set has become as small as it should be. */
export function isKept({ ordinal }: Pick<Member, 'ordinal'>, { wantedReplicas }: RolloutObservation): boolean {
  return ordinal < wantedReplicas;
}

/** Deletes exactly this pod as it was seen: where it has changed since (recovered, released, deleted by others), it is decided about again (I9). */
export function takeDown(member: Member, because: string): Action {
  return { kind: 'delete', descriptor: pods, target: member, resourceVersion: member.resourceVersion, because };
}

/** By what members are held. */
type Holding = Pick<RolloutObservation, 'finalizer'>;

/** Keeps the member's name from being taken again. */
export function hold(member: Member, because: string, { finalizer }: Holding): Action {
  return { kind: 'addFinalizer', descriptor: pods, target: member, finalizer, because };
}

/** Lets the member's name be taken again, whatever of the rest can't be done (I3). */
export function release(member: Member, because: string, { finalizer }: Holding): Action {
  return {
    kind: 'removeFinalizer',
    descriptor: pods,
    target: member,
    finalizer,
    // A pod that ends is written by its node all the time.
    whateverElseChanged: true,
    needs: 'nothing',
    because,
  };
}

/** A step, as a verdict. */
export function proceed(
  step: Step,
  message: string,
  rest: Partial<Omit<RolloutOutcome, 'step' | 'message'>> = {},
): Verdict {
  return { outcome: { actions: [], step, message, ...rest } };
}

/** The answers to all questions, or what is still to be asked. */
export function answersTo(
  questions: readonly Question[],
  seen: RolloutObservation,
):
  | { readonly ask: readonly Question[] }
  | { readonly answers: readonly (RolloutAnswer & { readonly question: Question })[] } {
  const known = questions.map((question) => ({ question, answer: seen.answer(question) }));
  const unknown = known.filter(({ answer }) => answer === undefined).map(({ question }) => question);
  if (unknown.length > 0) return { ask: unknown };
  return { answers: known.flatMap(({ question, answer }) => (answer ? [{ ...answer, question }] : [])) };
}

/** What these members say of themselves, or what is still to be asked. */
export const answersOf = (
  about: 'role' | 'sync',
  members: readonly Member[],
  seen: RolloutObservation,
): ReturnType<typeof answersTo> =>
  answersTo(
    members.map((of) => ({ about, of })),
    seen,
  );

/** How long this answer has been waited for, in milliseconds: since the step, and its member, are on record. */
function waitedMs(step: Step, { seen: { waiting }, now, member }: Blocked): number {
  const isSame =
    waiting?.step === undefined || (waiting.step === step && (waiting.podUID ?? member?.uid) === member?.uid);
  return waiting && isSame ? now - waiting.since : 0;
}

/** When to ask again, by how long it has been waited for, and whether anyone has answered. */
function askAgainAt(step: Step, no: Answered, rest: Blocked): Instant {
  const { maxMs, maxAtGateMs, maxAfterFailureMs } = rest.seen.askAgain ?? {
    maxMs: checkIntervalMs,
    maxAtGateMs: gateIntervalMs,
    maxAfterFailureMs: failureIntervalMs,
  };
  const afterNoMs = no.question.about === 'gate' && no.job === undefined ? maxAtGateMs : maxMs;
  return rest.now + pauseAfter(waitedMs(step, rest), no.unknown || no.silent ? maxAfterFailureMs : afterNoMs);
}

/** What a standstill is decided from, beside the answer. */
interface Blocked extends Partial<RolloutOutcome> {
  readonly now: Instant;
  readonly seen: RolloutObservation;
  /** All answers, where there are more than the one that is shown: another check may be the one that has failed. */
  readonly answers?: readonly Answered[];
}

/** Stands still because of answers: shows the first that is no, does what the others ask for, and asks again in time. */
export function blocked(step: Step, no: Answered, rest: Blocked): Verdict {
  const { now, seen: _seen, answers = [no], ...more } = rest;
  const { question, message } = no;
  return proceed(step, more.message ?? `${more.member?.name ?? 'a member'} may not go down yet`, {
    blockedBy: `${checkName(question)}: ${question.of.name}: ${message}`,
    ...failedCheckIn(answers, waitedMs(step, rest)),
    lookAgainAt: earliest(no.lookAgainAt, askAgainAt(step, no, rest)) ?? now,
    ...more,
    actions: [...(more.actions ?? []), ...(no.actions ?? [])],
  });
}

/** The check among these that has failed where a step waits for something else than a single answer. */
export const failedAmong = (
  answers: readonly Answered[],
  step: Step,
  rest: Blocked,
): ReturnType<typeof failedCheckIn> => failedCheckIn(answers, waitedMs(step, rest));
