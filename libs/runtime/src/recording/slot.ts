import type { Clock, Instant, ObjectKey } from '@ordinal/client';
import type { ControllerDefinition } from '../builder/definition.ts';
import type { Notes } from './notes.ts';

/** What is noted of a reconcile while it runs: references alone, so that it costs next to nothing. Objects of caches are frozen, and decisions are not changed. */
export interface Slot {
  readonly definition: Pick<ControllerDefinition, 'name' | 'primary'>;
  readonly key: ObjectKey;
  /** Where the time comes from, which is not noted. */
  readonly clock: Clock;
  readonly at: Instant;
  readonly failures: number;
  readonly restoredAt: Instant | undefined;
  readonly notes: Notes;
  tookMs: number;
  result: { readonly requeueAfterMs?: number | undefined; readonly error?: unknown };
  cutOff: boolean;
  /** About how many bytes it keeps alive when it has ended, beside the objects that it has seen. */
  weight: number;
}
