import type { KVStoreClusterSpec } from '@ordinal/api';
import { describe, expect, test } from 'vitest';
import { validateKVStoreCluster } from './validate.ts';

/** A cluster in which every duration that there is says this. */
function lasting(duration: string): KVStoreClusterSpec {
  const job = { command: ['run'], deadline: duration };
  return {
    ...{ version: '1.0', replicas: 3, image: 'kv', storage: { size: '1Gi' } },
    upgrade: { progressDeadline: duration, beforeFirstPod: job },
    scaleDown: { before: job },
    delete: { before: job },
    canary: { replicas: 1, bake: duration, analysis: { timeout: duration, failureThreshold: 3, job } },
    backup: { job, onDelete: 'Required', drill: { check: job, restore: job, deadline: duration } },
    restoreFrom: { backup: 'monday', job },
  } as unknown as KVStoreClusterSpec; // With the fields that are looked at.
}

const durations = [
  ...['upgrade.progressDeadline', 'upgrade.beforeFirstPod.deadline', 'scaleDown.before.deadline'],
  ...['delete.before.deadline', 'canary.bake', 'canary.analysis.timeout', 'canary.analysis.job.deadline'],
  ...['backup.job.deadline', 'restoreFrom.job.deadline'],
  ...['backup.drill.deadline', 'backup.drill.check.deadline', 'backup.drill.restore.deadline'],
].map((field) => `spec.${field}`);

describe('the durations of a spec', () => {
  test.each([
    ['soon', 'write it like'],
    ['8761h', 'longer than a year'],
    // Found by a reader: no date holds its end, and every reconcile failed of it.
    ['9999999999h', 'longer than a year'],
  ])('are refused where they are %s', (duration, message) => {
    const errors = validateKVStoreCluster({ spec: lasting(duration) });
    expect(errors.map(({ path }) => path)).toEqual(durations);
    for (const error of errors) expect(error.message).toContain(message);
  });

  test('may be as long as a year', () => {
    expect(validateKVStoreCluster({ spec: lasting('8760h') })).toEqual([]);
  });
});

describe('a restore drill', () => {
  const { restoreFrom, ...spec } = lasting('1m');
  const job = { command: ['run'], deadline: '1m', retries: 0 };
  const errorsAt = (drill: object, more: object = {}): readonly string[] =>
    validateKVStoreCluster({
      spec: {
        ...spec,
        ...more,
        backup: { job, onDelete: 'Skip', drill: { check: job, ...drill } },
      } as unknown as KVStoreClusterSpec, // With the fields that are looked at.
    }).map(({ path }) => path);

  test('needs a Job that restores, its own or that of restoreFrom', () => {
    expect(errorsAt({})).toEqual(['spec.backup.drill.restore']);
    expect(errorsAt({ restore: job })).toEqual([]);
    expect(errorsAt({}, { restoreFrom })).toEqual([]);
  });

  test('has volumes of a size', () => {
    expect(errorsAt({ restore: job, storage: { size: 'large' } })).toEqual(['spec.backup.drill.storage.size']);
    expect(errorsAt({ restore: job, storage: { size: '1Gi' } })).toEqual([]);
  });
});

test('the checks of members are held to the same rules as those of a cache', () => {
  const upgrade = {
    gates: [{ name: 'lag', target: 'Self', metric: { name: 'lag', max: '1' } }],
    handoff: { exec: { command: ['go'], container: 'sidecar' }, timeout: '0s' },
    askAgain: { max: 'soon' },
  };
  const spec = { version: '1.0', replicas: 3, storage: { size: '1Gi' }, upgrade } as unknown as KVStoreClusterSpec; // With the fields that are looked at.
  const errors = validateKVStoreCluster({ spec });
  expect(errors.map(({ path }) => path)).toEqual([
    'spec.upgrade.askAgain.max',
    'spec.upgrade.gates[0].metric.port',
    'spec.upgrade.handoff.timeout',
    'spec.upgrade.handoff.exec.container',
  ]);
  const podTemplate = { spec: { containers: [{ name: 'sidecar' }] } };
  const repaired = { ...spec, port: 6379, podTemplate, upgrade: { ...upgrade, askAgain: { max: '5s' } } };
  const left = validateKVStoreCluster({ spec: repaired as unknown as KVStoreClusterSpec });
  expect(left.map(({ path }) => path)).toEqual(['spec.upgrade.handoff.timeout']);
});
