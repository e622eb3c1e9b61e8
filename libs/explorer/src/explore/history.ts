import { createHash } from 'node:crypto';
import { actorName } from '@ordinal/simulator';
import type { SimulatedCluster } from '@ordinal/simulator';
import type { Fault, FaultName } from '../faults/fault.ts';
import type { FaultGround } from '../faults/catalogue.ts';
import { EtcdRestore } from '../faults/etcd-restore.ts';
import { FaultInjector } from '../faults/injector.ts';
import type { LifeSummary } from '../oracles/counts.ts';
import { compareLives, countLives } from '../oracles/counts.ts';
import type { Invariant, Violation } from '../oracles/invariant.ts';
import { watchInvariants } from '../oracles/watcher.ts';
import type { Scenario, Stage } from './scenario.ts';
import { shortState, stage } from './scenario.ts';

/** Which history to run. */
export interface HistoryOptions {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly faults: readonly Fault[];
  readonly oracles: readonly Invariant[];
  /** The lives of objects in the history without faults, to compare with where the faults are the operator's alone. */
  readonly reference?: LifeSummary;
}

/** What a history has shown. */
export interface HistoryOutcome {
  readonly seed: number;
  readonly faults: readonly Fault[];
  /** The faults whose points were reached, and the state of the world then. */
  readonly fired: readonly { readonly fault: Fault; readonly state: string }[];
  readonly violations: readonly Violation[];
  readonly lives: LifeSummary;
  readonly ground: FaultGround;
  /** A fingerprint of everything that happened: 132 bits, so that no two of millions of histories have the same by chance. */
  readonly fingerprint: string;
  readonly virtualMs: number;
  readonly cluster: SimulatedCluster;
}

/** Faults that only the operator feels: whatever they do, children have to come and go as without them. Not without a permission: a life goes on without what can't be written. */
const ownFaults: ReadonlySet<FaultName> = new Set([
  'crash',
  'ambiguous',
  'refuse',
  'stale',
  'unobserved',
  'timeTravel',
  'clock',
  'outage',
  'twoLeaders',
]);

type Report = (oracle: string, message: string) => void;

/** What happens to a stage, and what is counted in it. */
interface Run {
  readonly injectors: readonly FaultInjector[];
  readonly lives: LifeSummary;
  /** How many faults have struck by now. */
  readonly struck: () => number;
}

const defaultLimitMs = 7_200_000;
const defaultQuietMs = 180_000;
/** An operator that writes more than this, or asks by HTTP (pods and the outside) more often, does so without a pause. */
const tooManyWrites = 5000;
const tooManyCalls = 20_000;
const fewWrites = 100;
/** How often the operator may still have written before it has to be quiet: where an older version has ended, the newer one may begin an upgrade of its own. */
const settlingPasses = (faults: readonly Fault[]): number =>
  faults.some(({ fault }) => fault === 'oldVersion') ? 3 : 1;
const quiet = 'the operator is quiet when all is done';

/**
 * Runs a scenario once, with the faults that are asked for. It checks the invariants at each step; then that the world converges when the faults have
 * stopped, that the operator is quiet then, that objects came and went as often as without faults, and that nothing is left over.
 */
export async function runHistory(options: HistoryOptions): Promise<HistoryOutcome> {
  const { scenario, seed, faults, oracles } = options;
  let lives: LifeSummary = { objects: new Map(), givenUp: 0 };
  let watched: ReturnType<typeof watchInvariants> | undefined;
  const staged = await stage(scenario, seed, (cluster) => {
    lives = countLives(cluster, scenario.givesUp);
    watched = watchInvariants(cluster, oracles, operatorUsers(scenario));
  });
  const { cluster, operator, holdUser } = staged;
  const fired: { readonly fault: Fault; readonly state: string }[] = [];
  const stateOf = scenario.stateOf ?? shortState;
  const etcd = new EtcdRestore({ cluster, operator, holdUser });
  const injectors = faults.map(
    (fault) =>
      new FaultInjector(fault, {
        cluster,
        operator,
        start: scenario.operator,
        actions: scenario.actions ?? {},
        mistakes: scenario.mistakes ?? {},
        etcd,
        fired: (struck) => fired.push({ fault: struck, state: stateOf(cluster) }),
        ...(scenario.olderVersion !== undefined && { olderVersion: scenario.olderVersion }),
      }),
  );
  const found = await converge(options, staged, { injectors, lives, struck: () => fired.length });
  const violations = [...(watched?.violations ?? []), ...found];
  watched?.stop();
  const { written, watched: watchedKinds } = operator.kinds;
  const outcome: HistoryOutcome = {
    seed,
    faults,
    fired,
    violations,
    lives,
    ground: {
      writes: operator.writes,
      externalCalls: operator.externalCalls,
      watchedKinds,
      writtenKinds: written,
      actions: Object.keys(scenario.actions ?? {}),
      mistakes: Object.keys(scenario.mistakes ?? {}),
      hasOlderVersion: scenario.olderVersion !== undefined,
    },
    fingerprint: fingerprintOf(cluster),
    virtualMs: cluster.clock.now() - cluster.startedAt,
    cluster,
  };
  cluster.stop();
  return outcome;
}

