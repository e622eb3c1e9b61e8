import { controllerOf } from '@ordinal/client';
import type { Member } from '@ordinal/lifecycle';
import { unreadyCause } from '@ordinal/lifecycle';
import type { Observation } from './observation.ts';

/** The same sentence with what keeps a Job's pod from running, where something does: an image that can't be pulled, no node that takes it. */
export function withCauseOfJob({ taskPods }: Observation, job: string, sentence: string): string {
  const atWork = taskPods.filter(
    (pod) => controllerOf(pod)?.name === job && pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed',
  );
  const cause = atWork.map(unreadyCause).find((text) => text !== undefined);
  return cause === undefined ? sentence : `${sentence}; ${cause}`;
}

/** What keeps a member from getting ready, as what a step waits for; nothing where it starts as usual, or is on its way out. */
export const waitsFor = (member: Member | undefined): { readonly blockedBy?: string } =>
  member?.cause === undefined || member.terminating ? {} : { blockedBy: member.cause };

/** The same sentence with what keeps the first of the members from getting ready that says so. */
export function withCauseOfMembers(members: readonly Member[], sentence: string): string {
  const first = members.find(({ cause, terminating }) => cause !== undefined && !terminating);
  return first === undefined ? sentence : `${sentence}; ${first.name}: ${first.cause ?? ''}`;
}
