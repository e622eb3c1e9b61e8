import type { Case, Json } from '../case.ts';
import { job } from './objects.ts';

const path = '/apis/batch/v1/namespaces/:ns/cronjobs';

/** A CronJob that makes nothing by itself. */
export const cronJob = (name: string, spec: Json = {}, template: Json = {}): Json => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name },
  spec: {
    schedule: '* * * * *',
    suspend: true,
    jobTemplate: { spec: { ...(job('a', {})['spec'] as Json), ...template } },
    ...spec,
  },
});

const schedules = [
  '',
  ' ',
  '* * * *',
  '* * * * * *',
  '60 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  '* * * 13 *',
  '* * * * 7',
  'a * * * *',
  '1-2-3 * * * *',
  '1/2/3 * * * *',
  '5-1 * * * *',
  '*/0 * * * *',
  '-1 * * * *',
  '*/99999999999999999999 * * * *',
  '@often',
  '@every',
  '@every x',
  '@every 5',
  'TZ=UTC * * * * *',
  'CRON_TZ=Nowhere/Else * * * * *',
];

const accepted = [
  '@hourly',
  '@every 1h30m',
  '*/5 0-6,12 ? jan-MAR sun,Tue',
  '1-5/2 1/3 31 2 *',
  ', * * * *',
  '0 0 1 1 *',
];

/** What is asked of a CronJob's spec. */
export const cronJobCases: readonly Case[] = [
  {
    name: 'cron jobs: schedules that are refused, and some that are not',
    async body(s) {
      for (const schedule of schedules) await s.create(path, cronJob('a', { schedule }));
      for (const schedule of accepted) await s.create(`${path}?dryRun=All`, cronJob('a', { schedule }));
    },
  },
  {
    name: 'cron jobs: time zones, policies, limits and names',
    async body(s) {
      for (const timeZone of ['', 'UTC', 'Local', 'Europe/Berlin', 'Nowhere/Else', '../x', 'a b', '/UTC'])
        await s.create(`${path}?dryRun=All`, cronJob('a', { timeZone }));
      await s.create(path, cronJob('a', { concurrencyPolicy: 'Perhaps', startingDeadlineSeconds: -1 }));
      await s.create(path, cronJob('a', { successfulJobsHistoryLimit: -1, failedJobsHistoryLimit: -2 }));
      await s.create(path, cronJob('a'.repeat(53)));
      await s.create(path, cronJob('a.b'));
      await s.create(path, cronJob('A_b'));
    },
  },
  {
    name: 'cron jobs: templates that are refused, and changes',
    async body(s) {
      await s.create(path, cronJob('a', {}, { selector: { matchLabels: { a: 'b' } } }));
      await s.create(path, cronJob('a', {}, { manualSelector: true }));
      await s.create(path, cronJob('a', {}, { parallelism: -1, template: { spec: { containers: [] } } }));
      await s.create(path, cronJob('a', {}, { completionMode: 'Indexed' }));
      await s.create(path, cronJob('a'));
      await s.merge(`${path}/a`, { spec: { schedule: 'never' } });
      await s.merge(`${path}/a`, { spec: { schedule: '@daily', timeZone: 'Asia/Tokyo' } });
      await s.merge(`${path}/a`, { metadata: { labels: { a: 'b' } } });
      await s.merge(`${path}/a/status`, { spec: { schedule: '@hourly' }, status: { lastScheduleTime: null } });
    },
  },
];
