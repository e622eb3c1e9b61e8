import type { Instant } from '@ordinal/client';
import { conditionOf } from '@ordinal/client';
import type { Decision } from '@ordinal/lifecycle';
import { gateBypassed, withBypassesReported } from '../gate-bypasses.ts';
import type { Observation } from './observation.ts';
import { bypasses } from './reserved.ts';

/**
 * The decision with what others have done past the gates, in condition and event. `ofScale`: what one has done to the size of the StatefulSet, where that is new. A member that ends is named
 * in an event once: from then on the condition has its sentence. Who edits the condition can leave out an event so, and nothing else: condition and gauge say it then. Pure.
 */
export function withBypasses<D extends Decision>(
  decision: D,
  { seen, ofScale }: { readonly seen: Observation; readonly ofScale: string | undefined },
  now: Instant,
): D {
  const before = conditionOf(seen.cluster.status?.conditions, gateBypassed);
  const known = new Set(before?.status === 'True' ? before.message.split('; ') : []);
  const present = bypasses(seen);
  const found = {
    object: seen.cluster,
    bypasses: [...present.filter((sentence) => !known.has(sentence)), ...(ofScale === undefined ? [] : [ofScale])],
    reported: present.filter((sentence) => known.has(sentence)),
  };
  return withBypassesReported(decision, found, now);
}
