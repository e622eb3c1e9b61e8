import { sameJson } from '@ordinal/client';
import type { Instant, KubernetesObject } from '@ordinal/client';
import type { DaemonSet, DaemonSetStatus } from 'kubernetes-types/apps/v1.js';
import type { Node, Pod } from 'kubernetes-types/core/v1.js';
import type { Work } from '../../scheduler/work.ts';
import { claimed, itsControllerOrSuitors } from '../claim.ts';
import type { ControllerContext, ControllerDefinition } from '../controller.ts';
import { itself, keyOf } from '../controller.ts';
import { kinds } from '../kinds.ts';
import type { Live, LivePod } from '../kinds.ts';
import { taintsOf } from '../scheduling/node-fit.ts';
import { isPodAvailable, isPodReady, nextAvailabilityMs } from '../pod-condition.ts';
import { selectedBy } from '../selector.ts';
import type { StoreEvent } from '../store.ts';
import { deletePods } from '../workload/pods.ts';
import type { DaemonPlan, DaemonView } from './plan.ts';
import { placement, rollingUpdate } from './plan.ts';
import type { LiveDaemonSet } from './pods.ts';
import { isUpdated, nodeOf, podFor, podsByNode, wishFor } from './pods.ts';
import { historyOf, truncateHistory } from './revisions.ts';

const firstBackoffMs = 1000;
const lastBackoffMs = 900_000;

/** When the failed pods of a set were last replaced, and how long it waits before the next, by generation and node. */
type Backoffs = Map<string, { readonly wait: number; readonly since: Instant }>;

/** The DaemonSet controller: one pod for each node that is eligible, rolling updates and revisions. */
export function daemonSetController(): ControllerDefinition {
  const backoffs = new Map<string, Backoffs>();
  return {
    name: 'daemon-set-controller',
    watches: [
      { kind: kinds.daemonSet, keys: itself },
      { kind: kinds.pod, keys: itsControllerOrSuitors(kinds.daemonSet) },
      {
        kind: kinds.node,
        keys: (event, store) => {
          const sets = store.list<DaemonSet>(kinds.daemonSet);
          return sets.length > 0 && changesPlaces(event) ? sets.map(keyOf) : [];
        },
      },
    ],
    *reconcile({ namespace, name }, context) {
      const set = context.store.find<DaemonSet>(kinds.daemonSet, namespace, name);
      if (set === undefined) {
        backoffs.delete(`${namespace}/${name}`);
        return undefined;
      }
      if (set.metadata.deletionTimestamp !== undefined) return undefined;
      const known = backoffs.get(`${namespace}/${name}`) ?? new Map();
      backoffs.set(`${namespace}/${name}`, known);
      return yield* sync(set, known, context);
    },
  };
}

/** Whether pods may have to come to a node, or to leave it. A node reports far more often that it is there. */
function changesPlaces({ object, previous, type }: StoreEvent): boolean {
  if (type !== 'MODIFIED' || previous === undefined) return true;
  const [now, before] = [object, previous].map((node) => [node.metadata.labels ?? {}, taintsOf(nodeFrom(node))]);
  return !sameJson(now, before);
}

/** Objects of this watch are nodes. */
const nodeFrom = (object: KubernetesObject): Live<Node> => object as Live<Node>;

function* sync(set: LiveDaemonSet, backoffs: Backoffs, context: ControllerContext): Work<number | undefined> {
  const { store, clock } = context;
  const pods = claimPods(set, context);
  const { hash, old } = historyOf(set, pods, context);
  const nodes = store.list<Node>(kinds.node);
  const view: DaemonView = { set, nodes, hash, now: clock.now(), pods: podsByNode(pods) };
  const { plan, wait } = heldBack(placement(view), { set, backoffs, now: clock.now() });
  const rolls = isEmpty(plan) && set.spec?.updateStrategy?.type === 'RollingUpdate';
  const failures = yield* carryOut(rolls ? rollingUpdate(view) : plan, view, context);
  if (failures.length === 0) truncateHistory(set, old, pods, context);
  const present = claimPods(set, context);
  writeStatus({ ...view, pods: podsByNode(present) }, context);
  if (failures.length > 0) throw failures[0];
  const available = nextAvailabilityMs(present, set.spec?.minReadySeconds ?? 0, clock.now());
  const waits = [wait, available].filter((each) => each !== undefined);
  return waits.length === 0 ? undefined : Math.min(...waits);
}

const isEmpty = ({ create, remove }: DaemonPlan): boolean => create.length + remove.length === 0;

