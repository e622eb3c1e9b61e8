import type * as published from 'kubernetes-types/batch/v1.js';
import type { BuiltIn } from './form.ts';
import type { ReadForm, WriteForm } from '../descriptor.ts';

/** Descriptor of `Job`. */
export const jobs: BuiltIn<published.Job, 'spec'> = {
  group: 'batch',
  version: 'v1',
  kind: 'Job',
  plural: 'jobs',
  singular: 'job',
  scope: 'Namespaced',
  subresources: { status: true },
};
/** A job, as the server returns it. */
export type Job = ReadForm<typeof jobs>;
/** A job, as it is written. */
export type JobInput = WriteForm<typeof jobs>;

/** Descriptor of `CronJob`. */
export const cronJobs: BuiltIn<published.CronJob, 'spec'> = {
  group: 'batch',
  version: 'v1',
  kind: 'CronJob',
  plural: 'cronjobs',
  singular: 'cronjob',
  scope: 'Namespaced',
  shortNames: ['cj'],
  subresources: { status: true },
};
/** A job on a schedule, as the server returns it. */
export type CronJob = ReadForm<typeof cronJobs>;
/** A job on a schedule, as it is written. */
export type CronJobInput = WriteForm<typeof cronJobs>;
