import type { TraceEntry } from '@ordinal/simulator';
import { describeEntry } from '@ordinal/simulator';
import { describeFault } from '../faults/fault.ts';
import type { FaultName } from '../faults/fault.ts';
import type { HistoryOutcome } from './history.ts';
import type { Violation } from '../oracles/invariant.ts';

/** A history in which something went wrong. */
export interface Failure {
  readonly seed: number;
  readonly faults: HistoryOutcome['faults'];
  readonly violations: readonly Violation[];
  /** What happened, in words, without what does not matter for it. */
  readonly history: string;
  /** A test that shows it again: paste it beside the scenario. */
  readonly test: string;
}

/** What a search has found. */
export interface ExploreReport {
  readonly scenario: string;
  readonly seed: number;
  readonly histories: number;
  /** How many of the histories differ from one another in what happened. */
  readonly distinctTraces: number;
  /** How many faults there are in all, at every point and of each class. */
  readonly enumerated: Readonly<Partial<Record<FaultName, number>>>;
  /** How many faults struck, by class. */
  readonly fired: Readonly<Partial<Record<FaultName, number>>>;
  /** In how many different states, and at how many points of them, faults of each class struck. */
  readonly pairs: Readonly<Partial<Record<FaultName, number>>>;
  readonly failures: readonly Failure[];
  /** How many histories failed; of those alike, only the first stands in `failures`. */
  readonly failedHistories: number;
  readonly writes: number;
  readonly externalCalls: number;
  /** The history without faults took so long in its own time. */
  readonly virtualMs: number;
}

/** The report as text for a terminal. */
export function describeReport(report: ExploreReport): string {
  const lines = [
    `${report.scenario}: ${report.histories} histories, ${report.distinctTraces} different, ${report.failedHistories} failed (seed ${report.seed})`,
    `  without faults: ${report.writes} writes, ${report.externalCalls} external calls, ${report.virtualMs / 1000} s`,
  ];
  for (const [name, count] of Object.entries(report.fired)) {
    const [all, pairs] = [report.enumerated[name as FaultName] ?? 0, report.pairs[name as FaultName] ?? 0];
    lines.push(`  ${name}: struck ${count} times of ${all} enumerated, in ${pairs} different states and points`);
  }
  for (const failure of report.failures) lines.push('', describeFailure(failure));
  return lines.join('\n');
}

/** A failed history as text for a terminal: what is wrong, what happened, and the test that shows it again. */
export function describeFailure({ violations, history, test }: Failure): string {
  const wrong = violations.map(({ oracle, message }) => `✗ ${oracle}\n  ${message}`);
  return [...wrong, history, '', test].join('\n');
}

/** The report of a failed history; `scenario` is its name. */
export function failureReport(outcome: HistoryOutcome, scenario: string): Failure {
  const { seed, faults, violations, cluster } = outcome;
  const reported = entriesThatMatter(cluster.trace.entries, violations[0]?.traceLength ?? cluster.trace.entries.length);
  const header = faults.length === 0 ? ['without faults:'] : faults.map((fault) => `- ${describeFault(fault)}`);
  const history = [...header, ...reported.map((entry) => describeEntry(entry, cluster.startedAt))].join('\n');
  return { seed, faults, violations, history, test: testFor(outcome, scenario) };
}

const maxEntries = 60;

/** What the operator, faults, and users did, and which objects came and went: up to the violation, and the last of it only. */
function entriesThatMatter(entries: readonly TraceEntry[], until: number): readonly TraceEntry[] {
  const matters = entries.slice(0, until).filter(({ actor, action, subject }) => {
    if (actor === 'fault') return true;
    if (actor === 'kubernetes-admin' || actor.startsWith('operator')) return action !== 'receive';
    return (
      (action === 'create' || action === 'delete') &&
      !/^(serviceaccounts|configmaps|controllerrevisions|nodes|storageclasses|namespaces) /.test(subject)
    );
  });
  const setUp = matters.findIndex(({ actor }) => actor.startsWith('operator '));
  return matters.slice(Math.max(setUp, matters.length - maxEntries, 0));
}

function testFor({ seed, faults, violations }: HistoryOutcome, scenario: string): string {
  const title = faults.length === 0 ? 'without faults' : faults.map(describeFault).join('; ');
  return [
    `test(${JSON.stringify(`${scenario}: ${title}`)}, async () => {`,
    `  // ${violations[0]?.oracle ?? ''}: ${(violations[0]?.message ?? '').split('\n')[0] ?? ''}`,
    `  const { violations } = await replay({ scenario, oracles, seed: ${seed}, faults: ${JSON.stringify(faults)} });`,
    '  expect(violations).toEqual([]);',
    '});',
  ].join('\n');
}
