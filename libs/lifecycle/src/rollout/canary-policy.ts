import type { Judgement } from '../canary/judgement.ts';
import type { TaskStep } from '../task/index.ts';
import type { Member } from './member.ts';

/** How the members that are replaced first are judged before the others follow. */
export interface CanaryPolicy {
  /** How many are canaries: the first that are replaced, in any order. */
  readonly replicas: number;
  /** How long each of them has to stay ready, in milliseconds. */
  readonly bakeMs: number;
  /** How each member that is replaced is judged then, also those that follow. Absent: a canary that has baked has passed. */
  readonly analysis?: {
    readonly failureThreshold: number;
    /** The Job that judges this member, as far as it has come. Absent: the member itself is asked. */
    readonly task?: (member: Member) => TaskStep;
  };
  /** The judgments that are on record, of this upgrade. */
  readonly judgements: readonly Judgement[];
  /** The others may follow: promotion is automatic, or a user has promoted this very upgrade. */
  readonly isPromoted: boolean;
  /** The annotation that would end the upgrade, with its value, as it is shown to users. */
  readonly abortBy: string;
}
