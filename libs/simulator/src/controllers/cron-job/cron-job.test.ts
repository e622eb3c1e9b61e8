import { cronJobs, jobs } from '@ordinal/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SimulatedCluster } from '../../index.ts';
import { create, merge, object, template } from '../../../test/objects.ts';

let cluster: SimulatedCluster;

beforeEach(async () => {
  cluster = await SimulatedCluster.start({ events: false, startsAt: Date.parse('2026-01-01T00:00:30Z') });
});
afterEach(() => cluster.stop());

const minuteMs = 60_000;
const cron = (spec: Record<string, unknown> = {}) =>
  object('batch/v1 CronJob', 'report', {
    spec: {
      schedule: '* * * * *',
      jobTemplate: { spec: { template: template('report', 'app:1', { restartPolicy: 'Never' }) } },
      ...spec,
    },
  });
const status = () => cluster.objects.find(cronJobs, 'default', 'report')?.status;
const names = () => cluster.objects.list(jobs, 'default').map(({ metadata }) => metadata.name);
const jobAt = (minute: number): string => `report-${Date.parse('2026-01-01T00:00:00Z') / minuteMs + minute}`;
const runsForever = () => cluster.image('app:1', { run: () => new Promise(() => undefined) });

test('makes a Job each minute, and keeps the latest three that have succeeded', async () => {
  await create(cluster, cronJobs, cron());
  await cluster.advance(5 * minuteMs);
  expect(names()).toEqual([3, 4, 5].map(jobAt));
  expect(status()).toMatchObject({ lastScheduleTime: '2026-01-01T00:05:00Z' });
  expect(status()?.lastSuccessfulTime).toMatch('2026-01-01T00:05:0');
  expect(status()?.active).toBeUndefined();
});

test('lets Jobs run at the same time, waits for the last one, or replaces it', async () => {
  runsForever();
  await create(cluster, cronJobs, cron());
  await cluster.advance(2 * minuteMs);
  expect(names()).toEqual([1, 2].map(jobAt));
  await merge(cluster, cronJobs, 'report', { spec: { concurrencyPolicy: 'Forbid' } });
  await cluster.advance(2 * minuteMs);
  expect(names()).toEqual([1, 2].map(jobAt));
  await merge(cluster, cronJobs, 'report', { spec: { concurrencyPolicy: 'Replace' } });
  await cluster.advance(minuteMs);
  expect(names()).toEqual([jobAt(5)]);
  expect(status()?.active?.map(({ name }) => name)).toEqual([jobAt(5)]);
});

test('makes none while it is suspended, and then the latest that it has missed', async () => {
  await create(cluster, cronJobs, cron({ suspend: true }));
  await cluster.advance(5 * minuteMs);
  expect(names()).toEqual([]);
  await merge(cluster, cronJobs, 'report', { spec: { suspend: false } });
  await cluster.advance(1000);
  expect(names()).toEqual([jobAt(5)]);
});

test('makes none that is too late', async () => {
  await create(cluster, cronJobs, cron({ schedule: '@hourly', suspend: true, startingDeadlineSeconds: 60 }));
  await cluster.advance(65 * minuteMs);
  await merge(cluster, cronJobs, 'report', { spec: { suspend: false } });
  await cluster.advance(minuteMs);
  expect(names()).toEqual([]);
  await cluster.advance(60 * minuteMs);
  expect(names()).toEqual([jobAt(120)]);
});

test('keeps one that has failed', async () => {
  cluster.image('app:1', { run: () => 1 });
  await create(
    cluster,
    cronJobs,
    cron({
      jobTemplate: { spec: { backoffLimit: 0, template: template('report', 'app:1', { restartPolicy: 'Never' }) } },
    }),
  );
  await cluster.advance(3 * minuteMs);
  expect(names()).toEqual([jobAt(3)]);
  expect(status()?.lastSuccessfulTime).toBeUndefined();
});
