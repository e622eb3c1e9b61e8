import type { Condition } from '@ordinal/client';
import type { EventRecord } from '@ordinal/runtime';

/** An event that was decided, with the virtual time. */
export interface Published extends Pick<EventRecord, 'type' | 'reason' | 'note' | 'atMostEveryMs'> {
  readonly at: number;
}

/** The warnings that are published: what lasts is decided at each look, and left out until its time. */
export function published(events: readonly Published[], reason: string): readonly Published[] {
  const last = new Map<string, number>();
  return events.filter(({ type, reason: of, note, at, atMostEveryMs = 0 }) => {
    if (type !== 'Warning' || of !== reason || at < (last.get(note) ?? -Infinity) + atMostEveryMs) return false;
    last.set(note, at);
    return true;
  });
}

/** The condition of a type. */
export const conditionIn = (conditions: readonly Condition[] | undefined, type: string) =>
  conditions?.find((one) => one.type === type);

/** Who the operator of a world is. */
export const operators: ReadonlySet<string> = new Set(['system:serviceaccount:operators:ordinal']);
