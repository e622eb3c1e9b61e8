import type { Instant } from '@ordinal/client';
import type { Action } from '../decision/index.ts';
import type { TaskStep } from '../task/index.ts';
import type { CanaryPolicy } from './canary-policy.ts';
import type { Waiting } from './ask-again.ts';
import type { Member } from './member.ts';
import type { RolloutPolicy } from './policy.ts';
import type { Step } from './step.ts';

/** A member that went down, and whose replacement has not said yet that it has caught up. */
export interface Awaited {
  readonly ordinal: number;
  /** The pod that was deleted; undefined where the operator did not see it. */
  readonly podUID?: string;
}

/** Where an upgrade stood when it was last recorded. */
export interface Progress {
  readonly revision: string;
  readonly startedAt: Instant;
  /** When the last member came back as it should be: the deadline counts from here. */
  readonly lastProgressAt: Instant;
  /** How many of the members that stay have been so at most at a time: one that flaps is not progress each time that it comes back. */
  readonly updated: number;
  readonly step: Step;
  /** Since when it has been at this step, with this member. */
  readonly since?: Instant;
  readonly pod?: string;
  readonly podUID?: string;
  /** A user had paused it then: it had no deadline, whatever its step was. */
  readonly isSuspended?: boolean;
  /** What held it up then: the last answer of a gate or check, or what kept a member from getting ready. */
  readonly blockedBy?: string;
}

/** Something that must be asked before the next step can be decided. */
export type Question =
  /** Does this member lead? */
  | { readonly about: 'role'; readonly of: Member }
  /** Has this member all data? */
  | { readonly about: 'sync'; readonly of: Member }
  /** Hand over what you have. It changes the world, but may be repeated. */
  | { readonly about: 'handoff'; readonly of: Member }
  /** Is this member good, as what it runs now? */
  | { readonly about: 'analysis'; readonly of: Member }
  /** May the candidate go down? Asked of `of`. */
  | { readonly about: 'gate'; readonly gate: string; readonly of: Member; readonly candidate: Member };

/** What came of asking. */
export interface RolloutAnswer {
  readonly ok: boolean;
  readonly message: string;
  /** No pod answered which one leads, or none was asked: it is no, but only because it is not known. */
  readonly unknown?: boolean;
  /** No answer came: the check could not be run. */
  readonly silent?: boolean;
  /** An answer came that says neither yes nor no. */
  readonly unusable?: boolean;
  /** How the Job stands that is asked: it has failed, or there is no answer of it yet. */
  readonly job?: 'failed' | 'pending';
  /** What must be done to get an answer, such as creating a Job. */
  readonly actions?: readonly Action[];
  /** When asking again makes sense; absent: soon. */
  readonly lookAgainAt?: Instant;
}

/** All that a step of a rollout is decided from: what the spec says (`policyOf`), and what was seen. */
export interface RolloutObservation extends RolloutPolicy {
  /** In the order of their ordinals. */
  readonly members: readonly Member[];
  /** How many members the StatefulSet keeps at present. */
  readonly replicas: number;
  /** How many there should be in the end; fewer than `replicas` while the set shrinks. */
  readonly wantedReplicas: number;
  /** The revision that every member should run. */
  readonly revision: string;
  /** The finalizer by which a member's name is kept from being taken again before we agree. It does not keep its process alive. Empty where members are not held. */
  readonly finalizer: string;
  /** During a rollback, the revision that is undone: its members that do not work are what has to be repaired. */
  readonly failedRevision?: string;
  readonly progress?: Progress;
  /** The StatefulSet's controller has seen what is wanted: what it creates from now on is current. */
  readonly setIsCurrent: boolean;
  /** The ordinals of those that went alone, and are not back yet by the status. */
  readonly alone?: readonly number[];
  /** How far the Job has come that must succeed before the first member is replaced; absent where there is none, or its success is on record. */
  readonly hook?: TaskStep;
  /** How canaries are judged; absent where none are: nothing ran before, it is gone back, or the spec asks for none. */
  readonly canary?: CanaryPolicy;
  /** The annotation by which a user has ended this upgrade; absent where none has. */
  readonly abortedBy?: string;
  /** What has been waited for, and since when; absent where nothing is on record. */
  readonly waiting?: Waiting;
  /** The UIDs of members whose gates a user has opened by hand. */
  readonly openedFor?: readonly string[];
  /** The UID of a member that another client was allowed to delete (a drain, a deletion by hand) and that is not seen to terminate yet; no other member goes down while it stands here. */
  readonly reserved?: string;
  /** The set creates its members in order, each when those below are ready (`OrderedReady`). */
  readonly isOrdered?: boolean;
  /** The UID of the member whose hand-off is done, also where no upgrade is under way. */
  readonly handedOff?: string;
  /** Ordinals whose pods are there, and which the StatefulSet has not taken up (again). */
  readonly unclaimed?: readonly number[];
  /** All members were there once: one that is away has been, and comes back without its data. */
  readonly hasRun?: boolean;
  /** Whose replacements have not said yet that they have caught up, also where no upgrade is under way. */
  readonly catchingUp?: readonly Awaited[];
  /** The member that another client was last allowed to delete, and that is gone, seen or not. Its replacement is asked before another member is deleted. */
  readonly lastReserved?: Awaited;
  /** Undefined where it has not been asked yet. */
  readonly answer: (question: Question) => RolloutAnswer | undefined;
}

/** What decides whether two questions are the same. */
export function questionKey(question: Question): string {
  const gate = question.about === 'gate' ? `${question.gate}/${question.candidate.uid}/` : '';
  return `${question.about}/${gate}${question.of.uid}`;
}
