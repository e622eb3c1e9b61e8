import { controllerOf, controllerReference, isApiError, sameJson, timestamp } from '@ordinal/client';
import type { Instant } from '@ordinal/client';
import type { CronJob, CronJobStatus, Job } from 'kubernetes-types/batch/v1.js';
import { ScheduleError } from '../../cron/fields.ts';
import { parseSchedule } from '../../cron/schedule.ts';
import type { Schedule } from '../../cron/schedule.ts';
import type { ControllerContext, ControllerDefinition } from '../controller.ts';
import { itsController, itself } from '../controller.ts';
import { kinds } from '../kinds.ts';
import type { Live } from '../kinds.ts';
import { dueTimes, ImpossibleSchedule, nextLookMs } from './due.ts';
import { removeOld, withJobsSeen } from './jobs.ts';

type LiveCronJob = Live<CronJob>;

/** The CronJob controller: Jobs at their times, what becomes of earlier ones, and how many finished ones are kept. */
export const cronJobController: ControllerDefinition = {
  name: 'cronjob-controller',
  watches: [
    { kind: kinds.cronJob, keys: itself },
    { kind: kinds.job, keys: itsController(kinds.cronJob) },
  ],
  reconcile({ namespace, name }, context) {
    const cron = context.store.find<CronJob>(kinds.cronJob, namespace, name);
    if (cron === undefined) return undefined;
    const jobs = context.store
      .list<Job>(kinds.job, namespace)
      .filter((job) => controllerOf(job)?.uid === cron.metadata.uid);
    const status = withJobsSeen({ ...cron, status: removeOld(cron, jobs, context) }, jobs, context);
    return schedule({ ...cron, status }, cron, context);
  },
};

/** Makes the Job that is due, and writes the status. The answer is when to look again. */
function schedule(cron: LiveCronJob, before: LiveCronJob, context: ControllerContext): number | undefined {
  const { spec } = cron;
  const isIdle = spec?.suspend === true || cron.metadata.deletionTimestamp !== undefined;
  const plan = isIdle ? undefined : scheduleOf(cron, context);
  if (plan === undefined) {
    writeStatus(before, cron.status, context);
    return undefined;
  }
  try {
    const due = dueTime(cron, plan, context);
    writeStatus(before, due === undefined ? cron.status : startJob(cron, due, context), context);
    const now = context.store.find<CronJob>(kinds.cronJob, cron.metadata.namespace ?? '', cron.metadata.name) ?? cron;
    return nextLookMs(now, plan, context.clock.now());
  } catch (error) {
    if (!(error instanceof ImpossibleSchedule)) throw error;
    context.event(cron, 'Warning', ['InvalidSchedule', `invalid schedule: ${spec?.schedule ?? ''} : ${error.message}`]);
    writeStatus(before, cron.status, context);
    return undefined;
  }
}

function scheduleOf(cron: LiveCronJob, { event }: ControllerContext): Schedule | undefined {
  const text = cron.spec?.schedule ?? '';
  // A field of newer versions, that the types do not have.
  const { timeZone } = (cron.spec ?? {}) as { readonly timeZone?: string };
  try {
    return parseSchedule(text, timeZone);
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    event(cron, 'Warning', ['UnparseableSchedule', `unparseable schedule: ${JSON.stringify(text)} : ${error.message}`]);
    return undefined;
  }
}

/** The time whose Job is to be made now; undefined where there is none, or where it may not be made. */
function dueTime(cron: LiveCronJob, plan: Schedule, { clock, event }: ControllerContext): Instant | undefined {
  const now = clock.now();
  const { latest, missed } = dueTimes(cron, plan, { now, withDeadline: true });
  if (latest === undefined) return undefined;
  if (missed > 100) event(cron, 'Warning', ['TooManyMissedTimes', tooMany]);
  const { startingDeadlineSeconds, concurrencyPolicy } = cron.spec ?? {};
  if (startingDeadlineSeconds !== undefined && latest + startingDeadlineSeconds * 1000 < now) {
    const time = new Date(latest).toUTCString();
    event(cron, 'Warning', ['MissSchedule', `Missed scheduled time to start a job: ${time}`]);
    return undefined;
  }
  const active = cron.status?.active ?? [];
  const isMade = active.some(({ name }) => name === jobName(cron, latest));
  if (isMade || Date.parse(cron.status?.lastScheduleTime ?? '') === latest) return undefined;
  if (concurrencyPolicy === 'Forbid' && active.length > 0) {
    event(cron, 'Normal', ['JobAlreadyActive', stillRuns]);
    return undefined;
  }
  return latest;
}

