import { createHash } from 'node:crypto';
import type { OperatorStart, SimulatedCluster, TestCluster } from '@ordinal/simulator';
import type { Violation } from './database-invariants.ts';
import { honest, shifty, tardy } from '../../../libs/reconcilers/test/external/database-world.ts';
import type { ProviderProfile } from '../../../libs/reconcilers/test/external/fake-provider.ts';
import type { Fault, injectFaults } from './fault.ts';
import { faultName } from './fault.ts';
import { Broken } from '../../../libs/reconcilers/test/external/broken.ts';

/** The profiles that histories are run with. */
export const profiles: Readonly<Record<'honest' | 'shifty' | 'tardy', ProviderProfile>> = { honest, shifty, tardy };

/** One history: a scenario, the profile of the external systems, and faults. */
export interface HistoryPlan<Scenario extends { readonly name: string }> {
  readonly scenario: Scenario;
  readonly profile: keyof typeof profiles;
  readonly faults: readonly Fault[];
  readonly seed: number;
  /** The operator that runs, in place of the one of the scenario. */
  readonly instead?: (start: OperatorStart, cluster: SimulatedCluster) => OperatorStart;
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

/** A history under way. */
export interface History {
  readonly cluster: TestCluster;
  /** What it has broken so far. */
  readonly violations: Violation[];
  readonly fired: HistoryResult['fired'];
  readonly injected: ReturnType<typeof injectFaults>;
  /** Ends the watch over it. */
  readonly stop: () => void;
}

/** Plays a history to its end, or to what its scenario finds broken. */
export async function playToItsEnd(
  { scenario, profile, faults, seed }: HistoryPlan<{ readonly name: string }>,
  { cluster, violations, fired, injected, stop }: History,
  play: () => Promise<void>,
): Promise<HistoryResult> {
  try {
    await play();
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    violations.push({ invariant: error.invariant, what: error.message });
  } finally {
    stop();
    cluster.stop();
  }
  const happened = cluster.trace.entries.map(
    ({ actor, action, subject, outcome }) => `${actor} ${action} ${subject} ${outcome ?? ''}`,
  );
  return {
    violations,
    fired,
    traceKey: createHash('sha1').update(happened.join('\n')).digest('base64'),
    calls: injected.count,
    creations: injected.creations,
    text: () => `${scenario.name}, ${profile}, seed ${seed}: ${faults.map(faultName).join(', ')}\n${reported(cluster)}`,
  };
}

/** In lines: the trace of a client that asks without end is shortened. */
const longestTrace = 3_000;

/** The trace of a history, without its middle where it is long. */
function reported(cluster: TestCluster): string {
  const lines = cluster.trace.text(cluster.startedAt).split('\n');
  if (lines.length <= longestTrace) return lines.join('\n');
  const half = longestTrace / 2;
  return [...lines.slice(0, half), `… ${lines.length - longestTrace} lines …`, ...lines.slice(-half)].join('\n');
}
