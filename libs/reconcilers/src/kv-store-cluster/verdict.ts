import type { KVStoreClusterStatus } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import type { Action, Announcement, CheckResult, Member, Question, Remembered, TaskStep } from '@ordinal/lifecycle';
import type { PodTemplate } from './observation.ts';

/** What an upgrade's record in the status holds. */
export type UpgradeRecord = NonNullable<KVStoreClusterStatus['upgrade']>;

/** What is about members that are asked. */
export interface Asked {
  /** What gates ask for, such as their Jobs. */
  readonly actions?: readonly Action[];
  /** What members must be asked before more can be decided. */
  readonly ask?: readonly Question[];
  /** What came of the checks, where they keep a member. */
  readonly check?: CheckResult;
  /** What of single members the status keeps, for the next look. */
  readonly remembered?: Remembered;
}

/** What a strategy says about the next step. */
export interface Verdict extends Asked {
  /** The template that stays for now; undefined: the one that the spec asks for. */
  readonly template?: PodTemplate | undefined;
  readonly partition: number;
  readonly step:
    | 'Replacing'
    | 'Baking'
    | 'Analysing'
    | 'AwaitingPromotion'
    | 'Paused'
    | 'BeforeFirstPod'
    | 'Completing'
    | 'HandingOff'
    | 'AwaitingGate'
    | 'AwaitingSync';
  readonly pod?: string;
  /** The UID of the member that is asked. */
  readonly podUID?: string;
  readonly blockedBy?: string;
  /** The command that would let it continue, where it waits for a person. */
  readonly release?: string;
  readonly analysed?: NonNullable<UpgradeRecord['analysed']>;
  readonly failed?: { readonly reason: string; readonly message: string };
  readonly events?: readonly Announcement[];
  readonly tasks?: readonly TaskStep[];
  readonly lookAgainAt?: Instant;
  /** Members that are deleted, and not released. */
  readonly replace?: readonly Member[];
}
