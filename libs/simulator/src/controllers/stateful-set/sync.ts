import type { Instant } from '@ordinal/client';
import { isApiError } from '@ordinal/client';
import type { Pod } from 'kubernetes-types/core/v1.js';
import type { StatefulSetStatus } from 'kubernetes-types/apps/v1.js';
import { sideBySide } from '../../scheduler/work.ts';
import type { Work } from '../../scheduler/work.ts';
import type { ControllerContext } from '../controller.ts';
import { deleteObject } from '../controller.ts';
import { kinds } from '../kinds.ts';
import type { LivePod, LiveStatefulSet } from '../kinds.ts';
import { isTerminating } from '../owner.ts';
import { isPodAvailable, isRunningAndReady } from '../pod-condition.ts';
import type { Draft } from '../store.ts';
import { applyRetention, createMissingClaims, hasStaleClaim, retentionMatches } from './claims.ts';
import {
  identityMatches,
  ordinalOf,
  ordinalRange,
  podFor,
  revisionOf,
  storageMatches,
  withIdentity,
} from './identity.ts';
import type { CurrentRevisions } from './revisions.ts';
import { atRevision } from './revisions.ts';
import { countPods } from './status.ts';

/** What became of one pod: the sync goes on, or it ends here. */
type Step = 'continue' | 'stop';

/** An ordinal that the set wants, with the pod that is there or the one to create. */
interface Replica {
  readonly ordinal: number;
  readonly live?: LivePod;
  readonly draft?: Draft<Pod>;
}

/** One look at a set and its pods. */
interface Sync {
  readonly set: LiveStatefulSet;
  readonly updateSet: LiveStatefulSet;
  readonly revisions: CurrentRevisions;
  readonly now: Instant;
  /** Whether pods come and go one at a time and in order (`OrderedReady`). */
  readonly monotonic: boolean;
  readonly context: ControllerContext;
}

/**
 * Does the next things for a set, in the order and with the early returns of Kubernetes' own controller. In `OrderedReady` any pod that is not ready
 * ends the sync before the update is looked at; so a broken pod is never replaced by a template that is put right (kubernetes#67250).
 */
export function* syncPods(
  set: LiveStatefulSet,
  pods: readonly LivePod[],
  revisions: CurrentRevisions,
  context: ControllerContext,
): Work<{ readonly status: StatefulSetStatus; readonly error?: unknown }> {
  const now = context.clock.now();
  const sync: Sync = {
    set,
    updateSet: atRevision(set, revisions.update),
    revisions,
    now,
    monotonic: set.spec?.podManagementPolicy !== 'Parallel',
    context,
  };
  const { replicas, condemned } = partition(sync, pods);
  const first = countPods(pods, set, revisions, now);
  if (isTerminating(set)) return { status: first };
  const firstUnavailable = [...replicas, ...condemned.toReversed()].find(({ live }) => isUnavailable(sync, live));
  // Pods that this sync creates count as soon as they exist.
  const created = new Map<number, LivePod>();
  const recount = (): StatefulSetStatus => {
    const all = [...replicas, ...condemned].flatMap(({ ordinal, live }) => created.get(ordinal) ?? live ?? []);
    return countPods(all, set, revisions, now);
  };
  try {
    const living = yield* forEach(replicas, sync, (replica) => processReplica(replica, sync, created));
    if (living === 'stop') return { status: recount() };
    for (const replica of condemned) fixRetention(replica, sync);
    const leaving = yield* forEach(condemned, sync, (replica) => processCondemned(replica, sync, firstUnavailable));
    if (leaving === 'stop') return { status: recount() };
    const status = recount();
    const rolled = yield* rollNext(replicas, sync);
    return { status: { ...status, currentReplicas: (status.currentReplicas ?? 0) - rolled } };
  } catch (error) {
    return { status: recount(), error };
  }
}

function partition(
  sync: Sync,
  pods: readonly LivePod[],
): { readonly replicas: readonly Replica[]; readonly condemned: readonly Replica[] } {
  const { set, revisions } = sync;
  const { start, end } = ordinalRange(set);
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(set, pod.metadata.name) ?? -1, pod] as const));
  const currentSet = atRevision(set, revisions.current);
  const replicas: Replica[] = [];
  for (let ordinal = start; ordinal < end; ordinal += 1) {
    const live = byOrdinal.get(ordinal);
    const old = startsAtCurrentRevision(set, ordinal - start);
    const [template, revision] = old ? [currentSet, revisions.current] : [sync.updateSet, revisions.update];
    replicas.push(
      live === undefined ? { ordinal, draft: podFor(template, revision.metadata.name, ordinal) } : { ordinal, live },
    );
  }
  const condemned = [...byOrdinal]
    .filter(([ordinal]) => ordinal >= 0 && (ordinal < start || ordinal >= end))
    .sort(([left], [right]) => right - left)
    .map(([ordinal, live]) => ({ ordinal, live }));
  return { replicas, condemned };
}

function startsAtCurrentRevision(set: LiveStatefulSet, index: number): boolean {
  const strategy = set.spec?.updateStrategy;
  if (strategy?.rollingUpdate !== undefined) return index < (strategy.rollingUpdate.partition ?? 0);
  return strategy?.type === 'RollingUpdate' && index < (set.status?.currentReplicas ?? 0);
}

