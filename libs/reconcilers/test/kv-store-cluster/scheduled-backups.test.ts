import { conditionOf, jobs, timestamp } from '@ordinal/client';
import { taskName } from '@ordinal/constructs';
import type { SimulatedCluster } from '@ordinal/simulator';
import { describe, expect, test } from 'vitest';
import { kvStoreWorld, store, storeNow } from './kv-store-world.ts';
import { annotate, change, condition, jobsFor, stores, until } from './store-steps.ts';

const minute = 60_000;
const hourly = { cron: '@hourly' };

/** A cluster that serves, with a schedule from ten minutes after a full hour on. */
async function scheduled(schedule: object = hourly, job: object = { command: ['backup'] }) {
  const world = await kvStoreWorld();
  const { cluster } = world;
  await stores(cluster).create(store({ replicas: 1 }));
  await until(cluster, () => storeNow(cluster)?.status?.phase === 'Ready');
  await cluster.advance(70 * minute - (cluster.clock.now() % (60 * minute)));
  await change(cluster, { backup: { job, onDelete: 'Skip', schedule } });
  await cluster.advance(1_000);
  const fullHour = cluster.clock.now() - (cluster.clock.now() % (60 * minute));
  return { ...world, at: (minutes: number) => timestamp(fullHour + minutes * minute) };
}

const state = (cluster: SimulatedCluster) => storeNow(cluster)?.status?.backupSchedule;
const backups = (cluster: SimulatedCluster) => storeNow(cluster)?.status?.backups ?? [];
const subjects = (cluster: SimulatedCluster) =>
  jobsFor(cluster, 'Backup').map(({ metadata }) => metadata.annotations?.['ordinal.dev/subject']);
const nameAt = (time: string) => `orders-${time.slice(0, 16).replace(/[-:]/g, '')}Z`;

