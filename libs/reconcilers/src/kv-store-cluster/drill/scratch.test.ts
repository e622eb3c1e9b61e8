import type { KVStoreCluster } from '@ordinal/api';
import { expect, test } from 'vitest';
import { progressOfScratch } from './scratch.ts';

test('what the conditions of a scratch cluster say is bounded, for a condition of the cluster shows it', () => {
  const message = 'x'.repeat(32_768);
  const conditions = ['Progressing', 'Degraded'].map((type) => ({ type, reason: 'Failed', message }));
  const scratch = (phase: string) => ({ status: { phase, conditions } }) as unknown as KVStoreCluster; // What is read of one.
  expect(progressOfScratch(scratch('Pending'), true).message).toHaveLength(512);
  expect(progressOfScratch(scratch('Failed'), true).message).toHaveLength(512);
});
