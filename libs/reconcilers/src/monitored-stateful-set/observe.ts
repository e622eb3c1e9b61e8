import { monitoredStatefulSets } from '@ordinal/api';
import type { MonitoredStatefulSet } from '@ordinal/api';
import { controllerOf, jobs, namespaces, pods, statefulSets, instantOf } from '@ordinal/client';
import type { Instant, ObjectKey, Pod, StatefulSet } from '@ordinal/client';
import { ownerUidLabel, taskOfLabel } from '@ordinal/constructs';
import { hasFinalizer } from '@ordinal/runtime';
import type { CacheReader, ReconcileContext } from '@ordinal/runtime';
import { isPaused } from '../annotations.ts';
import type { ObservedReservations, OutsideContext, LookupResult, OwnJobs, SealedJobs } from '@ordinal/lifecycle';
import {
  isOver,
  recordAfterRestore,
  ExternalError,
  lookUp,
  recentRestore,
  jobState,
  unreadyCause,
} from '@ordinal/lifecycle';
import { jobsAmong } from '../upgrade/jobs.ts';
import { cleanupJobFor } from './cleanup.ts';
import { accessTo } from './credentials.ts';
import type { Recorded } from './credentials.ts';
import type { Monitors, MonitorSystem, MonitorView } from './monitor.ts';
import { isOneTooMany } from './place-limit.ts';
import type { Place } from './place.ts';
import { monitoredSetFinalizer } from './children.ts';
import { podsOf } from './members.ts';
import type { MonitoredSetObservation } from './observation.ts';
import { labelsText } from './selector.ts';

/** What a set is looked at with, beside the context. */
interface ObservedWith {
  readonly monitors: Monitors;
  readonly jobs: SealedJobs;
  /** What was seen of reservations before: the same for as long as the process runs. */
  readonly reservations: ObservedReservations;
}

/** Observes a MonitoredStatefulSet: caches first, then each monitor where anything depends on it. Undefined where there is no such object. */
export async function observeMonitoredSet(
  key: ObjectKey,
  context: ReconcileContext,
  { monitors, jobs: sealedJobs, reservations }: ObservedWith,
): Promise<MonitoredSetObservation | undefined> {
  const set = context.cache.get(monitoredStatefulSets, key);
  if (set === undefined) {
    reservations.forget(key);
    return undefined;
  }
  const own = sealedJobs.of(set);
  const workload = observeAround(set, context.cache, { reserved: reservations.current(set, context.clock), own });
  if (!hasFinalizer(set, monitoredSetFinalizer) || isPaused(set)) return workload;
  const cleanup = await observeCleanup(set, context, own);
  const isWaiting = cleanup !== undefined && set.status?.cleanupTask?.result !== 'Succeeded';
  const places: Place[] = [];
  for (const { endpoint, record } of placesOf(set, recentRestore(context))) {
    const { system, credentials } = await accessTo({ endpoint, record }, set, { context, monitors });
    const lookup: LookupResult<MonitorView> = isWaiting
      ? { kind: 'skipped' }
      : await lookAt({ set, endpoint, record, system }, context);
    places.push({ endpoint, record, system, credentials, lookup });
  }
  return { ...workload, places, cleanup };
}

/** Looks at what belongs to a set in the cluster, and at the set as it is given: at no monitor, and at no clean-up. `reserved`: the UID of the member that may be deleted now. */
export function observeAround(
  set: MonitoredStatefulSet,
  cache: CacheReader,
  { reserved, own }: { readonly reserved: string | undefined; readonly own: OwnJobs },
): MonitoredSetObservation {
  const { name, namespace = '' } = set.metadata;
  const statefulSet = cache.get(statefulSets, { namespace, name });
  const around = {
    set,
    statefulSet,
    ...observeMembers(set, { statefulSet, cache, own }),
    reserved,
    isConfirmed: false,
    isSizeSeen: false,
  };
  return { ...around, places: [], cleanup: undefined };
}

