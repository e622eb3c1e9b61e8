import type { Member } from '@ordinal/lifecycle';

/** What keeps a member from getting ready, as what a step waits for; nothing where it starts as usual, or is on its way out. */
export const waitsFor = (member: Member | undefined): { readonly blockedBy?: string } =>
  member?.cause === undefined || member.terminating ? {} : { blockedBy: member.cause };

/** The same sentence with what keeps the first of the members from getting ready that says so. */
export function withCauseOfMembers(members: readonly Member[], sentence: string): string {
  const first = members.find(({ cause, terminating }) => cause !== undefined && !terminating);
  return first === undefined ? sentence : `${sentence}; ${first.name}: ${first.cause ?? ''}`;
}
