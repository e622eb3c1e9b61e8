import type { Instant } from '@ordinal/client';
import type { Announcement, TaskStep } from '@ordinal/lifecycle';
import type { PodTemplate } from './observation.ts';
import type { UpgradeRecord } from './upgrade-record.ts';

/** What a strategy says about the next step. */
export interface Verdict {
  /** The template that stays for now; undefined: the one that the spec asks for. */
  readonly template?: PodTemplate | undefined;
  readonly partition: number;
  readonly step:
    'Replacing' | 'Baking' | 'Analysing' | 'AwaitingPromotion' | 'Paused' | 'BeforeFirstPod' | 'Completing';
  readonly pod?: string;
  readonly blockedBy?: string;
  /** The command that would let it continue, where it waits for a person. */
  readonly release?: string;
  readonly analysed?: NonNullable<UpgradeRecord['analysed']>;
  readonly failed?: { readonly reason: string; readonly message: string };
  readonly events?: readonly Announcement[];
  readonly tasks?: readonly TaskStep[];
  readonly lookAgainAt?: Instant;
}
