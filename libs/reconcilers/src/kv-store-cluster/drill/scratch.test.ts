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

// Found by the search: what is left of the scratch cluster before it still had the name, and the drill had failed.
test.each([
  ['Waiting', 'NameTaken'],
  ['Failed', 'InvalidSpec'],
])('a scratch cluster is %s that has failed because of %s', (state, reason) => {
  const conditions = [{ type: 'Degraded', reason, message: 'why' }];
  const scratch = { status: { phase: 'Failed', conditions } } as unknown as KVStoreCluster; // What is read of one.
  expect(progressOfScratch(scratch, true)).toEqual({ state, message: `${reason}: why` });
});
