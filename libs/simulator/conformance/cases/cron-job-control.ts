import type { Case, Json, Session } from '../case.ts';
import { cronJob } from './cron-jobs.ts';
import { paths } from './objects.ts';
import { until } from './until.ts';

const path = '/apis/batch/v1/namespaces/:ns/cronjobs';
const jobs = '/apis/batch/v1/namespaces/:ns/jobs';
const itemsOf = (body: Json): readonly Json[] => (body['items'] ?? []) as readonly Json[];

async function read(s: Session, at: string): Promise<Json> {
  return (await s.world.send({ method: 'GET', path: at.replaceAll(':ns', s.namespace) })).body as Json;
}

/** What is at a path, as it is compared: names of Jobs end with a minute, and those of pods with chance. */
async function show(s: Session, title: string, at: string): Promise<void> {
  const body = await read(s, at);
  const kept = itemsOf(body).map(({ metadata, spec, status }) => {
    const { name, labels, annotations, ownerReferences } = metadata as Json;
    return { name, labels, annotations, ownerReferences, spec, status };
  });
  const text = JSON.stringify(kept.length > 0 || body['items'] !== undefined ? kept : body['status'])
    .replaceAll(/a-\d{8,}(-[a-z0-9]{5})?/g, 'a-<minute>')
    .replaceAll(s.namespace, '<namespace>');
  s.record(title, JSON.parse(text));
}

/** Changes an object without a record: the controller writes to it at the same time, and the order of its managers goes by the second. */
async function change(s: Session, at: string, body: Json): Promise<void> {
  const contentType = 'application/merge-patch+json';
  await s.world.send({ method: 'PATCH', path: at.replaceAll(':ns', s.namespace), body, contentType });
}

/** As if the last Job were made an hour ago, so that one is due now. */
async function makeDue(s: Session): Promise<void> {
  const lastScheduleTime = `${new Date(Date.now() - 3_600_000).toISOString().slice(0, 16)}:00Z`;
  await change(s, `${path}/a/status`, { status: { lastScheduleTime } });
  await change(s, `${path}/a`, { spec: { suspend: false } });
}

/** Gives each pod that has not ended a status, as a node would. */
async function endPods(s: Session, phase: 'Succeeded' | 'Failed'): Promise<void> {
  await until(s, paths.pods, (_, body) => itemsOf(body).length > 0);
  for (const pod of itemsOf(await read(s, paths.pods))) {
    const { name } = pod['metadata'] as { readonly name: string };
    await change(s, `${paths.pods}/${name}/status`, { status: { phase } });
  }
}

const hasJobs = (count: number) => (_: number, body: Json) => itemsOf(body).length === count;
const statusHas = (field: string) => (_: number, body: Json) => ((body['status'] ?? {}) as Json)[field] !== undefined;

/** What the CronJob controller makes of a CronJob whose time has come. */
export const cronJobControlCases: readonly Case[] = [
  {
    name: 'cron jobs: a Job that is due, and its success',
    async body(s) {
      await s.create(path, {
        ...cronJob('a', { timeZone: 'Asia/Tokyo', successfulJobsHistoryLimit: 1 }),
      });
      await s.merge(`${path}/a`, {
        spec: { jobTemplate: { metadata: { labels: { app: 'a' }, annotations: { note: 'b' } } } },
      });
      await makeDue(s);
      await until(s, jobs, hasJobs(1));
      await until(s, `${path}/a`, statusHas('active'));
      await change(s, `${path}/a`, { spec: { suspend: true } });
      await show(s, 'jobs', jobs);
      await show(s, 'status', `${path}/a`);
      await endPods(s, 'Succeeded');
      await until(s, `${path}/a`, statusHas('lastSuccessfulTime'));
      await show(s, 'status at the end', `${path}/a`);
      await change(s, `${path}/a`, { spec: { successfulJobsHistoryLimit: 0 } });
      await until(s, jobs, hasJobs(0));
      await show(s, 'jobs at the end', jobs);
    },
  },
  {
    name: 'cron jobs: none while one runs, none that is too late',
    async body(s) {
      await s.create(path, cronJob('a', { concurrencyPolicy: 'Forbid' }));
      await makeDue(s);
      await until(s, jobs, hasJobs(1));
      await until(s, `${path}/a`, statusHas('active'));
      await s.create(path, cronJob('b', { schedule: '0 0 1 1 *', startingDeadlineSeconds: 30 }));
      await s.merge(`${path}/b/status`, { status: { lastScheduleTime: '2020-01-01T00:00:00Z' } });
      await s.merge(`${path}/b`, { spec: { suspend: false } });
      await new Promise((resolve) => setTimeout(resolve, 1500));
      await show(s, 'jobs', jobs);
      await change(s, `${path}/a`, { spec: { suspend: true } });
      await show(s, 'status', `${path}/b`);
      await s.delete(`${path}/a`, { propagationPolicy: 'Background' });
      await until(s, jobs, hasJobs(0));
      await show(s, 'jobs at the end', jobs);
    },
  },
  {
    name: 'cron jobs: a Job that a user deletes is active no more',
    async body(s) {
      await s.create(path, cronJob('a'));
      await makeDue(s);
      await until(s, `${path}/a`, statusHas('active'));
      await change(s, `${path}/a`, { spec: { suspend: true } });
      const [made] = itemsOf(await read(s, jobs));
      const { name = 'none' } = (made?.['metadata'] ?? {}) as { readonly name?: string };
      await s.world.send({
        method: 'DELETE',
        path: `${jobs.replaceAll(':ns', s.namespace)}/${name}`,
        body: { propagationPolicy: 'Background' },
      });
      await until(s, `${path}/a`, (status, body) => !statusHas('active')(status, body));
      await show(s, 'status', `${path}/a`);
    },
  },
];
