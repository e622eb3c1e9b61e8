import type { Pod } from '@ordinal/client';
import type { Answers, GateJobs, MemberChecks, RolloutObservation, RolloutPolicy } from '@ordinal/lifecycle';
import { answerTo, policyOf, recordedOn } from '@ordinal/lifecycle';
import { memberAnnotations } from './annotations.ts';

/** An object whose members are asked before they go, and how. */
export interface Asked {
  readonly object: Parameters<typeof recordedOn>[0] & { readonly status?: { readonly currentRevision?: string } };
  /** How many members the spec asks for. */
  readonly wantedReplicas: number;
  readonly pods: readonly Pod[];
  /** What the spec says of upgrades, and how members are asked. */
  readonly checks: MemberChecks;
  readonly gateJobs: GateJobs;
  /** The UID of the member that another client may delete now. */
  readonly reserved: string | undefined;
}

/** What is observed in the same way in every kind. */
type ObservedAsked = Pick<
  RolloutObservation,
  keyof RolloutPolicy | 'wantedReplicas' | 'hasRun' | 'answer' | 'reserved'
> &
  ReturnType<typeof recordedOn>;

/** What the rules of a rollout know from the spec, from the members' answers, and from what stands on the object: the same whether pods are deleted or a partition is moved. */
export function observeAsked(asked: Asked, answers: Answers): ObservedAsked {
  const { object, wantedReplicas, pods, checks, gateJobs: jobs, reserved } = asked;
  return {
    ...policyOf(checks, wantedReplicas),
    wantedReplicas,
    hasRun: object.status?.currentRevision !== undefined,
    answer: (question) => answerTo(question, { checks, answers, jobs }),
    ...recordedOn(object, pods, memberAnnotations),
    ...(reserved === undefined ? {} : { reserved }),
  };
}