const tooMany = 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew';
const stillRuns = 'Not starting job because prior execution is running and concurrency policy is Forbid';

/** Jobs are named by the minute that they are for. */
const jobName = ({ metadata }: LiveCronJob, at: Instant): string => `${metadata.name}-${Math.floor(at / 60_000)}`;

/** Makes the Job of a time, after those that it replaces are gone. The answer is the status with it. */
function startJob(cron: LiveCronJob, at: Instant, context: ControllerContext): CronJobStatus {
  const { store, event } = context;
  const namespace = cron.metadata.namespace ?? '';
  let active = cron.status?.active ?? [];
  if (cron.spec?.concurrencyPolicy === 'Replace') {
    for (const { name = '' } of active) {
      const job = store.find<Job>(kinds.job, namespace, name);
      if (job === undefined) continue;
      store.delete(kinds.job, job, { propagationPolicy: 'Background' });
      event(cron, 'Normal', ['SuccessfulDelete', `Deleted job ${name}`]);
    }
    active = [];
  }
  const job = createJob(cron, at, context);
  const lastScheduleTime = timestamp(at);
  if (job === undefined) return { ...cron.status, active };
  const { apiVersion, kind, metadata } = job;
  const { name, uid, resourceVersion } = metadata;
  return {
    ...cron.status,
    active: [...active, { apiVersion, kind, namespace, name, uid, resourceVersion }],
    lastScheduleTime,
  };
}

function createJob(cron: LiveCronJob, at: Instant, { store, event }: ControllerContext): Live<Job> | undefined {
  const name = jobName(cron, at);
  const namespace = cron.metadata.namespace ?? '';
  const { metadata, spec } = cron.spec?.jobTemplate ?? {};
  const annotations = {
    ...metadata?.annotations,
    'batch.kubernetes.io/cronjob-scheduled-timestamp': zonedTime(cron, at),
  };
  try {
    const job = store.create<Job>(kinds.job, {
      metadata: {
        ...{ name, namespace, annotations, labels: { ...metadata?.labels } },
        ownerReferences: [controllerReference(cron)],
      },
      ...(spec && { spec }),
    });
    event(cron, 'Normal', ['SuccessfulCreate', `Created job ${name}`]);
    return job;
  } catch (error) {
    if (isApiError(error, 'AlreadyExists')) {
      const job = store.find<Job>(kinds.job, namespace, name);
      return job && controllerOf(job)?.uid === cron.metadata.uid ? job : undefined;
    }
    event(cron, 'Warning', ['FailedCreate', `Error creating job: ${error instanceof Error ? error.message : ''}`]);
    throw error;
  }
}

/** A time as clocks of the CronJob's zone show it. */
function zonedTime(cron: LiveCronJob, at: Instant): string {
  const { timeZone = 'UTC' } = (cron.spec ?? {}) as { readonly timeZone?: string };
  if (timeZone === 'UTC') return timestamp(at);
  const format = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const zone = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const offset =
    zone
      .formatToParts(at)
      .find(({ type }) => type === 'timeZoneName')
      ?.value.slice('GMT'.length) ?? '';
  return `${format.format(at).replace(' ', 'T')}${offset === '' ? 'Z' : offset}`;
}

function writeStatus(before: LiveCronJob, status: CronJobStatus | undefined, { store }: ControllerContext): void {
  if (sameJson(status ?? {}, before.status ?? {})) return;
  store.updateStatus<CronJob>(kinds.cronJob, { ...before, status: status ?? {} });
}
