import type { Instant, KubernetesObject } from '@ordinal/client';
import type { SimulatedCluster, TestCluster, TraceEntry } from '@ordinal/simulator';
import { describeFault } from '../faults/fault.ts';
import type { HistoryOptions, HistoryOutcome } from './history.ts';
import { runHistory } from './history.ts';

/** A change of an object in a recorded history. */
export interface RecordedChange {
  /** How many entries of the trace came before it. */
  readonly entry: number;
  /** When, in milliseconds since 1970. */
  readonly at: Instant;
  /** `plural.group`, or the plural name in the core group. */
  readonly kind: string;
  readonly isDeleted: boolean;
  /** As it is after the change; of one that was deleted, as it was last. */
  readonly object: KubernetesObject;
}

/** A history that a file can hold: all that happened, and all that was there at each time of it. */
export interface RecordedHistory {
  readonly format: 'ordinal-history/1';
  readonly scenario: string;
  readonly seed: number;
  /** In words. */
  readonly faults: readonly string[];
  /** What was wrong, and how many entries had come before it was found. */
  readonly violations: readonly { readonly oracle: string; readonly message: string; readonly entry: number }[];
  readonly startedAt: Instant;
  readonly entries: readonly TraceEntry[];
  readonly changes: readonly RecordedChange[];
}

/** Kinds that no picture of a history shows; Secrets have no place in a file. */
const leftOut: ReadonlySet<string> = new Set([
  'secrets',
  'configmaps',
  'leases.coordination.k8s.io',
  'nodes',
  'events.events.k8s.io',
]);

function withoutFields({ metadata: { managedFields: _, ...metadata }, ...object }: KubernetesObject): KubernetesObject {
  return { ...object, metadata };
}

function follow(cluster: TestCluster, changes: RecordedChange[]): void {
  cluster.server.store.subscribe(({ kind, after, deleted }) => {
    if (leftOut.has(kind)) return;
    const entry = cluster.trace.entries.length;
    changes.push({ entry, at: cluster.clock.now(), kind, isDeleted: deleted, object: withoutFields(after) });
  });
}

/** Without its end, when all operators are stopped. */
function whileItRan(entries: readonly TraceEntry[]): readonly TraceEntry[] {
  return entries.slice(0, entries.findLastIndex(({ action }) => action !== 'crash') + 1);
}

function recordOf(
  { scenario }: HistoryOptions,
  { seed, faults, violations, cluster }: HistoryOutcome & { readonly cluster: SimulatedCluster },
  changes: readonly RecordedChange[],
): RecordedHistory {
  return {
    ...{ format: 'ordinal-history/1', scenario: scenario.name, seed, faults: faults.map(describeFault) },
    violations: violations.map(({ oracle, message, traceLength }) => ({ oracle, message, entry: traceLength })),
    ...{ startedAt: cluster.startedAt, entries: whileItRan(cluster.trace.entries), changes },
  };
}

/** Runs a history as `runHistory` does, and records it: for `kubectl ordinal console --history`. */
export async function recordHistory(
  options: HistoryOptions,
): Promise<{ readonly outcome: HistoryOutcome; readonly recorded: RecordedHistory }> {
  const changes: RecordedChange[] = [];
  const { scenario } = options;
  const setUp = (cluster: TestCluster): void | Promise<void> => {
    follow(cluster, changes);
    return scenario.setUp(cluster);
  };
  const outcome = await runHistory({ ...options, scenario: { ...scenario, setUp } });
  return { outcome, recorded: recordOf(options, outcome, changes) };
}
