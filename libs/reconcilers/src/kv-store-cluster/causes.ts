import type { Member } from '@ordinal/lifecycle';

/** The sentence with what keeps the first of the members from getting ready that says so. */
export function withCauseOfMembers(members: readonly Member[], sentence: string): string {
  const first = members.find(({ cause, terminating }) => cause !== undefined && !terminating);
  return first === undefined ? sentence : `${sentence}; ${first.name}: ${first.cause ?? ''}`;
}
