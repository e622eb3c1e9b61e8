import type { KVStoreClusterSpec } from '@ordinal/api';
import { describe, expect, test } from 'vitest';
import { problemsOf } from './validate.ts';

/** A cluster in which every duration that there is says this. */
function lasting(duration: string): KVStoreClusterSpec {
  const job = { command: ['run'], deadline: duration };
  return {
    ...{ version: '1.0', replicas: 3, image: 'kv', storage: { size: '1Gi' } },
    upgrade: { progressDeadline: duration, beforeFirstPod: job },
    scaleDown: { before: job },
    delete: { before: job },
    canary: { replicas: 1, bake: duration, analysis: { timeout: duration, failureThreshold: 3, job } },
    backup: { job, onDelete: 'Required' },
    restoreFrom: { backup: 'monday', job },
  } as unknown as KVStoreClusterSpec; // With the fields that are looked at.
}

const durations = [
  ...['upgrade.progressDeadline', 'upgrade.beforeFirstPod.deadline', 'scaleDown.before.deadline'],
  ...['delete.before.deadline', 'canary.bake', 'canary.analysis.timeout', 'canary.analysis.job.deadline'],
  ...['backup.job.deadline', 'restoreFrom.job.deadline'],
].map((field) => `spec.${field}`);

describe('the durations of a spec', () => {
  test.each([
    ['soon', 'write it like'],
    ['8761h', 'longer than a year'],
    // Found by a reader: no date holds its end, and every reconcile failed of it.
    ['9999999999h', 'longer than a year'],
  ])('are refused where they are %s', (duration, message) => {
    const problems = problemsOf(lasting(duration));
    expect(problems.map(({ field }) => field)).toEqual(durations);
    for (const problem of problems) expect(problem.message).toContain(message);
  });

  test('may be as long as a year', () => {
    expect(problemsOf(lasting('8760h'))).toEqual([]);
  });
});
