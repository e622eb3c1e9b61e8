import type { Condition, KubernetesObject } from '@ordinal/client';
import type { Invariant } from '@ordinal/explorer';
import { Memories } from '../../../libs/reconcilers/test/world/restored.ts';
import type { Visible } from './failures-are-visible.ts';

/** What a status says of the end of a Job, or of a drill. */
interface Ended {
  readonly result?: string;
  readonly finishedAt?: string;
}

/** What of a status this oracle reads, of whichever kind. */
interface Status {
  readonly conditions?: readonly Condition[];
  readonly hooks?: readonly (Ended & { readonly purpose: string; readonly job: string })[];
  readonly backups?: readonly (Ended & { readonly job: string })[];
  readonly drills?: readonly (Ended & { readonly name: string; readonly startedAt: string })[];
  readonly cleanupTask?: Ended & { readonly job: string };
  readonly upgrade?: { readonly step?: string; readonly blockedBy?: string };
}

const statusOf = (object: KubernetesObject | undefined): Status =>
  (object as { readonly status?: Status } | undefined)?.status ?? {}; // Of one of the four kinds.

const hasFailed = ({ result }: Ended): boolean => result === 'Failed';

/** Their failure is that of the upgrade or the drill, or stands in a list. */
const reportedElsewhere: ReadonlySet<string> = new Set(['Analysis', 'RestoreDrill', 'Backup']);

/** The backup that ended last, which says whether there is a good one. */
const newest = (backups: NonNullable<Status['backups']>) =>
  backups
    .filter(({ result }) => result !== undefined)
    .sort((a, b) => (a.finishedAt ?? '').localeCompare(b.finishedAt ?? ''))
    .at(-1);

/** The Jobs and drills that an object's status says to have failed, by their names, with the condition that shows it: those whose failure is no old story. */
function failedIn(object: KubernetesObject | undefined): ReadonlyMap<string, string> {
  const { hooks = [], backups = [], drills = [], cleanupTask, upgrade } = statusOf(object);
  const isLeaving = object?.metadata.deletionTimestamp !== undefined;
  const backup = isLeaving ? undefined : newest(backups);
  const drill = isLeaving ? undefined : drills.findLast(({ result }) => result !== undefined);
  const gate = /the Job (\S+) has failed/.exec(upgrade?.blockedBy ?? '')?.[1];
  // An upgrade that has failed asks no more: that it has says what it waited for last.
  const ofGate = upgrade?.step === 'Failed' ? 'Degraded' : 'CheckFailed';
  const failedHooks = hooks.filter((hook) => hasFailed(hook) && !reportedElsewhere.has(hook.purpose));
  return new Map([
    ...failedHooks.map(({ job, purpose }) => [job, purpose === 'BeforeScaleDown' ? 'Scaled' : 'JobFailed'] as const),
    ...(cleanupTask && hasFailed(cleanupTask) ? [[cleanupTask.job, 'Degraded'] as const] : []),
    ...(backup && hasFailed(backup) ? [[backup.job, 'JobFailed'] as const] : []),
    ...(drill && hasFailed(drill) ? [[`the restore drill ${drill.name} `, 'JobFailed'] as const] : []),
    ...(gate === undefined ? [] : [[gate, ofGate] as const]),
  ]);
}

/** What of a failed Job an object does not show, in the condition of this type and in a gauge; undefined where it shows in both. */
function missingOf(
  { name, type }: { readonly name: string; readonly type: string },
  object: KubernetesObject,
  gauges: ReturnType<Visible['gauges']>,
): string | undefined {
  const { conditions = [] } = statusOf(object);
  const isNamed = conditions.some((condition) => condition.type === type && condition.message.includes(name));
  if (!isNamed) return `the condition ${type} does not name it`;
  const isCounted = gauges.some(({ name: gauge, value }) => /(_failed|_processing_error)$/.test(gauge) && value > 0);
  return isCounted ? undefined : 'no gauge of failures is more than 0';
}

/** What is wrong with a status that says for the first time that a Job has failed: a user who looks at the conditions or at the metrics does not learn of it. Undefined where nothing is. */
export function hiddenFailure(
  { gauges }: Pick<Visible, 'gauges'>,
  { before, after }: { readonly before: KubernetesObject | undefined; readonly after: KubernetesObject },
  now: number,
): string | undefined {
  const known = failedIn(before);
  for (const [name, type] of failedIn(after)) {
    if (known.has(name)) continue;
    const missing = missingOf({ name, type }, after, gauges(after, now));
    if (missing !== undefined) return `${name.trim()} has failed, and ${missing}`;
  }
  return undefined;
}

/** A check without an answer, as a status shows what it waits for. */
const notAnswered = /: (no answer|not asked yet|it can’t be asked)/;

/** The check that a status waits for, and what came of it. An upgrade that has failed waits for none: it shows what it waited for last, and `UpgradeFailed` says so too. */
const waitedFor = ({ upgrade }: Status): string => (upgrade?.step === 'Failed' ? '' : (upgrade?.blockedBy ?? ''));

/** How long a check may be without an answer before that shows, in milliseconds. */
const withinMs = 60_000;

/** What was waited for without an answer, and since when. */
interface Waiting {
  readonly on: string;
  readonly since: number;
}

/**
 * Each status that the operator writes shows the failure of every Job that it records, in a condition that names the Job and in a gauge; and that a check has had no answer for a minute, as long
 * as the operator waits for it. `kind` is that of the object, as requests name it.
 */
export function failedJobsAreVisible(visible: Visible, kind: string): Invariant {
  const memories = new Memories(() => ({
    written: undefined as KubernetesObject | undefined,
    waiting: undefined as Waiting | undefined,
  }));
  return {
    name: 'a Job that has failed, and a check without an answer, show in a condition and a gauge',
    afterRequest: (cluster, { kind: of, subresource, status }) => {
      if (of !== kind || subresource !== 'status' || status >= 300) return undefined;
      const object = visible.find(cluster);
      if (object === undefined) return undefined;
      const memory = memories.of(cluster);
      const now = cluster.clock.now();
      const before = memory.written?.metadata.uid === object.metadata.uid ? memory.written : undefined;
      memory.written = object;
      const blockedBy = waitedFor(statusOf(object));
      if (!notAnswered.test(blockedBy)) memory.waiting = undefined;
      else if (memory.waiting?.on !== blockedBy) memory.waiting = { on: blockedBy, since: now };
      const isLong = memory.waiting !== undefined && now - memory.waiting.since > withinMs;
      const isShown = statusOf(object).conditions?.some(({ type }) => type === 'CheckFailed') === true;
      if (isLong && !isShown) return `${blockedBy}, for a minute, and CheckFailed does not say so`;
      return hiddenFailure(visible, { before, after: object }, now);
    },
  };
}
