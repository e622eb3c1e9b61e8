import type { Member } from '../rollout/member.ts';

/** Where an upgrade by a partition has come to. */
export interface Frontier {
  readonly ordinal: number;
  /** Undefined while it is not there. */
  readonly member: Member | undefined;
}

/**
 * The highest of this many ordinals that is not done, or is not there: it goes next, or is awaited, and those below it are held. Undefined where all are done. Pure.
 */
export function frontierOf(
  size: number,
  members: readonly Member[],
  isDone: (member: Member) => boolean,
): Frontier | undefined {
  const byOrdinal = new Map(members.map((member) => [member.ordinal, member]));
  for (let ordinal = size - 1; ordinal >= 0; ordinal -= 1) {
    const member = byOrdinal.get(ordinal);
    if (member === undefined || !isDone(member)) return { ordinal, member };
  }
  return undefined;
}