function claimPods(set: LiveDaemonSet, { store }: ControllerContext): readonly LivePod[] {
  const pods = store.list<Pod>(kinds.pod, set.metadata.namespace);
  return claimed<Pod>(pods, { kind: kinds.pod, owner: set, fits: selectedBy(set.spec?.selector) }, store);
}

/** A plan without failed pods on nodes where one was replaced not long ago, and how long until the next of them may be. */
function heldBack(
  plan: DaemonPlan,
  { set, backoffs, now }: { readonly set: LiveDaemonSet; readonly backoffs: Backoffs; readonly now: Instant },
): { readonly plan: DaemonPlan; readonly wait?: number } {
  const waits: number[] = [];
  const remove = plan.remove.filter((pod) => {
    if (pod.status?.phase !== 'Failed') return true;
    const key = `${set.metadata.uid}/${set.status?.observedGeneration ?? 0}/${nodeOf(pod) ?? ''}`;
    const entry = backoffs.get(key);
    const left = entry === undefined ? 0 : entry.since + entry.wait - now;
    if (left > 0) {
      waits.push(left);
      return false;
    }
    const isOver = entry === undefined || now - entry.since > 2 * lastBackoffMs;
    backoffs.set(key, { wait: isOver ? firstBackoffMs : Math.min(2 * entry.wait, lastBackoffMs), since: now });
    return true;
  });
  return { plan: { ...plan, remove }, ...(waits.length > 0 && { wait: Math.min(...waits) }) };
}

function* carryOut(
  { create, remove }: DaemonPlan,
  { set, hash }: DaemonView,
  { store, event }: ControllerContext,
): Work<readonly unknown[]> {
  const failures: unknown[] = [];
  for (const node of create) {
    try {
      const pod = store.create<Pod>(kinds.pod, podFor(set, node, hash));
      event(set, 'Normal', ['SuccessfulCreate', `Created pod: ${pod.metadata.name}`]);
    } catch (error) {
      event(set, 'Warning', ['FailedCreate', `Error creating: ${error instanceof Error ? error.message : ''}`]);
      failures.push(error);
      break;
    }
  }
  for (const pod of remove) {
    const { name, namespace = '' } = pod.metadata;
    const on = `daemon pod ${namespace}/${name} on node ${nodeOf(pod) ?? ''}, will try to`;
    if (pod.status?.phase === 'Failed') event(set, 'Warning', ['FailedDaemonPod', `Found failed ${on} kill it`]);
    if (pod.status?.phase === 'Succeeded')
      event(set, 'Normal', ['SucceededDaemonPod', `Found succeeded ${on} delete it`]);
  }
  const refused = yield* deletePods(store, remove);
  if (refused.length === 0)
    for (const { metadata } of remove) event(set, 'Normal', ['SuccessfulDelete', `Deleted pod: ${metadata.name}`]);
  return [...failures, ...refused];
}

function writeStatus(view: DaemonView, { store }: ControllerContext): void {
  const { set, nodes, pods, hash, now } = view;
  const wanted = nodes.filter((node) => wishFor(set, node).run);
  const first = wanted.flatMap(({ metadata }) => pods.get(metadata.name)?.slice(0, 1) ?? []);
  const available = first.filter((pod) => isPodAvailable(pod, set.spec?.minReadySeconds ?? 0, now)).length;
  const counts = {
    currentNumberScheduled: first.length,
    numberMisscheduled: nodes.filter((node) => !wanted.includes(node) && pods.has(node.metadata.name)).length,
    desiredNumberScheduled: wanted.length,
    numberReady: first.filter(isPodReady).length,
  };
  const optional = {
    observedGeneration: set.metadata.generation ?? 0,
    updatedNumberScheduled: first.filter((pod) => isUpdated(set, pod, hash)).length,
    numberAvailable: available,
    numberUnavailable: wanted.length - available,
  };
  const before: Partial<DaemonSetStatus> = set.status ?? {};
  const entries = [...Object.entries(counts), ...Object.entries(optional)] as [keyof typeof before, number][];
  if (set.status !== undefined && entries.every(([name, count]) => (before[name] ?? 0) === count)) return;
  const { collisionCount, conditions } = before;
  const status: DaemonSetStatus = {
    ...counts,
    ...Object.fromEntries(Object.entries(optional).filter(([, count]) => count !== 0)),
    ...(collisionCount !== undefined && { collisionCount }),
    ...(conditions !== undefined && { conditions }),
  };
  store.updateStatus<DaemonSet>(kinds.daemonSet, { ...set, status });
}
