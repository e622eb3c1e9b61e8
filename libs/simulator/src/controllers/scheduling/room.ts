import type { Node } from 'kubernetes-types/core/v1.js';
import { added, amountsOf, growth, listOf, number } from '../../api-server/quota/amounts.ts';
import type { Amounts } from '../../api-server/quota/amounts.ts';
import { podRequests } from '../../api-server/quota/pod-resources.ts';
import type { JsonObject } from '../../api-server/request.ts';
import { parseQuantity } from '../../api-server/schema/quantity.ts';
import type { Live, LivePod } from '../kinds.ts';
import { portsCollide, takenPorts } from './host-ports.ts';

const known = new WeakMap<LivePod, Amounts>();

/** What a pod asks for. Stored pods never change, and are asked again and again. */
function requestsOf(pod: LivePod): Amounts {
  let requests = known.get(pod);
  // A stored pod is JSON.
  if (requests === undefined) known.set(pod, (requests = podRequests(pod as unknown as JsonObject)));
  return requests;
}

/** Why a node has no room for a pod beside others: the resources of which it has not enough, in the scheduler's words. Empty where it has. */
export function shortages(pod: LivePod, node: Live<Node>, others: readonly LivePod[]): readonly string[] {
  const { allocatable = {} } = node.status ?? {};
  const isFull = allocatable['pods'] !== undefined && others.length >= Number(allocatable['pods']);
  const reasons = [...(isFull ? ['Too many pods'] : []), ...(portsCollide(pod, others) ? [takenPorts] : [])];
  for (const [name, { nano }] of requestsOf(pod)) {
    if (nano === 0n) continue;
    let used = nano;
    for (const other of others) used += requestsOf(other).get(name)?.nano ?? 0n;
    if (used > (parseQuantity(allocatable[name] ?? '0')?.nano ?? 0n)) reasons.push(`Insufficient ${name}`);
  }
  return reasons;
}

/** What a node can allocate, less what these pods ask for and a place for each: what is left for pods that are simulated. Pure. */
export function allocatableBeside(
  allocatable: Readonly<Record<string, string>>,
  others: readonly object[],
): Readonly<Record<string, string>> {
  const taken = others.reduce<Amounts>(
    // A pod is JSON.
    (sum, pod) => added(added(sum, podRequests(pod as JsonObject)), new Map([['pods', number(1)]])),
    new Map(),
  );
  return listOf(growth(amountsOf(allocatable), taken)) as Readonly<Record<string, string>>; // Of quantities.
}
