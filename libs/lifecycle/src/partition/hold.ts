import { aheadFrom } from './ahead.ts';
import type { PartitionObservation } from './observation.ts';
import { everyMember } from './partitioned-set.ts';

/** What the StatefulSet should be for now. */
export interface Held {
  /** Its template: what is wanted, or the one that it has at present. */
  readonly template: 'wanted' | 'present';
  readonly partition: number;
}

/** What keeps every member as it is, and brings back as what it ran one that is missing. Pure. */
export function hold({ set, members, revision }: PartitionObservation): Held {
  const { applied, held, record } = set;
  const partition = aheadFrom(set);
  const asWanted: Held = { template: 'wanted', partition };
  if (applied === revision || partition === everyMember) return asWanted;
  // What was made again as it was before: who had gone ahead comes back as what is wanted.
  const isAsWanted = members.every((member) => member.ordinal < partition || member.revision === revision);
  if (applied === held && (record?.partition !== undefined || isAsWanted)) return asWanted;
  // An earlier upgrade goes back, or stands where it was left: with another template, who has gone ahead would follow at once.
  return { template: 'present', partition: applied === held ? set.partition : partition };
}

/** What releases no member that was not released before, of those up to this ordinal: those above have been, or have nothing to be asked. Pure. */
export function holdUpTo(ordinal: number, seen: PartitionObservation): Held {
  const ahead = aheadFrom(seen.set);
  if (seen.given !== undefined) return { template: 'wanted', partition: ordinal + 1 };
  if (ahead <= ordinal) return hold(seen);
  const released = seen.set.record?.partition ?? everyMember;
  return { template: 'wanted', partition: Math.min(ahead, Math.max(ordinal + 1, released)) };
}
