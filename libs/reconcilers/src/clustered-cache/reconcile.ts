import type { ClusteredCache } from '@ordinal/api';
import { clusteredCaches } from '@ordinal/api';
import type { Job, ObjectKey, Pod } from '@ordinal/client';
import { controllerOf, jobs, pods, statefulSets } from '@ordinal/client';
import { cacheSelector, upgradeTasks, ownerUidLabel, selectorText } from '@ordinal/constructs';
import { requeueAfter } from '@ordinal/runtime';
import type { ReconcileContext, Result } from '@ordinal/runtime';
import type {
  Asking,
  Decision,
  ObservedReservations,
  Probes,
  Question,
  RolloutAnswer,
  Seals,
  OwnJobs,
  SealedJobs,
  SealedStatuses,
} from '@ordinal/lifecycle';
import { askUntilDecided, decideOnError, execute, isSilent, lifeOf, putQuestion } from '@ordinal/lifecycle';
import { adoptJobs } from '../adopt-jobs.ts';
import { decideClusteredCache } from './decide.ts';
import { recordedDeadline } from '../upgrade/lateness.ts';
import { checksOf } from './member-checks.ts';
import type { CacheObservation } from './observe.ts';
import { jobsAmong, withOutputs } from '../upgrade/jobs.ts';
import { observe, podsOf } from './observe.ts';
import { cacheHold, releasePods } from './release.ts';
import { belongsTo, holderOf } from './taken-out.ts';
import { toBuild } from './template.ts';

/** What the reconciler needs beside its context. */
export interface ClusteredCacheOptions {
  readonly seals: Seals;
  /** How members are asked. */
  readonly probes: Probes;
}

/** What stays from one reconcile to the next. */
export interface ClusteredCacheMemory {
  readonly reservations: ObservedReservations;
  readonly statuses: SealedStatuses<ClusteredCache>;
  readonly sealedJobs: SealedJobs;
}

/** How often a decision may ask on: it asks about roles, sync, the hand-off and gates one after the other, so that more is an error of ours. */
const maxRounds = 10;

/** What a decision is made with beside the context. */
type Deciding = Pick<ClusteredCacheOptions, 'probes'> & Pick<ClusteredCacheMemory, 'sealedJobs'>;

/** Asks until it can be decided. */
async function decide(observed: CacheObservation, context: ReconcileContext, made: Deciding): Promise<Decision> {
  const { signal, clock, outside } = context;
  const answers = new Map<string, RolloutAnswer>();
  const how: Asking = { probes: made.probes, signal, clock, outside };
  const put = (question: Question): Promise<RolloutAnswer> => putQuestion(question, checksOf(observed.cache.spec), how);
  const decideOn = (seen: CacheObservation) =>
    askUntilDecided(
      { decide: () => decideClusteredCache(seen, { answers, now: clock.now() }), put, maxRounds },
      answers,
    );
  let verdict = await decideOn(observed);
  if (verdict && 'confirm' in verdict) verdict = await decideOn(await confirmMembers(observed, context, made));
  if (!verdict || 'confirm' in verdict)
    throw new Error(`the decision about ${observed.cache.metadata.name} still asks after ${maxRounds} rounds`);
  return verdict.decision;
}

/** Whom the cache's own record says to be held, or about to be. */
function recordedHolds({ status }: ClusteredCache): readonly { readonly pod: string; readonly uid: string }[] {
  const { held = [], step, pod, podUID } = status?.upgrade ?? {};
  const next = step === 'Holding' && pod !== undefined && podUID !== undefined ? [{ pod, podUID }] : [];
  return [...held, ...next].map((hold) => ({ pod: hold.pod, uid: hold.podUID }));
}

/**
 * The pods of a cache as the API server has them, not before the cache was as it is seen. No list shows those that were taken out by their labels: each that is known
 * to be held, from the pods as they were seen or from the cache's own record, is looked for by its name.
 */
async function podsNow({ cache, pods: known }: CacheObservation, context: ReconcileContext): Promise<readonly Pod[]> {
  const { namespace = '', name, resourceVersion } = cache.metadata;
  const { signal } = context;
  const labelSelector = selectorText(cacheSelector(toBuild(cache)));
  const resource = context.client(pods).namespace(namespace);
  const options = { labelSelector, resourceVersion, resourceVersionMatch: 'NotOlderThan', signal } as const;
  const { items } = await resource.list(options);
  const listed = new Set(items.map(({ metadata }) => metadata.uid));
  const held = [
    ...known.filter((pod) => holderOf(pod) === name).map(({ metadata }) => ({ pod: metadata.name, uid: metadata.uid })),
    ...recordedHolds(cache),
  ];
  const missing = new Set(held.flatMap(({ pod, uid }) => (listed.has(uid) ? [] : [pod])));
  const found = await Promise.all([...missing].map((each) => resource.find(each, { signal })));
  const takenOut = found.flatMap((pod) =>
    pod && holderOf(pod) === name && !listed.has(pod.metadata.uid) ? [pod] : [],
  );
  return [...items.filter((pod) => belongsTo(toBuild(cache), pod)), ...takenOut].sort((a, b) =>
    a.metadata.name < b.metadata.name ? -1 : 1,
  );
}

