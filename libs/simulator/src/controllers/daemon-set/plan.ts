import type { Instant } from '@ordinal/client';
import type { Node } from 'kubernetes-types/core/v1.js';
import type { Live, LivePod } from '../kinds.ts';
import { isTerminating } from '../owner.ts';
import { isPodAvailable, isPodReady } from '../pod-condition.ts';
import type { LiveDaemonSet } from './pods.ts';
import { isUpdated, wishFor } from './pods.ts';

/** What a DaemonSet's controller sees. */
export interface DaemonView {
  readonly set: LiveDaemonSet;
  readonly nodes: readonly Live<Node>[];
  /** By node, the oldest first. */
  readonly pods: ReadonlyMap<string, readonly LivePod[]>;
  /** The revision of the present template. */
  readonly hash: string;
  readonly now: Instant;
}

/** What to do next: the nodes that get a pod, and the pods that go. */
export interface DaemonPlan {
  readonly create: readonly string[];
  readonly remove: readonly LivePod[];
}

/** Gives each node that is to have a pod one, and takes away those that are too many, are not to be there, or have ended. */
export function placement(view: DaemonView): DaemonPlan {
  const { set, nodes, pods } = view;
  const create: string[] = [];
  const remove: LivePod[] = [];
  for (const node of nodes) {
    const { name } = node.metadata;
    const here = pods.get(name);
    const { run, stay } = wishFor(set, node);
    if (!stay) remove.push(...(here ?? []).filter((pod) => !isTerminating(pod)));
    else if (run && here === undefined) create.push(name);
    else {
      const staying = (here ?? []).filter((pod) => !isTerminating(pod));
      const running = staying.filter((pod) => !hasEnded(pod));
      remove.push(...staying.filter(hasEnded), ...excess(view, running));
      if (run && running.length === 0 && surgeOf(set, 1) > 0) create.push(name);
    }
  }
  const known = new Set(nodes.map(({ metadata }) => metadata.name));
  for (const [name, here] of pods)
    if (!known.has(name)) remove.push(...here.filter(({ spec }) => (spec?.nodeName ?? '') === ''));
  return { create, remove };
}

const hasEnded = ({ status }: LivePod): boolean => status?.phase === 'Failed' || status?.phase === 'Succeeded';

/** One pod stays on a node; while its successor is not available, the two of them. */
function excess({ set, hash, now }: DaemonView, running: readonly LivePod[]): readonly LivePod[] {
  if (running.length <= 1) return [];
  if (surgeOf(set, 1) === 0) return running.slice(1);
  const isNew = ({ metadata }: LivePod): boolean => metadata.labels?.['controller-revision-hash'] === hash;
  const newest = running.find(isNew);
  const old = running.find((pod) => !isNew(pod));
  const others = running.filter((pod) => pod !== newest && pod !== old);
  if (newest === undefined || old === undefined) return others;
  const isDone = !isPodReady(old) || isPodAvailable(newest, set.spec?.minReadySeconds ?? 0, now);
  return isDone ? [...others, old] : others;
}

/** The next step of a rolling update: so many old pods go, or get a successor beside them, as the strategy allows. */
export function rollingUpdate(view: DaemonView): DaemonPlan {
  const { set, nodes } = view;
  const wanted = nodes.filter((node) => wishFor(set, node).run);
  const surge = surgeOf(set, wanted.length);
  if (surge > 0) return surging(view, { wanted, surge });
  const limit = unavailableOf(set, wanted.length);
  return replacing(view, { wanted, limit: limit === 0 ? 1 : limit });
}

interface OnNode {
  readonly node: string;
  readonly fresh?: LivePod;
  readonly old?: LivePod;
  /** There are more than one of a kind. */
  readonly crowded: boolean;
}

function nodesOf({ set, pods, hash }: DaemonView, wanted: readonly Live<Node>[]): readonly OnNode[] {
  const names = new Set([...pods.keys(), ...wanted.map(({ metadata }) => metadata.name)]);
  return [...names].map((node) => {
    const here = (pods.get(node) ?? []).filter((pod) => !isTerminating(pod));
    const fresh = here.filter((pod) => isUpdated(set, pod, hash));
    const old = here.filter((pod) => !fresh.includes(pod));
    return {
      node,
      crowded: fresh.length > 1 || old.length > 1,
      ...(fresh[0] && { fresh: fresh[0] }),
      ...(old[0] && { old: old[0] }),
    };
  });
}

const availability =
  ({ set, now }: DaemonView) =>
  (pod: LivePod | undefined): boolean =>
    pod !== undefined && isPodAvailable(pod, set.spec?.minReadySeconds ?? 0, now);

function replacing(
  view: DaemonView,
  { wanted, limit }: { readonly wanted: readonly Live<Node>[]; readonly limit: number },
): DaemonPlan {
  const isAvailable = availability(view);
  const broken: LivePod[] = [];
  const candidates: LivePod[] = [];
  let unavailable = 0;
  for (const { fresh, old, crowded } of nodesOf(view, wanted)) {
    if (crowded || (fresh === undefined) === (old === undefined)) unavailable += 1;
    else if (old === undefined) unavailable += isAvailable(fresh) ? 0 : 1;
    else if (isAvailable(old)) candidates.push(old);
    else {
      broken.push(old);
      unavailable += 1;
    }
  }
  return { create: [], remove: [...broken, ...candidates.slice(0, Math.max(0, limit - unavailable))] };
}

function surging(
  view: DaemonView,
  { wanted, surge }: { readonly wanted: readonly Live<Node>[]; readonly surge: number },
): DaemonPlan {
  const isAvailable = availability(view);
  const runs = new Set(wanted.map(({ metadata }) => metadata.name));
  const remove: LivePod[] = [];
  const misplaced: LivePod[] = [];
  const urgent: string[] = [];
  const candidates: string[] = [];
  let surged = 0;
  let available = 0;
  for (const { node, fresh, old, crowded } of nodesOf(view, wanted)) {
    if (crowded) {
      surged += 1;
      continue;
    }
    if (isAvailable(old ?? fresh)) available += 1;
    if (old === undefined) continue;
    if (fresh !== undefined) {
      if (isAvailable(fresh)) remove.push(old);
      else surged += 1;
    } else if (!runs.has(node)) (isAvailable(old) ? misplaced : remove).push(old);
    else (isAvailable(old) ? candidates : urgent).push(node);
  }
  const spare = Math.max(0, available - wanted.length);
  return {
    create: [...urgent, ...candidates.slice(0, Math.max(0, surge - surged))],
    remove: [...remove, ...misplaced.slice(0, spare)],
  };
}

const surgeOf = (set: LiveDaemonSet, total: number): number =>
  shareOf(set.spec?.updateStrategy?.rollingUpdate?.maxSurge, total);

const unavailableOf = (set: LiveDaemonSet, total: number): number =>
  shareOf(set.spec?.updateStrategy?.rollingUpdate?.maxUnavailable, total);

/** A number, or a share in percent, rounded up. */
function shareOf(value: unknown, total: number): number {
  const text = String(value ?? 0);
  return text.endsWith('%') ? Math.ceil((Number(text.slice(0, -1)) * total) / 100) : Number(text);
}
