import type { Job, KubernetesObject } from '@ordinal/client';
import { expect, test } from 'vitest';
import type { TaskRecord } from '@ordinal/lifecycle';
import { runTask } from '@ordinal/lifecycle';
import type { Observation } from '../observation.ts';
import { judgedPart } from './judged-part.ts';
import type { BackupRecord } from './records.ts';
import { recordBackups } from './records.ts';

const minute = 60_000;
const startedAt = (index: number): string => new Date(index * minute).toISOString();

const madeAt = (index: number, location: string): BackupRecord => ({
  ...{ name: `nightly-${index}`, job: `orders-backup-${index}`, result: 'Succeeded', location },
  ...{ startedAt: startedAt(index), finishedAt: startedAt(index + 1) },
});

const seenWith = (backups: readonly BackupRecord[]): Observation =>
  ({ cluster: { status: { backups } }, jobs: [], outputs: new Map() }) as unknown as Observation; // What the list is made from.

const listOf = (backups: readonly BackupRecord[]) => recordBackups(seenWith(backups), [], 0).records;

/** The longest that the last line of a Job's output may be. */
const longest = `s3://${'x'.repeat(1_019)}`;

test('64 backups with locations of usual length are all kept', () => {
  const backups = Array.from({ length: 64 }, (_, index) => madeAt(index, `s3://backups/${'x'.repeat(87)}`));
  expect(listOf(backups)).toEqual(backups);
});

test('of 64 with the longest locations the newest stay, uncut, as many as 24 KiB take', () => {
  const backups = Array.from({ length: 64 }, (_, index) => madeAt(index, longest));
  const kept = listOf(backups);
  expect(JSON.stringify(kept).length).toBeLessThanOrEqual(24 * 1024);
  expect(kept.length).toBeGreaterThan(15);
  expect(kept).toEqual(backups.slice(-kept.length));
});

test('one that runs stays before all that have ended', () => {
  const running: BackupRecord = { name: 'first', job: 'gone', startedAt: startedAt(0) };
  const job = { metadata: { name: 'gone', labels: {} }, status: {} } as unknown as Job; // One that runs.
  const ended = Array.from({ length: 64 }, (_, index) => madeAt(index + 1, longest));
  const { records } = recordBackups({ ...seenWith([running, ...ended]), jobs: [job] }, [], 0);
  expect(records[0]).toEqual(running);
  expect(JSON.stringify(records).length).toBeLessThanOrEqual(24 * 1024);
});

/** The record of a Job whose controller, or any client that may write its status, says as much as the API takes. */
function longestRecord(purpose: string): TaskRecord {
  const name = `orders-${purpose.toLowerCase()}`;
  const said = { type: 'Complete', status: 'True', lastTransitionTime: startedAt(1), message: 'x'.repeat(32_768) };
  const of = (type: string) => ({ metadata: { name, uid: 'u' }, status: { conditions: [{ ...said, type }] } });
  const wanted = { purpose, subject: 's'.repeat(253), job: { metadata: { name } } } as Parameters<typeof runTask>[0];
  const output = `${'x\n'.repeat(9)}${longest}`;
  const [done, failed] = ['Complete', 'Failed'].map((type) => {
    const job = of(type) as unknown as Job; // What is read of one.
    return runTask(wanted, { record: undefined, job, output }, 0).record;
  });
  return { ...failed, ...done, message: failed?.message ?? '' } as TaskRecord;
}

test('a status with the longest of everything that Jobs say is far from what counts as not written by the operator', () => {
  const purposes = ['BeforeUpgrade', 'BeforeScaleDown', 'BeforeDelete', 'FinalBackup', 'Backup', 'Restore', 'Analysis'];
  const hooks = purposes.map(longestRecord);
  const backups = listOf(Array.from({ length: 64 }, (_, index) => madeAt(index, longest)));
  const status = { hooks, backups, lastBackup: { name: 's'.repeat(253), location: longest }, seal: 'x'.repeat(100) };
  expect(JSON.stringify(status).length).toBeLessThan(48 * 1024);
  const metadata = { name: 'orders', uid: 'u', resourceVersion: '1', creationTimestamp: startedAt(0) };
  const object = { apiVersion: 'v1', kind: 'K', metadata, spec: { backup: {} }, status } as KubernetesObject;
  expect(judgedPart(object)).toHaveProperty('status.hooks');
});
