import { jobs } from '@ordinal/client';
import { describe, expect, test } from 'vitest';
import { kvStoreWorld, store, storeNow } from './kv-store-world.ts';
import { annotate, jobsFor, stores, until } from './store-steps.ts';

const backup = { job: { command: ['backup'] } };

async function ready(spec: Parameters<typeof store>[0]) {
  const world = await kvStoreWorld();
  await stores(world.cluster).create(store(spec));
  await until(world.cluster, () => storeNow(world.cluster)?.status?.phase === 'Ready');
  return world;
}

const recordsOf = (cluster: Parameters<typeof storeNow>[0]) => storeNow(cluster)?.status?.backups ?? [];

describe('backups that are asked for one after the other', () => {
  test('run beside each other, and the end of each is reported once', async () => {
    const image = 'example.com/backup:slow';
    const { cluster, events } = await ready({ backup: { job: { command: ['backup'], image } } });
    cluster.image(image, {
      startsIn: 60_000,
      run: (process) => {
        if (process.env['ORDINAL_BACKUP_NAME'] === 'tuesday') return 1;
        process.log(`s3://${process.env['ORDINAL_BACKUP_NAME']}`);
        return 0;
      },
    });
    await annotate(cluster, { 'ordinal.dev/backup': 'monday' });
    await until(cluster, () => jobsFor(cluster, 'Backup').length === 1);
    await annotate(cluster, { 'ordinal.dev/backup': 'tuesday' });
    await until(cluster, () => jobsFor(cluster, 'Backup').length === 2);
    expect(recordsOf(cluster).map(({ name, result }) => [name, result])).toEqual([
      ['monday', undefined],
      ['tuesday', undefined],
    ]);
    await cluster.advance(1_800_000);
    expect(recordsOf(cluster)).toMatchObject([
      { name: 'monday', result: 'Succeeded', location: 's3://monday' },
      { name: 'tuesday', result: 'Failed' },
    ]);
    expect(events.filter(({ reason }) => reason === 'BackupSucceeded')).toHaveLength(1);
    expect(events.filter(({ reason }) => reason === 'BackupFailed')).toHaveLength(1);
    expect(storeNow(cluster)?.status?.lastBackup).toMatchObject({ name: 'monday', location: 's3://monday' });
    cluster.stop();
  });

  test('of which one loses its Job are reported as failed', async () => {
    const image = 'example.com/backup:slow';
    const { cluster, events } = await ready({ backup: { job: { command: ['backup'], image } } });
    cluster.image(image, { startsIn: 60_000, run: () => 0 });
    await annotate(cluster, { 'ordinal.dev/backup': 'monday' });
    await until(cluster, () => jobsFor(cluster, 'Backup').length === 1);
    const [job] = jobsFor(cluster, 'Backup');
    await annotate(cluster, { 'ordinal.dev/backup': 'tuesday' });
    await until(cluster, () => jobsFor(cluster, 'Backup').length === 2);
    await cluster
      .client()(jobs)
      .namespace('default')
      .delete(job?.metadata.name ?? '');
    await cluster.advance(1_800_000);
    expect(recordsOf(cluster)).toMatchObject([
      { name: 'monday', result: 'Failed', message: expect.stringContaining('deleted before it ended') as unknown },
      { name: 'tuesday', result: 'Succeeded' },
    ]);
    expect(events.filter(({ reason }) => reason === 'BackupFailed')).toHaveLength(1);
    cluster.stop();
  });
});

test('a name of more than 253 characters asks for nothing', async () => {
  const { cluster } = await ready({ backup });
  await annotate(cluster, { 'ordinal.dev/backup': 'x'.repeat(254) });
  await cluster.advance(60_000);
  expect([jobsFor(cluster, 'Backup').length, recordsOf(cluster).length]).toEqual([0, 0]);
  await annotate(cluster, { 'ordinal.dev/backup': 'x'.repeat(253) });
  await until(cluster, () => storeNow(cluster)?.status?.lastBackup?.name === 'x'.repeat(253));
  cluster.stop();
});

// Fourteen backups, one after the other.
describe('Jobs that have ended', { timeout: 60_000 }, () => {
  const made = async (spec: Parameters<typeof store>[0] = {}) => {
    const { cluster, events } = await ready({ backup, ...spec });
    for (let day = 1; day <= 14; day++) {
      await annotate(cluster, { 'ordinal.dev/backup': `day-${day}` });
      await until(cluster, () => storeNow(cluster)?.status?.lastBackup?.name === `day-${day}`);
      await cluster.advance(60_000);
    }
    return { cluster, events };
  };
  const subjects = (cluster: Parameters<typeof storeNow>[0]) =>
    jobsFor(cluster, 'Backup').map(({ metadata }) => metadata.annotations?.['ordinal.dev/subject']);

  test('are kept as many as CronJob keeps, and what they said stays in the status', async () => {
    const { cluster, events } = await made();
    expect(subjects(cluster).sort()).toEqual(['day-12', 'day-13', 'day-14']);
    expect(recordsOf(cluster)).toHaveLength(14);
    expect(recordsOf(cluster).every(({ result }) => result === 'Succeeded')).toBe(true);
    expect(events.filter(({ reason }) => reason === 'BackupSucceeded')).toHaveLength(14);
    cluster.stop();
  });

  test('are kept as many as the spec says, but the newest, which the status rests on', async () => {
    const { cluster } = await made({ jobs: { successfulJobsHistoryLimit: 0 } });
    expect(subjects(cluster)).toEqual(['day-14']);
    cluster.stop();
  });

  test('go when they are older than the spec says', async () => {
    const { cluster } = await made({ jobs: { successfulJobsHistoryLimit: 100, ttlSecondsAfterFinished: 3_600 } });
    expect(subjects(cluster)).toHaveLength(14);
    await cluster.advance(3_600_000);
    expect(subjects(cluster)).toEqual(['day-14']);
    cluster.stop();
  });
});