/** What is seen of the members, once more, by the API server itself. The set is read last: a pod that goes with it is not seen without it. */
async function confirmMembers(
  seen: CacheObservation,
  context: ReconcileContext,
  { sealedJobs }: Pick<Deciding, 'sealedJobs'>,
): Promise<CacheObservation> {
  const { namespace = '', name } = seen.cache.metadata;
  const present = await podsNow(seen, context);
  const sets = context.client(statefulSets).namespace(namespace);
  const set = await sets.find(name, { signal: context.signal });
  const made = upgradeTasks(seen.cache.spec).length > 0 && (await jobsNow(seen, context, sealedJobs.of(seen.cache)));
  // The view of before is older than the pods.
  const isSizeSeen = (seen.children.set?.status?.observedGeneration ?? 0) >= (set?.metadata.generation ?? 0);
  return { ...seen, ...made, pods: present, children: { ...seen.children, set }, isConfirmed: true, isSizeSeen };
}

/** The Jobs of a cache and their pods as the API server has them. */
async function jobsNow(
  { cache }: CacheObservation,
  { client, signal }: ReconcileContext,
  own: OwnJobs,
): Promise<Pick<CacheObservation, 'jobs' | 'taskPods'>> {
  const { namespace = '', name, uid } = cache.metadata;
  const ours = { labelSelector: selectorText(cacheSelector({ name })), signal };
  const theirs = { labelSelector: `${ownerUidLabel}=${uid}`, signal };
  const [made, working] = await Promise.all([
    client(jobs).namespace(namespace).list(ours),
    client(pods).namespace(namespace).list(theirs),
  ]);
  const controlled = made.items.filter((job) => controllerOf(job)?.uid === uid);
  return jobsAmong(cache, { jobs: controlled, pods: working.items, own });
}

/**
 * The pods of a cache that is being deleted and holds on for them, as the API server has them, not before its deletion: one that is not released before the cache
 * has gone stays held (S0.6).
 */
async function confirmPods(seen: CacheObservation, context: ReconcileContext): Promise<CacheObservation> {
  if (lifeOf(seen.cache, cacheHold) !== 'leaving') return seen;
  return { ...seen, pods: await podsNow(seen, context) };
}

/** Releases the pods of a cache that is gone. One that is not seen may be there: the API server is asked, where a pod is held. */
async function releaseOrphans(key: ObjectKey, context: ReconcileContext): Promise<Result> {
  const actions = releasePods(podsOf(key, context.cache), 'its ClusteredCache is gone');
  if (actions.length === 0) return {};
  const caches = context.client(clusteredCaches).in(key.namespace);
  if (await caches.find(key.name, { signal: context.signal })) return requeueAfter(unseenAgainMs);
  return execute({ actions }, context);
}

/** How long until the operator looks again for a cache that the caches do not show, in milliseconds. */
const unseenAgainMs = 1_000;

/**
 * Brings a ClusteredCache one step closer to what it asks for: observe, decide, act.
 *
 * **Guarantees.** Pods of a cache that is gone are released. A failure is reported in an event and in the status, and tried again ever more slowly; one
 * that only means that we saw an old state is not reported, and the queue tries again.
 */
export async function reconcileClusteredCache(
  key: ObjectKey,
  context: ReconcileContext,
  { probes, reservations, statuses, sealedJobs }: Pick<ClusteredCacheOptions, 'probes'> & ClusteredCacheMemory,
): Promise<Result> {
  const stored = context.cache.get(clusteredCaches, key);
  if (stored && !statuses.trusts(stored)) return statuses.putRight(stored, context);
  if (stored && statuses.predatesSealedJobs(stored)) {
    const isMade = (job: Job): boolean => controllerOf(job)?.uid === stored.metadata.uid;
    if (await adoptJobs(stored, { own: sealedJobs.of(stored), isMade }, context)) return requeueAfter(0);
  }
  const seal = statuses.sealed;
  const seen = observe(key, { reader: context.cache, clock: context.clock, reservations, sealedJobs });
  if (!seen) return releaseOrphans(key, context);
  try {
    const whole = await withOutputs({ seen: await confirmPods(seen, context), status: seen.cache.status }, context);
    const { create } = sealedJobs.of(seen.cache);
    return await execute(await decide(whole, context, { probes, sealedJobs }), context, { seal, create });
  } catch (failure) {
    if (isSilent(failure) || context.signal.aborted) throw failure;
    context.log.warn({ error: failure }, `ClusteredCache ${key.namespace}/${key.name} could not be reconciled`);
    // The object as it is now: the reconcile that failed may have written its status before.
    const object = await context.client(clusteredCaches).in(key.namespace).find(key.name, { signal: context.signal });
    if (!object) return {};
    const subject = { descriptor: clusteredCaches, object, due: recordedDeadline(object) };
    return execute(decideOnError(failure, subject, context.clock.now()), context, { seal });
  }
}