/** What the operator has done so often that it does nothing else any more. */
function excessOf({ writes, externalCalls }: Stage['operator']): string | undefined {
  if (writes > tooManyWrites) return `more than ${tooManyWrites} writes`;
  return externalCalls > tooManyCalls ? `more than ${tooManyCalls} external calls` : undefined;
}

async function converge(
  { scenario, faults, oracles, reference }: HistoryOptions,
  { cluster, operator, drive, holdUser }: Stage,
  { injectors, lives, struck }: Run,
): Promise<readonly Violation[]> {
  const violations: Violation[] = [];
  const report: Report = (oracle, message) => {
    violations.push({ oracle, message, traceLength: cluster.trace.entries.length });
  };
  let seen = -1;
  const isDone = (): boolean => {
    // Nothing can have become true while nothing was written and no client acted.
    const mark = cluster.server.store.revision * 2 + (drive().ended ? 1 : 0);
    if (mark === seen && !injectors.some(({ isActing }) => isActing)) return false;
    seen = injectors.some(({ isActing }) => isActing) ? -1 : mark;
    return drive().ended && !injectors.some(({ isActing }) => isActing) && scenario.isDone(cluster);
  };
  for (let before = -1; struck() !== before;) {
    let outcome: string;
    try {
      const isOver = (): boolean => excessOf(operator) !== undefined || isDone();
      outcome = await cluster.run({ until: isOver, maxVirtualMs: scenario.maxVirtualMs ?? defaultLimitMs });
    } catch (error) {
      report('the operator does not fail', error instanceof Error ? (error.stack ?? error.message) : String(error));
      return violations;
    }
    const excess = excessOf(operator);
    if (excess !== undefined) {
      report(quiet, `${excess} before all was done`);
      return violations;
    }
    if (outcome !== 'reached') {
      reportEndings(operator, drive, report);
      report(
        'the world converges when faults have stopped',
        `not done after ${(cluster.clock.now() - cluster.startedAt) / 1000} s: ${(scenario.stateOf ?? shortState)(cluster)}`,
      );
      return violations;
    }
    before = struck();
    const restless = await checkQuiet(scenario, { cluster, operator, drive, holdUser }, settlingPasses(faults));
    // A fault that strikes while it is quiet, as at a last write of the operator's, begins all again.
    if (struck() === before) for (const [oracle, message] of restless) report(oracle, message);
    else seen = -1;
  }
  reportEndings(operator, drive, report);
  for (const { name, atEnd } of oracles) {
    const message = atEnd?.(cluster);
    if (message !== undefined) report(name, message);
  }
  for (const leak of scenario.leaks?.(cluster) ?? []) report('nothing is left over', leak);
  if (reference !== undefined && faults.every(({ fault }) => ownFaults.has(fault))) {
    const clockIsSet = faults.some(({ fault }) => fault === 'clock');
    const differences = compareLives(reference, lives, { clockIsSet });
    if (differences.length > 0) report('objects come and go as often as without faults', differences.join('; '));
  }
  return violations;
}

/** Reports what ended otherwise than it should: the user's doings, and the operator's start. */
function reportEndings(operator: Stage['operator'], drive: Stage['drive'], report: Report): void {
  const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
  const { error } = drive();
  if (error !== undefined) report('the user gets what they ask for', messageOf(error));
  if (operator.failure !== undefined) report('the operator starts', messageOf(operator.failure));
}

/** After a while in which the last writes may still be under way, the operator writes nothing, and the world stays as it is. */
async function checkQuiet(
  scenario: Scenario,
  { cluster, operator }: Stage,
  settling: number,
): Promise<readonly (readonly [oracle: string, message: string])[]> {
  const found: (readonly [string, string])[] = [];
  const quietMs = scenario.quietMs ?? defaultQuietMs;
  const pass = async (): Promise<number> => {
    const before = operator.writes;
    const until = (): boolean => operator.writes - before > fewWrites;
    await cluster.run({ until, maxVirtualMs: quietMs });
    return operator.writes - before;
  };
  let writes = await pass();
  for (let more = 0; more < settling && writes <= fewWrites && (more === 0 || writes > 0); more += 1)
    writes = await pass();
  if (writes > 0) {
    const own = cluster.trace.entries.filter(
      ({ actor, action }) => actor === actorName(operator.user) && action !== 'receive',
    );
    const last = own.at(-1);
    found.push([
      quiet,
      `${writes} writes within ${quietMs / 1000} s; the last: ${last?.action ?? ''} ${last?.subject ?? ''}`,
    ]);
  }
  if (!scenario.isDone(cluster)) found.push(['what is done stays done', (scenario.stateOf ?? shortState)(cluster)]);
  return found;
}

/** The users that the operator of a scenario, and its twin, act as. */
function operatorUsers({ identity }: Scenario): ReadonlySet<string> {
  if (identity !== undefined) return new Set([identity.name]);
  return new Set(['operator', 'operator-twin'].map((name) => `system:serviceaccount:operators:${name}`));
}

function fingerprintOf(cluster: SimulatedCluster): string {
  const text = cluster.trace.entries
    .map(({ actor, action, subject, outcome }) => `${actor} ${action} ${subject} ${outcome ?? ''}`)
    .join('\n');
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
