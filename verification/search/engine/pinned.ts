import type { Fault } from '@ordinal/explorer';
import { replay } from '@ordinal/explorer';
import { expect } from 'vitest';
import type { Searched } from './searched.ts';

/** A history that once broke an invariant: its seed, and what struck in it. */
export interface PinnedHistory {
  readonly seed: number;
  readonly faults: readonly Fault[];
}

/** Expects of a pinned history that it breaks no invariant of its scenario, and of any operator. */
export async function expectNoViolation(searched: Searched, history: PinnedHistory): Promise<void> {
  const { violations } = await replay({ ...searched, ...history });
  expect(violations).toEqual([]);
}
