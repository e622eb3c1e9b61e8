import { describeFailure, enumerateFaults, generalInvariants, runHistory, failureReport } from '@ordinal/explorer';
import type { Fault, HistoryOutcome, Scenario } from '@ordinal/explorer';
import { cacheScenarios, laterCacheScenarios } from '../clustered-cache/scenarios.ts';
import { kvStoreScenarios, laterStoreScenarios } from '../kv-store-cluster/scenarios.ts';
import type { SearchScenario, Plan, ReadyScenario, Reported, Trial } from './search-scenario.ts';
import { digest, singlesOf } from './search-scenario.ts';
import { together } from '../faults/faults.ts';
import type { Searched } from './searched.ts';

/** The scenarios of ClusteredCache and KVStoreCluster. */
export const lifecycleSearchScenarios: readonly SearchScenario[] = [
  ...cacheScenarios.map((searched) => searchScenario('cache', searched)),
  ...kvStoreScenarios.map((searched) => searchScenario('kv', searched)),
  ...laterCacheScenarios.map((searched) => searchScenario('cache', searched)),
  ...laterStoreScenarios.map((searched) => searchScenario('kv', searched)),
];

function searchScenario(kind: string, searched: Searched): SearchScenario {
  const { name } = searched.scenario;
  return { kind, name, prepare: (seed) => prepare({ ...searched, kind }, seed) };
}

async function prepare(
  { scenario, oracles, faults: named, livesVary = [], kind }: Searched & { kind: string },
  seed: number,
): Promise<ReadyScenario> {
  const all = { scenario, oracles: [...generalInvariants, ...oracles] };
  const calm = await runHistory({ ...all, seed, faults: [] });
  const singles = named.flatMap((name) => enumerateFaults(name, calm.ground));
  // Of the history without faults nothing else is kept: its cluster is large.
  const { lives } = calm;
  const failure = failureOf(calm, scenario);
  const play = (faults: readonly Fault[], from: number): Promise<HistoryOutcome> =>
    runHistory({
      ...all,
      seed: from,
      faults,
      ...(faults.some(({ fault }) => livesVary.includes(fault)) ? {} : { reference: lives }),
    });
  return {
    singles: singlesOf(singles, ({ fault }) => fault === 'crash'),
    ...(failure && { failure }),
    run: async ({ faults: numbers, seed: from }: Plan): Promise<Trial> => {
      const faults = together(numbers.map((number) => singles[number]).filter((fault) => fault !== undefined));
      const outcome = await play(faults, from);
      const shortest = outcome.violations.length === 0 ? outcome : await shorten(outcome, (one) => play([one], from));
      const reported = failureOf(shortest, scenario);
      return {
        allFired: faults.every((fault) => outcome.fired.some((struck) => struck.fault === fault)),
        trace: digest(`${scenario.name} ${outcome.fingerprint}`),
        met: outcome.fired.map(({ fault, state }) => ({
          group: `${kind} ${fault.fault}`,
          at: digest(`${JSON.stringify(fault.at)} ${state}`),
        })),
        ...(reported && { failure: reported }),
      };
    },
  };
}

/** Where one of two faults is enough, the other is left out: such a history is easier to understand. */
async function shorten(
  outcome: HistoryOutcome,
  alone: (fault: Fault) => Promise<HistoryOutcome>,
): Promise<HistoryOutcome> {
  if (outcome.faults.length < 2) return outcome;
  for (const fault of outcome.faults) {
    const single = await alone(fault);
    if (single.violations.some(({ oracle }) => oracle === outcome.violations[0]?.oracle)) return single;
  }
  return outcome;
}

function failureOf(outcome: HistoryOutcome, scenario: Scenario): Reported | undefined {
  const [first] = outcome.violations;
  return first && { oracle: first.oracle, text: describeFailure(failureReport(outcome, scenario.name)) };
}