describe('scheduled backups', () => {
  test('begin at their times, and none before the schedule is set', async () => {
    const { cluster, at, events } = await scheduled();
    expect(state(cluster)).toMatchObject({ cron: '@hourly', since: at(10), nextAt: at(60) });
    await cluster.advance(49 * minute);
    expect(subjects(cluster)).toEqual([]);
    await cluster.advance(2 * minute);
    expect(backups(cluster)).toMatchObject([
      { name: nameAt(at(60)), scheduledAt: at(60), result: 'Succeeded', location: `made ${nameAt(at(60))}` },
    ]);
    expect(state(cluster)).toMatchObject({ lastScheduledAt: at(60), lastSuccessfulAt: at(60), nextAt: at(120) });
    expect(condition(cluster, 'BackupsOnSchedule')).toMatchObject({ status: 'True', reason: 'AsScheduled' });
    await cluster.advance(5 * 60 * minute);
    expect(backups(cluster)).toHaveLength(6);
    // As many Jobs as the limits keep.
    expect(subjects(cluster)).toHaveLength(3);
    expect(events.filter(({ reason }) => reason === 'BackupSucceeded')).toHaveLength(6);
    expect(storeNow(cluster)?.status?.hooks?.some(({ purpose }) => purpose === 'Backup') ?? false).toBe(false);
    cluster.stop();
  });

  test('that fail show in the condition, and the next one is made', async () => {
    const { cluster, at, events } = await scheduled(hourly, { command: ['fail'], retries: 0 });
    await cluster.advance(55 * minute);
    expect(condition(cluster, 'BackupsOnSchedule')).toMatchObject({ status: 'False', reason: 'BackupFailed' });
    expect(events.filter(({ reason }) => reason === 'BackupFailed')).toHaveLength(1);
    await change(cluster, { backup: { job: { command: ['backup'] } } });
    await cluster.advance(60 * minute);
    expect(state(cluster)).toMatchObject({ lastSuccessfulAt: at(120) });
    expect(condition(cluster, 'BackupsOnSchedule')).toMatchObject({ status: 'True' });
    await change(cluster, { backup: { schedule: null } });
    await cluster.advance(minute);
    expect([state(cluster), condition(cluster, 'BackupsOnSchedule')]).toEqual([undefined, undefined]);
    cluster.stop();
  });

  test('that were missed: the newest is made up for until its deadline, the others are reported', async () => {
    const { cluster, operator, at, events } = await scheduled();
    operator.crash();
    await cluster.advance(190 * minute); // To 20 minutes after the fourth time.
    operator.start();
    await cluster.advance(2 * minute);
    expect(backups(cluster).map(({ name }) => name)).toEqual([nameAt(at(180))]);
    expect(events.filter(({ reason }) => reason === 'BackupMissed').map(({ note }) => note)).toEqual([
      expect.stringContaining('backups of 2 times of the schedule before') as string,
    ]);
    operator.crash();
    await cluster.advance(95 * minute); // More than half an hour after the next but one.
    operator.start();
    await cluster.advance(2 * minute);
    expect(backups(cluster)).toHaveLength(1);
    expect(state(cluster)).toMatchObject({ lastScheduledAt: at(180), lastMissedAt: at(240) });
    expect(condition(cluster, 'BackupsOnSchedule')).toMatchObject({ status: 'False', reason: 'BackupMissed' });
    cluster.stop();
  });

  test('are not made while suspended or paused, and the times of a suspension are not made up for', async () => {
    const { cluster, at } = await scheduled();
    await change(cluster, { backup: { schedule: { suspend: true } } });
    await cluster.advance(60 * minute);
    expect([subjects(cluster), condition(cluster, 'BackupsOnSchedule')?.reason]).toEqual([[], 'Suspended']);
    await change(cluster, { backup: { schedule: { suspend: null } } });
    await cluster.advance(minute);
    expect(subjects(cluster)).toEqual([]);
    await annotate(cluster, { 'ordinal.dev/paused': 'true' });
    await cluster.advance(60 * minute);
    expect(subjects(cluster)).toEqual([]);
    await annotate(cluster, { 'ordinal.dev/paused': null });
    await cluster.advance(minute);
    expect(subjects(cluster)).toEqual([nameAt(at(120))]);
    cluster.stop();
  });

  test('wait for one that is at work: Forbid', async () => {
    const { cluster, at, events } = await scheduled(hourly, { command: ['linger'], deadline: '80m', retries: 0 });
    await cluster.advance(115 * minute);
    expect(subjects(cluster)).toEqual([nameAt(at(60))]);
    expect(state(cluster)?.blockedBy).toContain('concurrencyPolicy is Forbid');
    await cluster.advance(20 * minute); // The first has failed by its deadline.
    expect([...subjects(cluster)].sort()).toEqual([nameAt(at(60)), nameAt(at(120))]);
    expect(state(cluster)?.blockedBy).toBeUndefined();
    await cluster.advance(100 * minute);
    expect(events.some(({ reason }) => reason === 'BackupMissed')).toBe(true);
    cluster.stop();
  });

  test('begin beside it: Allow', async () => {
    const { cluster } = await scheduled({ ...hourly, concurrencyPolicy: 'Allow' }, { command: ['linger'], deadline: '9h' }); // prettier-ignore
    await cluster.advance(180 * minute);
    expect(subjects(cluster)).toHaveLength(3);
    cluster.stop();
  });

  test('end it, and begin when it has gone: Replace; one on demand is waited for', async () => {
    const { cluster, at } = await scheduled({ ...hourly, concurrencyPolicy: 'Replace' }, { command: ['linger'], deadline: '9h' }); // prettier-ignore
    await cluster.advance(115 * minute);
    expect(subjects(cluster)).toEqual([nameAt(at(120))]);
    expect(backups(cluster)).toMatchObject([
      { name: nameAt(at(60)), result: 'Failed', message: `replaced by ${nameAt(at(120))}` },
      { name: nameAt(at(120)) },
    ]);
    await annotate(cluster, { 'ordinal.dev/backup': 'mine' });
    await cluster.advance(60 * minute);
    expect(subjects(cluster)).toEqual(['mine']);
    expect(state(cluster)?.blockedBy).toContain('waiting until');
    cluster.stop();
  });

  test('wait for a Job that writes', async () => {
    const { cluster, at } = await scheduled();
    const beforeFirstPod = { command: ['linger'], deadline: '75m', retries: 0 };
    await change(cluster, { version: '2.0', upgrade: { beforeFirstPod, progressDeadline: '9h' } });
    await cluster.advance(55 * minute);
    expect(subjects(cluster)).toEqual([]);
    expect(state(cluster)?.blockedBy).toContain('which may write');
    await cluster.advance(25 * minute);
    expect(subjects(cluster)).toEqual([nameAt(at(60))]);
    cluster.stop();
  });

  test('are made once where the operator goes between the record and the Job, and where the status is lost', async () => {
    const { cluster, operator, at } = await scheduled();
    await until(cluster, () => backups(cluster).length === 1);
    operator.crash();
    await cluster.advance(minute); // What was on its way has come.
    expect([subjects(cluster), backups(cluster)[0]?.result]).toEqual([[], undefined]);
    operator.start();
    await cluster.advance(2 * minute);
    expect(backups(cluster)).toMatchObject([{ name: nameAt(at(60)), result: 'Succeeded' }]);
    const { uid } = jobsFor(cluster, 'Backup')[0]?.metadata ?? {};
    await stores(cluster).status.patch('orders', { type: 'merge', body: { status: { backupSchedule: null } } });
    await cluster.advance(10 * minute);
    expect(jobsFor(cluster, 'Backup').map(({ metadata }) => metadata.uid)).toEqual([uid]);
    expect(state(cluster)).toMatchObject({ lastScheduledAt: at(60), lastSuccessfulAt: at(60) });
    cluster.stop();
  });

  test('are made also where one on demand has the name of their time, under a name of their own', async () => {
    const { cluster, at } = await scheduled();
    await annotate(cluster, { 'ordinal.dev/backup': nameAt(at(60)) });
    await cluster.advance(10 * minute);
    expect(subjects(cluster)).toEqual([nameAt(at(60))]);
    await cluster.advance(45 * minute);
    const own = `${nameAt(at(60))}-2`;
    expect(backups(cluster).map(({ name, scheduledAt, result }) => [name, scheduledAt, result])).toEqual([
      [nameAt(at(60)), undefined, 'Succeeded'],
      [own, at(60), 'Succeeded'],
    ]);
    expect(state(cluster)).toMatchObject({ lastScheduledAt: at(60), lastSuccessfulAt: at(60) });
    // From its Job it is known for the time that it was made for.
    await stores(cluster).status.patch('orders', { type: 'merge', body: { status: { backupSchedule: null } } });
    await cluster.advance(minute);
    expect([...subjects(cluster)].sort()).toEqual([nameAt(at(60)), own]);
    expect(state(cluster)).toMatchObject({ lastScheduledAt: at(60), lastSuccessfulAt: at(60) });
    cluster.stop();
  });

  test('are made by no Job that another client has created', async () => {
    const { cluster, at } = await scheduled();
    await cluster.advance(55 * minute);
    const [{ metadata, spec } = { metadata: undefined, spec: undefined }] = jobsFor(cluster, 'Backup');
    const name = nameAt(at(120));
    const store = {
      name: 'orders',
      owner: storeNow(cluster) && { ...storeNow(cluster)!, ...storeNow(cluster)!.metadata },
    };
    const own = { annotations: { 'ordinal.dev/subject': name }, labels: metadata?.labels ?? {} };
    const forged = await cluster
      .client()(jobs)
      .namespace('default')
      .create({
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: {
          ...own,
          name: taskName(store as Parameters<typeof taskName>[0], 'Backup', name),
          namespace: 'default',
        },
        spec: { template: { spec: spec?.template.spec ?? { containers: [] } } },
      });
    const record = () => backups(cluster).find((one) => one.name === name);
    await cluster.advance(65 * minute);
    expect(cluster.objects.find(jobs, 'default', forged.metadata.name)?.status?.succeeded).toBe(1);
    expect(record()?.result).toBeUndefined();
    expect(conditionOf(storeNow(cluster)?.status?.conditions, 'ReconcileFailed')?.message).toContain(
      `kubectl delete job -n default ${forged.metadata.name}`,
    );
    await cluster.client()(jobs).namespace('default').delete(forged.metadata.name);
    await cluster.advance(30 * minute);
    expect(record()).toMatchObject({ job: forged.metadata.name, result: 'Succeeded' });
    expect(record()?.jobUID).not.toBe(forged.metadata.uid);
    cluster.stop();
  });

  test('are made once for a time whatever the clock does, and go on when it was ahead', async () => {
    const { cluster, operator, at, events } = await scheduled();
    await cluster.advance(51 * minute);
    operator.skewClock(-30 * minute);
    await cluster.advance(40 * minute);
    expect(backups(cluster).map(({ name }) => name)).toEqual([nameAt(at(60))]);
    operator.skewClock(30 * minute + 300 * minute);
    await annotate(cluster, { 'example.com/wake': 'up' });
    await cluster.advance(minute);
    expect(state(cluster)).toMatchObject({ lastMissedAt: at(360) });
    operator.skewClock(-300 * minute);
    await annotate(cluster, { 'example.com/wake': 'again' });
    await cluster.advance(30 * minute);
    expect(events.filter(({ reason }) => reason === 'BackupScheduleRestarted')).toHaveLength(1);
    expect(backups(cluster).map(({ name }) => name)).toEqual([nameAt(at(60)), nameAt(at(120))]);
    cluster.stop();
  });

  test('that a clock which was ahead has named take the place of none that is made since', async () => {
    const { cluster, operator, at } = await scheduled();
    await change(cluster, { backup: { retention: { count: 1 } } });
    await cluster.advance(62 * minute);
    operator.skewClock(300 * minute);
    await annotate(cluster, { 'example.com/wake': 'up' });
    await cluster.advance(5 * minute);
    expect(backups(cluster).map(({ scheduledAt }) => scheduledAt)).toEqual([at(360)]);
    operator.skewClock(-300 * minute);
    await annotate(cluster, { 'example.com/wake': 'again' });
    await cluster.advance(60 * minute);
    const kept = backups(cluster).map(({ name, scheduledAt }) => [name, scheduledAt]);
    expect(kept).toContainEqual([nameAt(at(120)), at(120)]);
    expect(kept).toContainEqual([nameAt(at(360)), undefined]);
    cluster.stop();
  });
});

describe('a schedule that is invalid', () => {
  test.each([
    [{ cron: '0 25 * * *' }, 'spec.backup.schedule.cron: "25" is no hour'],
    [
      { cron: '@daily', timeZone: 'Europe/Atlantis' },
      'spec.backup.schedule.timeZone: "Europe/Atlantis" is no time zone',
    ],
    [{ cron: '0 0 30 2 *' }, 'spec.backup.schedule.cron: no date matches it'],
  ])('%j is reported where no webhook has refused it', async (schedule, message) => {
    const { cluster } = await scheduled(schedule);
    expect(condition(cluster, 'Ready')).toMatchObject({ reason: 'InvalidSpec', message: expect.stringContaining(message) as unknown }); // prettier-ignore
    cluster.stop();
  });
});