/** The first member that does not get ready, and why: a sentence. Undefined where all are ready, or start as usual. */
function unreadyOf(statefulSet: StatefulSet | undefined, cache: CacheReader): string | undefined {
  const members = statefulSet === undefined ? [] : cache.ownedBy(pods, statefulSet.metadata.uid);
  const [first] = members
    .flatMap((pod) => ({ name: pod.metadata.name, cause: unreadyCause(pod) }))
    .filter(({ cause }) => cause !== undefined)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return first && `${first.name} is not ready: ${first.cause ?? ''}`;
}

/** The pods and Jobs of a set whose pods the operator replaces; of any other set, only why its members do not get ready. */
function observeMembers(
  set: MonitoredStatefulSet,
  {
    statefulSet,
    cache,
    own,
  }: { readonly statefulSet: StatefulSet | undefined; readonly cache: CacheReader; readonly own: OwnJobs },
): Pick<MonitoredSetObservation, 'pods' | 'jobs' | 'taskPods' | 'outputs' | 'unready'> {
  if (!set.spec.upgrade)
    return { pods: [], jobs: [], taskPods: [], outputs: new Map(), unready: unreadyOf(statefulSet, cache) };
  const { name, namespace = '', uid } = set.metadata;
  return {
    pods: podsOf(set, cache.list(pods, { namespace })),
    ...jobsAmong(set, {
      jobs: cache.ownedBy(jobs, uid),
      pods: cache.list(pods, { namespace, labels: { [taskOfLabel]: name } }),
      own,
    }),
    outputs: new Map(),
  };
}

/** What is seen of the members and Jobs, once more, by the API server itself. The StatefulSet is read last: a pod that goes with it is not seen without it. */
export async function confirmMembers(
  seen: MonitoredSetObservation,
  { client, signal }: Pick<ReconcileContext, 'client' | 'signal'>,
  own: OwnJobs,
): Promise<MonitoredSetObservation> {
  const { set } = seen;
  const { namespace = '', name, uid, resourceVersion } = set.metadata;
  const ours = { resourceVersion, resourceVersionMatch: 'NotOlderThan', signal } as const;
  const labelSelector = labelsText(set.spec.statefulSetSpec.selector);
  const [members, made, working] = await Promise.all([
    client(pods)
      .namespace(namespace)
      .list({ ...ours, ...(labelSelector === '' ? {} : { labelSelector }) }),
    client(jobs)
      .namespace(namespace)
      .list({ labelSelector: `app.kubernetes.io/instance=${name}`, signal }),
    client(pods)
      .namespace(namespace)
      .list({ labelSelector: `${ownerUidLabel}=${uid}`, signal }),
  ]);
  const statefulSet = await client(statefulSets).namespace(namespace).find(name, { signal });
  const within = await client(namespaces).cluster().find(namespace, { signal });
  // The view of before is older than the pods.
  const isSizeSeen = (seen.statefulSet?.status?.observedGeneration ?? 0) >= (statefulSet?.metadata.generation ?? 0);
  const isListed = ({ metadata }: Pod): boolean => members.items.some((pod) => pod.metadata.uid === metadata.uid);
  return {
    ...{ ...seen, statefulSet, isConfirmed: true, isSizeSeen },
    gone: seen.pods.filter((pod) => pod.metadata.deletionTimestamp !== undefined && !isListed(pod)),
    namespaceEnds: within?.metadata.deletionTimestamp !== undefined,
    pods: podsOf(set, members.items),
    ...jobsAmong(set, { jobs: made.items.filter((job) => controllerOf(job)?.uid === uid), pods: working.items, own }),
  };
}

/**
 * The monitors that matter: the one of the spec, unless the set is leaving and was never there; then all others that may hold an entry. After a restore of the
 * API server's store it may have been there, whatever the status says.
 */
