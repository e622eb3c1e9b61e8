import type { CronJob, CronJobStatus, Job } from 'kubernetes-types/batch/v1.js';
import type { ControllerContext } from '../controller.ts';
import { kinds } from '../kinds.ts';
import type { Live } from '../kinds.ts';

type LiveCronJob = Live<CronJob>;
type LiveJob = Live<Job>;

/** How a Job has ended; undefined while it has not. */
function endOf({ status }: LiveJob): 'Complete' | 'Failed' | undefined {
  const ends = status?.conditions?.filter((condition) => condition.status === 'True').map(({ type }) => type) ?? [];
  if (ends.includes('Complete')) return 'Complete';
  return ends.includes('Failed') ? 'Failed' : undefined;
}

/** Deletes finished Jobs of which there are more than are to be kept, the oldest first. The answer is the status without them. */
export function removeOld(cron: LiveCronJob, jobs: readonly LiveJob[], context: ControllerContext): CronJobStatus {
  const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = cron.spec ?? {};
  const limits = { Complete: successfulJobsHistoryLimit, Failed: failedJobsHistoryLimit } as const;
  const gone = new Set<string>();
  for (const end of ['Complete', 'Failed'] as const) {
    const ended = jobs.filter((job) => endOf(job) === end).sort(byStart);
    const excess = ended.length - (limits[end] ?? ended.length);
    for (const job of ended.slice(0, Math.max(0, excess))) {
      context.store.delete(kinds.job, job, { propagationPolicy: 'Background' });
      context.event(cron, 'Normal', ['SuccessfulDelete', `Deleted job ${job.metadata.name}`]);
      gone.add(job.metadata.uid);
    }
  }
  return withoutActive(cron.status, gone);
}

function byStart(left: LiveJob, right: LiveJob): number {
  const [a, b] = [left, right].map(({ status }) => status?.startTime ?? '~');
  return a === b ? (left.metadata.name < right.metadata.name ? -1 : 1) : (a ?? '') < (b ?? '') ? -1 : 1;
}

function withoutActive(status: CronJobStatus | undefined, uids: ReadonlySet<string>): CronJobStatus {
  const { active, ...rest } = status ?? {};
  const left = (active ?? []).filter(({ uid }) => !uids.has(uid ?? ''));
  return left.length === 0 ? rest : { ...rest, active: left };
}

/** The status after what has become of the Jobs: those that have ended are active no more, and the last success is noted. */
export function withJobsSeen(cron: LiveCronJob, jobs: readonly LiveJob[], context: ControllerContext): CronJobStatus {
  const { event } = context;
  const active = new Set((cron.status?.active ?? []).map(({ uid }) => uid));
  const over = new Set(missingOf(cron, context));
  for (const job of jobs) {
    const { name, uid } = job.metadata;
    const end = endOf(job);
    if (end !== undefined && active.has(uid)) {
      over.add(uid);
      event(cron, 'Normal', ['SawCompletedJob', `Saw completed job: ${name}, condition: ${end}`]);
    } else if (end === undefined && !active.has(uid))
      event(cron, 'Warning', ['UnexpectedJob', `Saw a job that the controller did not create or forgot: ${name}`]);
  }
  const status = withoutActive(cron.status, over);
  const successes = jobs.flatMap((job) => (endOf(job) === 'Complete' ? (job.status?.completionTime ?? []) : []));
  const lastSuccessfulTime = [...successes, status.lastSuccessfulTime ?? ''].sort().at(-1);
  return lastSuccessfulTime === undefined || lastSuccessfulTime === '' ? status : { ...status, lastSuccessfulTime };
}

/** The UIDs of active Jobs that are gone. */
function missingOf(cron: LiveCronJob, { store, event }: ControllerContext): readonly string[] {
  const namespace = cron.metadata.namespace ?? '';
  return (cron.status?.active ?? []).flatMap(({ name = '', uid = '' }) => {
    if (store.find<Job>(kinds.job, namespace, name)?.metadata.uid === uid) return [];
    event(cron, 'Normal', ['MissingJob', `Active job went missing: ${name}`]);
    return [uid];
  });
}