/** In order until one ends the sync; or, without order, each, whatever the others do, the first failure thrown at the end of its batch. */
function* forEach(
  replicas: readonly Replica[],
  { monotonic }: Sync,
  action: (replica: Replica) => Work<Step>,
): Work<Step> {
  if (monotonic) {
    for (const replica of replicas) if ((yield* action(replica)) === 'stop') return 'stop';
    return 'continue';
  }
  for (let from = 0, size = 1; from < replicas.length; from += size, size *= 2) {
    const failures = yield* sideBySide(replicas.slice(from, from + size).map(action));
    if (failures.length > 0) throw failures[0];
  }
  return 'continue';
}

function* processReplica(replica: Replica, sync: Sync, created: Map<number, LivePod>): Work<Step> {
  const { context, monotonic, set } = sync;
  const { live, draft, ordinal } = replica;
  if (draft !== undefined) {
    if (hasStaleClaim({ set, ordinal, pod: live }, context)) return 'stop';
    created.set(ordinal, createPod(draft, ordinal, sync));
    return monotonic ? 'stop' : 'continue';
  }
  if (live === undefined) return 'continue';
  if (live.status?.phase === 'Failed' || live.status?.phase === 'Succeeded') {
    if (!isTerminating(live)) yield* deletePod(live, sync);
    return 'stop';
  }
  if (live.status?.phase === 'Pending') {
    createMissingClaims({ set, ordinal, pod: live }, context);
    applyRetention({ set, ordinal, pod: live }, context);
  }
  if (monotonic && (isTerminating(live) || !isSettled(live, sync))) return 'stop';
  restoreInvariants(live, ordinal, sync);
  return 'continue';
}

/** Whether the pod runs, is ready, and has been for long enough. */
function isSettled(live: LivePod, { set, now }: Sync): boolean {
  return isRunningAndReady(live) && isPodAvailable(live, set.spec?.minReadySeconds ?? 0, now);
}

function restoreInvariants(live: LivePod, ordinal: number, { context, set, updateSet }: Sync): void {
  const holder = { set: updateSet, ordinal, pod: live };
  const retained = retentionMatches(holder, context);
  if (!identityMatches(live) || !storageMatches(set, live, ordinal)) {
    context.store.update<Pod>(kinds.pod, withIdentity(live, ordinal));
  }
  if (!retained) applyRetention(holder, context);
}

function fixRetention({ live, ordinal }: Replica, { updateSet, context }: Sync): void {
  applyRetention({ set: updateSet, ordinal, pod: live }, context);
}

function* processCondemned({ live, ordinal }: Replica, sync: Sync, firstUnavailable: Replica | undefined): Work<Step> {
  if (live === undefined) return 'continue';
  if (isTerminating(live)) return sync.monotonic ? 'stop' : 'continue';
  if (sync.monotonic && !isSettled(live, sync) && firstUnavailable?.ordinal !== ordinal) return 'stop';
  yield* deletePod(live, sync);
  return 'stop';
}

/** Deletes the pod with the highest ordinal that is not of the update revision, once all above it are available. Answers how many it deleted. */
function* rollNext(replicas: readonly Replica[], sync: Sync): Work<number> {
  const strategy = sync.set.spec?.updateStrategy;
  if (strategy?.type === 'OnDelete') return 0;
  const lowest = strategy?.rollingUpdate?.partition ?? 0;
  for (const { live, draft } of replicas.slice(lowest).reverse()) {
    const pod = live ?? draft;
    if (pod === undefined) continue;
    if (live !== undefined && revisionOf(pod) !== sync.revisions.update.metadata.name && !isTerminating(live)) {
      yield* deletePod(live, sync);
      return 1;
    }
    if (isUnavailable(sync, live)) return 0;
  }
  return 0;
}

function isUnavailable({ set, now }: Sync, live: LivePod | undefined): boolean {
  return live === undefined || isTerminating(live) || !isPodAvailable(live, set.spec?.minReadySeconds ?? 0, now);
}

function createPod(draft: Draft<Pod>, ordinal: number, { set, context }: Sync): LivePod {
  const name = draft.metadata.name ?? '';
  createMissingClaims({ set, ordinal }, context);
  try {
    const pod = context.store.create<Pod>(kinds.pod, draft);
    applyRetention({ set, ordinal, pod }, context);
    context.event(set, 'Normal', [
      'SuccessfulCreate',
      `create Pod ${name} in StatefulSet ${set.metadata.name} successful`,
    ]);
    return pod;
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) {
      const reason = error instanceof Error ? error.message : String(error);
      context.event(set, 'Warning', [
        'FailedCreate',
        `create Pod ${name} in StatefulSet ${set.metadata.name} failed error: ${reason}`,
      ]);
    }
    throw error;
  }
}

function* deletePod(pod: LivePod, { set, context }: Sync): Work<void> {
  try {
    yield* deleteObject(context.store, [kinds.pod, pod]);
  } catch (error) {
    if (!isApiError(error, 'NotFound')) {
      const reason = error instanceof Error ? error.message : String(error);
      context.event(set, 'Warning', [
        'FailedDelete',
        `delete Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} failed error: ${reason}`,
      ]);
      throw error;
    }
  }
  context.event(set, 'Normal', [
    'SuccessfulDelete',
    `delete Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} successful`,
  ]);
}
