import { expect, test } from 'vitest';
import { contradictionsIn } from '../../../libs/reconcilers/test/world/phase-and-conditions.ts';

const store = (phase: string, reason: string) => ({
  phase,
  conditions: [{ type: 'Degraded', status: 'True' as const, reason, message: '', lastTransitionTime: '' }],
});

test.each([
  ['Failed', 'FinalBackupFailed'],
  ['Failed', 'BeforeDeleteFailed'],
  // The deletion goes on: nothing of it fails.
  ['Terminating', 'FinalBackupLeftOut'],
])('a cluster in the phase %s may be degraded by %s', (phase, reason) => {
  expect(contradictionsIn('KVStoreCluster', store(phase, reason))).toEqual([]);
});

test.each([
  ['Terminating', 'FinalBackupFailed'],
  ['Terminating', 'BeforeDeleteFailed'],
  ['Upgrading', 'FinalBackupLeftOut'],
  ['Upgrading', 'ScaleDownFailed'],
])('a cluster in the phase %s is not degraded by %s', (phase, reason) => {
  expect(contradictionsIn('KVStoreCluster', store(phase, reason))).toEqual([
    'Degraded is true, in a phase that is not Failed',
  ]);
});