function placesOf(
  { metadata, spec, status }: MonitoredStatefulSet,
  restoredAt: Instant | undefined,
): readonly Recorded[] {
  const registrations = status?.registrations ?? [];
  const incarnationElsewhere = Math.max(0, ...registrations.map(({ incarnation }) => incarnation));
  const at = (endpoint: string, record: Recorded['record']): Recorded => {
    const known = recordAfterRestore(record, { owner: metadata.uid, incarnationElsewhere }, restoredAt);
    return { endpoint, record: known && { ...known, endpoint } };
  };
  const recorded = registrations.map((record) => at(record.endpoint, record));
  const current = recorded.find(({ endpoint }) => endpoint === spec.monitorEndpoint);
  const others = recorded.filter((place) => place !== current);
  if (current) return [current, ...others];
  return metadata.deletionTimestamp === undefined || restoredAt !== undefined
    ? [at(spec.monitorEndpoint, undefined), ...others]
    : others;
}

async function lookAt(
  {
    set,
    endpoint,
    record,
    system,
  }: { readonly set: MonitoredStatefulSet; readonly system: MonitorSystem | ExternalError } & Recorded,
  context: OutsideContext & Pick<ReconcileContext, 'clock'>,
): Promise<LookupResult<MonitorView>> {
  const isDeleted = set.metadata.deletionTimestamp !== undefined;
  if (!isDeleted && isOneTooMany({ endpoint, record }, set)) return { kind: 'skipped' };
  const leaving = isDeleted || endpoint !== set.spec.monitorEndpoint;
  if (isDeleted && set.spec.deletionPolicy === 'Retain') return { kind: 'skipped' };
  if (leaving && record === undefined) return { kind: 'skipped' };
  if (system instanceof ExternalError) return { kind: 'failed', error: system };
  const lookUps = isKnownMissing(record, { leaving, now: context.clock.now() }) ? 'Missing' : 'Optional';
  return lookUp(system, { owner: set.metadata.uid, record, leaving, lookUp: lookUps }, context);
}

/** How long it is believed that a monitor offers no look-ups, in milliseconds. */
const lookUpAgainMs = 6 * 3_600_000;

/** What was registered without look-ups is removed without them. */
function isKnownMissing(
  record: Recorded['record'],
  { leaving, now }: { readonly leaving: boolean; readonly now: Instant },
): boolean {
  const since = instantOf(record?.lookUpMissingAt);
  return since !== undefined && (leaving || !isOver(since, lookUpAgainMs, now));
}

async function observeCleanup(
  set: MonitoredStatefulSet,
  { cache, client, clock, signal }: ReconcileContext,
  own: OwnJobs,
): Promise<MonitoredSetObservation['cleanup']> {
  const { metadata, spec, status } = set;
  if (metadata.deletionTimestamp === undefined || spec.cleanup !== 'Job' || spec.deletionPolicy === 'Retain')
    return undefined;
  const namespace = metadata.namespace ?? '';
  const name = cleanupJobFor(set).metadata.name ?? '';
  const found = cache.get(jobs, { namespace, name });
  // One that another client has made says nothing.
  const job = found && own.isOwn(found) ? found : undefined;
  if (status?.cleanupTask?.result === 'Succeeded') return { job, output: undefined };
  const place = await client(namespaces).cluster().find(namespace, { signal });
  if (place?.metadata.deletionTimestamp !== undefined) return undefined;
  const state = jobState(job, clock.now()).state;
  if (state !== 'Failed') return { job, output: undefined };
  const { items } = await client(pods)
    .namespace(namespace)
    .list({ labelSelector: `batch.kubernetes.io/job-name=${name}`, signal });
  const pod = items.at(-1)?.metadata.name;
  // A log that can't be read any more is no reason to stand still.
  const output =
    pod === undefined
      ? undefined
      : await client.pods
          .logs({ namespace, pod }, { tailLines: 50, limitBytes: 16_384, signal })
          .catch(() => undefined);
  return { job, output };
}
