import type { Job } from '@ordinal/client';
import { timestamp } from '@ordinal/client';
import { describe, expect, test } from 'vitest';
import type { TaskSeen, WantedTask } from './run.ts';
import { runTask } from './run.ts';

const wanted: WantedTask = {
  purpose: 'Backup',
  subject: 'one',
  job: {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'backup-one', namespace: 'shop' },
    spec: { template: {} },
  } as WantedTask['job'],
};
const retried: WantedTask = { ...wanted, retryMs: 60_000 };
const nothing: TaskSeen = { record: undefined, job: undefined, output: undefined };
const job = (condition?: { type: string; at?: number; message?: string }, going = false): Job =>
  ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: 'backup-one',
      namespace: 'shop',
      uid: 'j1',
      resourceVersion: '1',
      creationTimestamp: '',
      ...(going ? { deletionTimestamp: timestamp(0) } : {}),
    },
    spec: { template: {} },
    status: condition
      ? {
          conditions: [
            {
              type: condition.type,
              status: 'True',
              lastTransitionTime: timestamp(condition.at ?? 0),
              message: condition.message ?? '',
            },
          ],
        }
      : {},
  }) as unknown as Job;
const actions = (step: { readonly actions: readonly { readonly kind: string }[] }) =>
  step.actions.map(({ kind }) => kind);

describe('a task', () => {
  test('begins with a Job, and what it is for is recorded first', () => {
    const step = runTask(wanted, nothing, 1_000);
    expect(actions(step)).toEqual(['create']);
    expect(step.record).toMatchObject({
      purpose: 'Backup',
      subject: 'one',
      job: 'backup-one',
      startedAt: timestamp(1_000),
    });
    expect(step.state).toBe('Running');
  });

  test('waits while its Job runs', () => {
    expect(actions(runTask(wanted, { ...nothing, job: job() }, 0))).toEqual([]);
  });

  test('does not mistake the record of another subject for its own', () => {
    const other = { purpose: 'Backup', subject: 'zero', job: 'backup-zero', result: 'Succeeded' } as const;
    expect(actions(runTask(wanted, { ...nothing, record: other }, 0))).toEqual(['create']);
  });

  test('keeps what its Job printed, and where the backup is', () => {
    const step = runTask(
      wanted,
      { ...nothing, job: job({ type: 'Complete', at: 5_000 }), output: 'working\ns3://here\n' },
      9_000,
    );
    expect(step).toMatchObject({
      state: 'Succeeded',
      record: { result: 'Succeeded', finishedAt: timestamp(5_000), location: 's3://here', attempts: 1 },
    });
  });

  test('stays succeeded when its Job has been cleaned away', () => {
    const record = { purpose: 'Backup', subject: 'one', job: 'backup-one', result: 'Succeeded' } as const;
    expect(runTask(wanted, { ...nothing, record }, 0)).toEqual({ state: 'Succeeded', record, actions: [] });
  });

  test('that failed is final without a retry', () => {
    const record = { purpose: 'Backup', subject: 'one', job: 'backup-one', result: 'Failed' } as const;
    expect(runTask(wanted, { ...nothing, record, job: job({ type: 'Failed' }) }, 1e9)).toMatchObject({
      state: 'Failed',
      actions: [],
    });
  });

  test('that failed waits, makes room, and is run again, ever more slowly', () => {
    const first = runTask(
      retried,
      { ...nothing, job: job({ type: 'Failed', at: 0, message: 'exit 1' }), output: 'no space' },
      10,
    );
    expect(first).toMatchObject({
      state: 'Failed',
      lookAgainAt: 60_010,
      record: { message: 'exit 1\nno space', attempts: 1 },
    });
    const { record } = first;
    expect(runTask(retried, { ...nothing, record, job: job({ type: 'Failed' }) }, 59_999)).toMatchObject({
      actions: [],
      lookAgainAt: 60_000,
    });
    expect(actions(runTask(retried, { ...nothing, record, job: job({ type: 'Failed' }) }, 60_000))).toEqual(['delete']);
    expect(actions(runTask(retried, { ...nothing, record, job: job({ type: 'Failed' }, true) }, 60_000))).toEqual([]);
    const again = runTask(retried, { ...nothing, record }, 61_000);
    expect(actions(again)).toEqual(['create']);
    const second = runTask(
      retried,
      { ...nothing, record: again.record, job: job({ type: 'Failed', at: 100_000 }) },
      100_000,
    );
    expect(second.lookAgainAt).toBe(220_000);
  });

  // Found by the search (MonitoredStatefulSet, seed 1208115457): set back by an hour, the operator looked at a failed clean-up an hour later.
  test('is tried again in time by a clock that is behind the one which tells when it failed', () => {
    const failed = job({ type: 'Failed', at: 3_600_000 });
    const step = runTask(retried, { ...nothing, job: failed }, 1_000);
    expect(step).toMatchObject({ state: 'Failed', lookAgainAt: 61_000 });
    const record = { ...step.record, finishedAt: timestamp(31_000) };
    expect(runTask(retried, { ...nothing, record }, 1_000)).toMatchObject({ state: 'Failed', lookAgainAt: 61_000 });
  });

  // Found by the search (KVStoreCluster, seed 619783522): an hour ahead, the operator made 42 Jobs of a final backup that failed, one after the other.
  test('is not tried again at once by a clock that is ahead of the one which tells when it failed', () => {
    const failed = job({ type: 'Failed', at: 0 });
    const now = 3_600_000;
    const { record } = runTask(retried, { ...nothing, job: failed }, now);
    const later = runTask(retried, { ...nothing, record, job: failed }, now + 1_000);
    expect(later).toMatchObject({ state: 'Failed', actions: [], lookAgainAt: now + 60_000 });
  });
});
