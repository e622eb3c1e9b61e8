import { createHash } from 'node:crypto';
import type { SimulatedCluster } from '@ordinal/testing';
import { databaseNow, databaseWorld, honest, shifty, tardy } from './database-world.ts';
import { DatabaseInvariants } from './database-invariants.ts';
import type { Violation } from './database-invariants.ts';
import type { DatabaseScenario } from './database-steps.ts';
import { faultName, injectFaults, Standstill } from './fault.ts';
import type { Fault } from './fault.ts';

/** The tempers that histories are run with. */
export const tempers = { honest, shifty, tardy } as const;

/** One history: a scenario, a provider's temper, and faults. */
export interface HistoryPlan {
  readonly scenario: DatabaseScenario;
  readonly temper: keyof typeof tempers;
  readonly faults: readonly Fault[];
  readonly seed: number;
}

/** What came of it. */
export interface HistoryResult {
  readonly violations: readonly Violation[];
  /** Faults that fired, each with the state that it met. */
  readonly fired: readonly { readonly fault: Fault; readonly state: string }[];
  /** The same for histories in which the same things happened in the same order. */
  readonly traceKey: string;
  readonly calls: { readonly write: number; readonly external: number };
  /** Which of the calls outside asked for something to be made. */
  readonly creations: readonly number[];
  /** The history in words, for a violation. */
  readonly text: () => string;
}

/** In lines: what somebody who asks on and on does is not told to its end. */
const longestTrace = 3_000;

/** The trace of a history, without its middle where it is long. */
export function told(cluster: SimulatedCluster): string {
  const lines = cluster.trace.text(cluster.startedAt).split('\n');
  if (lines.length <= longestTrace) return lines.join('\n');
  const half = longestTrace / 2;
  return [...lines.slice(0, half), `… ${lines.length - longestTrace} lines …`, ...lines.slice(-half)].join('\n');
}

/** Runs one history to its end. */
export async function runHistory({ scenario, temper, faults, seed }: HistoryPlan): Promise<HistoryResult> {
  const world = await databaseWorld(seed, tempers[temper], { rules: scenario.rules ?? false });
  const { cluster, keeper, operator } = world;
  const invariants = new DatabaseInvariants(cluster, keeper);
  const fired: HistoryResult['fired'][number][] = [];
  let owner = '';
  const note = (fault: Fault): void => {
    if (fault.effect === 'deny') keeper.deny();
    const object = databaseNow(cluster, 'orders');
    const synced = object?.status?.conditions?.find(({ type }) => type === 'Synced')?.reason ?? '-';
    const outside = keeper
      .of(owner)
      .map(({ deletingAt }) => (deletingAt === undefined ? 'live' : 'going'))
      .join('+');
    const leaving = object?.metadata.deletionTimestamp === undefined ? '' : 'leaving ';
    fired.push({ fault, state: `${leaving}${object?.status?.phase ?? 'new'}/${synced}/${outside || 'none'}` });
  };
  const possible = scenario.isShown === true ? faults.filter(({ effect }) => effect !== 'deny') : faults;
  const { count, creations } = injectFaults(operator, possible, note);
  const stop = cluster.server.store.subscribe(({ kind, after }) => {
    if (owner === '' && kind === 'clouddatabases.db.example.com')
      owner = (after as { metadata: { uid: string } }).metadata.uid;
  });
  try {
    await scenario.run(world);
    // Whatever is still on its way arrives, and lies have short legs.
    await cluster.advance(120_000);
    invariants.end(owner, { left: scenario.left, snapshots: scenario.snapshots ?? 0 });
  } catch (error) {
    if (!(error instanceof Standstill)) throw error;
    invariants.violations.push({ invariant: 'progress', what: error.message });
  } finally {
    stop();
    cluster.stop();
  }
  const happened = cluster.trace.entries.map(
    ({ actor, action, subject, outcome }) => `${actor} ${action} ${subject} ${outcome ?? ''}`,
  );
  return {
    violations: invariants.violations,
    fired,
    traceKey: createHash('sha1').update(happened.join('\n')).digest('base64'),
    calls: count,
    creations,
    text: () => `${scenario.name}, ${temper}, seed ${seed}: ${faults.map(faultName).join(', ')}\n${told(cluster)}`,
  };
}
