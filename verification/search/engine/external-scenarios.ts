import { runHistory } from '../external/database-history.ts';
import { databaseScenarios } from '../external/database-scenarios.ts';
import type { Fault } from '../external/fault.ts';
import { singleFaults } from '../external/histories.ts';
import type { HistoryResult } from '../external/history.ts';
import { profiles } from '../external/history.ts';
import { runSetHistory } from '../external/set-history.ts';
import { setScenarios } from '../external/set-scenarios.ts';
import type { SearchScenario, ReadyScenario, Reported } from './search-scenario.ts';
import { digest, singlesOf } from './search-scenario.ts';

type Play = (faults: readonly Fault[], seed: number) => Promise<HistoryResult>;

const names = Object.keys(profiles) as (keyof typeof profiles)[];

/** The scenarios of CloudDatabase and MonitoredStatefulSet, each with external systems of every profile. */
export const externalSearchScenarios: readonly SearchScenario[] = names.flatMap((profile) => [
  ...databaseScenarios.map((scenario) =>
    searchScenario('database', `${scenario.name}, ${profile}`, (faults, seed) =>
      runHistory({ scenario, profile, faults, seed }),
    ),
  ),
  ...setScenarios.map((scenario) =>
    searchScenario('set', `${scenario.name}, ${profile}`, (faults, seed) =>
      runSetHistory({ scenario, profile, faults, seed }),
    ),
  ),
]);

function searchScenario(kind: string, name: string, play: Play): SearchScenario {
  return { kind, name, prepare: (seed) => prepare({ kind, name, play }, seed) };
}

async function prepare(
  { kind, name, play }: { readonly kind: string; readonly name: string; readonly play: Play },
  seed: number,
): Promise<ReadyScenario> {
  const calm = await play([], seed);
  const singles = singleFaults(calm.calls);
  const failure = failureOf(calm);
  return {
    singles: singlesOf(singles, ({ effect }) => effect === 'crash'),
    ...(failure && { failure }),
    run: async ({ faults: numbers, seed: from }) => {
      const faults = withOneDeception(numbers.map((number) => singles[number]).filter((fault) => fault !== undefined));
      const result = await play(faults, from);
      const reported = failureOf(result);
      return {
        allFired: faults.every((fault) => result.fired.some((fired) => fired.fault === fault)),
        trace: digest(`${kind} ${name} ${result.traceKey}`),
        met: result.fired.map(({ fault, state }) => ({
          group: `${kind} ${fault.effect} ${fault.when} ${fault.kind}`,
          at: digest(`${fault.number} ${state}`),
        })),
        ...(reported && { failure: reported }),
      };
    },
  };
}

/** Nothing is promised for two untruths within the half minute of what is not known, be it that the clock is set or that a provider denies what there is. */
function withOneDeception(faults: readonly Fault[]): readonly Fault[] {
  const deceives = ({ effect }: Fault): boolean => effect === 'clock' || effect === 'deny';
  const first = faults.find(deceives);
  return faults.filter((fault) => !deceives(fault) || fault === first);
}

function failureOf({ violations, text }: HistoryResult): Reported | undefined {
  const [first] = violations;
  if (first === undefined) return undefined;
  const wrong = violations.map(({ invariant, what }) => `✗ ${invariant}: ${what}`);
  return { oracle: first.invariant, text: [...wrong, text()].join('\n') };
}
