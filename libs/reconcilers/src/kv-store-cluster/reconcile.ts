import type { KVStoreCluster } from '@ordinal/api';
import { kvStoreClusters } from '@ordinal/api';
import type { Job, KubernetesObject, ObjectKey } from '@ordinal/client';
import { persistentVolumeClaims, pods, statefulSets, instantOf } from '@ordinal/client';
import { purposeLabel } from '@ordinal/constructs';
import type { ControllerOptions, ReconcileContext, Result } from '@ordinal/runtime';
import { awaitChange, requeueAfter } from '@ordinal/runtime';
import type { Answers, Asking, CleanupMetrics, Decision, Probes, Question, Seals } from '@ordinal/lifecycle';
import {
  askUntilDecided,
  earliest,
  execute,
  decideOnError,
  isSilent,
  problemOf,
  noCleanupMetrics,
  nothing,
  ObservedReservations,
  putQuestion,
  SealedJobs,
  SealedStatuses,
  writeBack,
} from '@ordinal/lifecycle';
import { adoptJobs } from '../adopt-jobs.ts';
import { decideAdoption, looksAtAdopted } from './adoption.ts';
import { jobMarks, reservationAnnotation } from '../annotations.ts';
import type { DecisionInputs } from '../kind.ts';
import type { ClusterDecision } from './decide.ts';
import { decideKVStoreCluster } from './decide.ts';
import { decideOnRefusedBackup } from './deletion-refused.ts';
import { takesControl } from './ahead-members.ts';
import { closesDrill } from './drill/observe.ts';
import { withScratch } from './drill/scratch.ts';
import { isExclusive } from './exclusive-jobs.ts';
import { withFailedJobs } from './failed-jobs.ts';
import { wasMadeFor } from './jobs.ts';
import { checksOf } from './member-checks.ts';
import { clusterMemory } from './memory.ts';
import type { Observation } from './observation.ts';
import { confirmAdopted, confirmWhatOutlives, observeKVStoreCluster } from './observe.ts';
import { validateKVStoreCluster } from './validate.ts';
import { decideBlocked, blockedOf } from './blocked.ts';
import { recordedDeadline } from './lateness.ts';

/** What the controller of KVStoreCluster is made of. */
export interface KVStoreClusterOptions {
  readonly seals: Seals;
  readonly probes: Probes;
  readonly metrics?: CleanupMetrics;
  readonly controller?: ControllerOptions;
}

/** How often a decision may ask on: about roles, sync, the hand-off and gates, one after the other. */
const maxRounds = 10;

/** What was decided, and on what that rests. */
interface Planned {
  readonly seen: Observation;
  readonly planned: Decision;
}

/** Observes, decides and acts for one KVStoreCluster at a time. */
export class KVStoreClusterReconciler {
  private readonly probes: Probes;
  private readonly metrics: CleanupMetrics;
  private readonly statuses: SealedStatuses<KVStoreCluster>;
  private readonly jobs: SealedJobs;
  private readonly reservations = new ObservedReservations(reservationAnnotation);

  constructor({ probes, seals, metrics = noCleanupMetrics }: KVStoreClusterOptions) {
    this.statuses = new SealedStatuses(clusterMemory, seals);
    this.jobs = new SealedJobs(kvStoreClusters, seals, jobMarks);
    this.probes = probes;
    this.metrics = metrics;
  }

