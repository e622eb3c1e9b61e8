import type { Node } from 'kubernetes-types/core/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import type { ControllerContext } from '../controller.ts';
import { kinds } from '../kinds.ts';
import type { Live, LivePod } from '../kinds.ts';
import { isTerminating } from '../owner.ts';
import { disruptedStatus } from '../pod-condition.ts';
import { matchesSelector } from '../selector.ts';
import { repels } from './anti-affinity.ts';
import { priorityOf } from './occupants.ts';
import { shortages } from './room.ts';

/** A node, and the pods that would have to go for another one to run there. */
interface Candidate {
  readonly node: string;
  readonly victims: readonly LivePod[];
  /** How many of them a disruption budget would keep. */
  readonly violations: number;
}

/** What preemption looks at: the nodes that nothing but their pods keeps the pod from, and who is on them. */
export interface Preemption {
  readonly pod: LivePod;
  readonly nodes: readonly Live<Node>[];
  readonly occupants: (node: string) => readonly LivePod[];
}

/** Makes room for a pod by deleting pods of a lower priority, where that helps. The answer is the node on which room is being made. */
export function preempt({ pod, nodes, occupants }: Preemption, context: ControllerContext): string | undefined {
  if (pod.spec?.preemptionPolicy === 'Never') return undefined;
  const { nominatedNodeName = '' } = pod.status ?? {};
  const leaving = occupants(nominatedNodeName).some(
    (other) => isTerminating(other) && priorityOf(other) < priorityOf(pod),
  );
  if (leaving) return nominatedNodeName;
  const isKept = budgetsOf(context);
  const candidates = nodes.flatMap((node) => candidateOn(node, { pod, occupants, isKept }) ?? []);
  const best = candidates.sort(byHarm)[0];
  if (best === undefined) return undefined;
  for (const victim of best.victims) evict(victim, { pod, node: best.node }, context);
  return best.node;
}

/** Whether a pod's disruption budget lets none of its pods go. */
function budgetsOf({ store }: ControllerContext): (pod: LivePod) => boolean {
  const budgets = store
    .list<PodDisruptionBudget>(kinds.podDisruptionBudget)
    .filter(({ status }) => (status?.disruptionsAllowed ?? 0) <= 0);
  return ({ metadata }) =>
    budgets.some(
      (budget) =>
        budget.metadata.namespace === metadata.namespace && matchesSelector(budget.spec?.selector, metadata.labels),
    );
}

function candidateOn(
  node: Live<Node>,
  { pod, occupants, isKept }: Pick<Preemption, 'pod' | 'occupants'> & { readonly isKept: (pod: LivePod) => boolean },
): Candidate | undefined {
  const all = occupants(node.metadata.name);
  const lower = all.filter((other) => priorityOf(other) < priorityOf(pod) && (other.spec?.nodeName ?? '') !== '');
  const stay = all.filter((other) => !lower.includes(other));
  const fits = (others: readonly LivePod[]): boolean =>
    shortages(pod, node, others).length === 0 && !others.some((other) => repels(pod, other));
  if (lower.length === 0 || !fits(stay)) return undefined;
  const victims: LivePod[] = [];
  // As many as there is room for stay: those that a budget keeps before the others, and the more important ones first.
  const byWorth = [...lower].sort(
    (left, right) => Number(isKept(right)) - Number(isKept(left)) || byImportance(left, right),
  );
  for (const other of byWorth) {
    if (fits([...stay, other])) stay.push(other);
    else victims.push(other);
  }
  return { node: node.metadata.name, victims, violations: victims.filter(isKept).length };
}

/** The more important pod first: that of a higher priority, and of two the one that runs longer. */
function byImportance(left: LivePod, right: LivePod): number {
  const [one = '', other = ''] = [left, right].map(({ status }) => status?.startTime ?? '~');
  return priorityOf(right) - priorityOf(left) || (one < other ? -1 : Number(one > other));
}

/** The smaller harm first: fewer budgets, less important pods, fewer of them. */
function byHarm(left: Candidate, right: Candidate): number {
  const [one, other] = [left, right].map(({ victims, violations }) => [
    violations,
    Math.max(...victims.map(priorityOf)),
    victims.reduce((sum, victim) => sum + priorityOf(victim) + 2 ** 31, 0),
    victims.length,
  ]);
  return one?.map((value, index) => value - (other?.[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

function evict(
  victim: LivePod,
  { pod, node }: { readonly pod: LivePod; readonly node: string },
  { store, clock, event }: ControllerContext,
): void {
  if (isTerminating(victim)) return;
  const scheduler = pod.spec?.schedulerName ?? 'default-scheduler';
  const why = ['PreemptionByScheduler', `${scheduler}: preempting to accommodate a higher priority pod`] as const;
  const marked = store.updateStatus(kinds.pod, { ...victim, status: disruptedStatus(victim, why, clock.now()) });
  store.delete(kinds.pod, marked, { uid: victim.metadata.uid });
  event(victim, 'Normal', ['Preempted', `Preempted by pod ${pod.metadata.uid} on node ${node}`]);
}