  /** One reconcile of the object at this key: at its end the next look is known. */
  async reconcile(key: ObjectKey, context: ReconcileContext): Promise<Result> {
    const stored = context.cache.get(kvStoreClusters, key);
    if (stored && !this.statuses.trusts(stored)) return this.statuses.putRight(stored, context);
    if (stored && this.statuses.predatesSealedJobs(stored)) {
      const isMade = (job: Job): boolean => wasMadeFor(stored, job);
      if (await adoptJobs(stored, { own: this.jobs.of(stored), isMade }, context)) return requeueAfter(0);
    }
    const shown = await observeKVStoreCluster(key, context, {
      ...{ statuses: this.statuses, jobs: this.jobs, reservations: this.reservations },
    });
    if (!shown) return awaitChange();
    let observed = shown;
    try {
      if (looksAtAdopted(shown)) observed = await confirmAdopted(shown, context);
      const first = await this.ask(observed, context);
      const { seen, planned } = reportsBypass(first.planned)
        ? await this.ask(await this.withReservation(observed, context), context)
        : first;
      const decision = isToConfirm(planned, seen) ? await this.confirm(seen, context) : planned;
      const created = (made: KubernetesObject) => this.record(made, seen.cluster, context);
      const { create } = this.jobs.of(seen.cluster);
      const result = await execute(decision, context, { seal: this.statuses.sealed, create, created });
      this.count(seen, decision, context.clock.now());
      return result;
    } catch (failure) {
      if (isSilent(failure) || context.signal.aborted) throw failure;
      if (observed.cluster.metadata.deletionTimestamp !== undefined)
        this.metrics.failed(kvStoreClusters.kind, problemOf(failure).reason);
      // The object as it is now: the reconcile that failed may have written its status before.
      const { signal } = context;
      const object = await context.client(kvStoreClusters).in(key.namespace).find(key.name, { signal });
      if (!object) return {};
      const subject = { descriptor: kvStoreClusters, object, due: recordedDeadline(object) };
      const failedAt = context.clock.now();
      const refused = decideOnRefusedBackup(failure, object, failedAt);
      const reported = refused ? withFailedJobs(refused, object, failedAt) : decideOnError(failure, subject, failedAt);
      return execute(reported, context, { seal: this.statuses.sealed });
    }
  }

  /** Asks members until it can be decided, with what they answered. Where it still asks after so many rounds, what is not known is a no. */
  private async ask(observed: Observation, { clock, signal, outside }: ReconcileContext): Promise<Planned> {
    const checks = checksOf(observed.cluster.spec);
    const how: Asking = { probes: this.probes, signal, clock, outside };
    const put = (question: Question) => putQuestion(question, checks, how);
    let last: Planned = { seen: observed, planned: nothing };
    const decideWith = (answers: Answers): Planned | { readonly ask: readonly Question[] } => {
      const seen = answers.size === 0 ? observed : { ...observed, asked: new Map(answers) };
      const { ask, ...planned } = decide(seen, { now: clock.now() });
      last = { seen, planned };
      return ask ? { ask } : last;
    };
    return (await askUntilDecided({ decide: decideWith, put, maxRounds })) ?? last;
  }

  /** The finalizer and volumes are deleted only on what is known for certain. What the caches have never seen starts no reconcile when it is gone: we look again. */
  private async confirm(seen: Observation, context: ReconcileContext): Promise<Decision> {
    const now = context.clock.now();
    const { ask: _ask, ...decision } = decide(
      await confirmWhatOutlives(seen, context, { statuses: this.statuses, jobs: this.jobs }),
      { now },
    );
    const again = earliest(decision.lookAgainAt, now + confirmAgainMs);
    return endsDeletion(decision) || again === undefined ? decision : { ...decision, lookAgainAt: again };
  }

  /** The same with the annotations and the status that the API server has now: a reservation, or how far a reduction has come, may be newer than what the informers show of the cluster, and is older than the deletion. */
  private async withReservation(seen: Observation, { client, signal }: ReconcileContext): Promise<Observation> {
    const { namespace = '', name } = seen.cluster.metadata;
    const now = await client(kvStoreClusters).namespace(namespace).find(name, { signal });
    const { annotations = {} } = now?.metadata ?? {};
    const { status } = now && this.statuses.trusts(now) ? now : seen.cluster;
    const cluster = { ...seen.cluster, metadata: { ...seen.cluster.metadata, annotations } };
    return { ...seen, cluster: { ...cluster, ...(status && { status }) } };
  }

  /** Records which cluster was made for a drill, before another client can put one in its place: its UID shows, and nothing that can be copied. */
  private async record(made: KubernetesObject, object: KVStoreCluster, context: ReconcileContext): Promise<void> {
    if (made.kind !== kvStoreClusters.kind) return;
    const statusAfter = (fresh: KVStoreCluster) => withScratch(fresh, made);
    await writeBack({ descriptor: kvStoreClusters, object, statusAfter, seal: this.statuses.sealed }, context);
  }

  /** For metrics alone: a clean-up that has come to its end, and Jobs of one that have failed. */
  private count({ cluster }: Observation, { actions, events = [] }: Decision, now: number): void {
    const since = instantOf(cluster.metadata.deletionTimestamp);
    if (since === undefined) return;
    if (endsDeletion({ actions })) this.metrics.finished(kvStoreClusters.kind, (now - since) / 1000);
    for (const { reason } of events)
      if (failuresOfCleanUp.has(reason)) this.metrics.failed(kvStoreClusters.kind, reason);
  }
}

/** The events of Jobs that a deletion waits for, each once for each failure. Other warnings speak of what lasts (`JobFailed`), or of what was left out. */
const failuresOfCleanUp: ReadonlySet<string> = new Set(['BeforeDeleteFailed', 'FinalBackupFailed', 'BackupFailed']);

/** How long until what the caches do not show is looked for again, in milliseconds. */
const confirmAgainMs = 5_000;

const endsDeletion = ({ actions }: Pick<Decision, 'actions'>): boolean =>
  actions.some(({ kind }) => kind === 'removeFinalizer');

/** Whether a decision rests on what a late view of the caches may show wrong: it is made once more on what the API server itself has. */
const isToConfirm = (planned: Decision, seen: Observation): boolean =>
  isFinal(planned, seen) ||
  beginsAlone(planned, seen) ||
  reportsBackup(planned) ||
  closesDrill(planned, seen) ||
  takesControl(planned, seen);

/** Whether something is done that can't be undone: the finalizer or a volume goes, or members are taken down with their cluster. */
function isFinal(decision: Pick<Decision, 'actions'>, { cluster }: Observation): boolean {
  const deleted = decision.actions.flatMap((action) => (action.kind === 'delete' ? [action.descriptor.kind] : []));
  const isGoing = cluster.metadata.deletionTimestamp !== undefined;
  return (
    endsDeletion(decision) ||
    deleted.includes(persistentVolumeClaims.kind) ||
    (isGoing && (deleted.includes(statefulSets.kind) || deleted.includes(pods.kind)))
  );
}

/**
 * Whether a Job begins that no other may be beside, or that may have the name of one before, or the members of a cluster that one has filled. What the caches do not show
 * yet may be at work, stand for what is asked for now, or serve.
 */
function beginsAlone({ actions }: Pick<Decision, 'actions'>, { cluster }: Observation): boolean {
  return actions.some(
    (action) =>
      (action.kind === 'create' && beginsConfirmed(action.object.metadata.labels?.[purposeLabel], cluster)) ||
      (action.kind === 'apply' &&
        action.descriptor.kind === statefulSets.kind &&
        action.onlyIfAbsent === true &&
        cluster.spec.restoreFrom !== undefined),
  );
}

/** The final backup does where a Job that writes was ever made, as stands in the status first. */
const beginsConfirmed = (purpose: string | undefined, { status }: KVStoreCluster): boolean =>
  isExclusive(purpose) ||
  purpose === 'Backup' ||
  purpose === 'Prune' ||
  (purpose === 'FinalBackup' && status?.hooks?.some((record) => isExclusive(record.purpose)) === true);

/** Whether a deletion past the gate is reported. */
const reportsBypass = ({ events = [] }: Pick<Decision, 'events'>): boolean =>
  events.some(({ reason }) => reason === 'GateBypassed');

/** Whether the end of a backup is reported: an old view may show the Job of an earlier one of its name, which has gone for it. */
const reportsBackup = ({ events = [] }: Pick<Decision, 'events'>): boolean =>
  events.some(({ reason }) => reason === 'BackupSucceeded' || reason === 'BackupFailed');

function decide(seen: Observation, inputs: DecisionInputs): ClusterDecision {
  if (seen.cluster.metadata.deletionTimestamp !== undefined) return decideKVStoreCluster(seen, inputs);
  const blocked = blockedOf(seen, validateKVStoreCluster(seen.cluster));
  if (blocked) return decideBlocked(seen, blocked, inputs.now);
  return decideAdoption(seen, inputs.now) ?? decideKVStoreCluster(seen, inputs);
}
