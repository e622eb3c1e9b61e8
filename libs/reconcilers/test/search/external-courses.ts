import { runHistory } from '../external/database-history.ts';
import { databaseScenarios } from '../external/database-scenarios.ts';
import type { Fault } from '../external/fault.ts';
import { singleFaults } from '../external/histories.ts';
import type { HistoryResult } from '../external/history.ts';
import { tempers } from '../external/history.ts';
import { runSetHistory } from '../external/set-history.ts';
import { setScenarios } from '../external/set-scenarios.ts';
import type { Course, ReadyCourse, Told } from './course.ts';
import { digest, singlesOf } from './course.ts';

type Play = (faults: readonly Fault[], seed: number) => Promise<HistoryResult>;

const names = Object.keys(tempers) as (keyof typeof tempers)[];

/** The scenarios of CloudDatabase and MonitoredStatefulSet, each with an outside world of every temper. */
export const externalCourses: readonly Course[] = names.flatMap((temper) => [
  ...databaseScenarios.map((scenario) =>
    course('database', `${scenario.name}, ${temper}`, (faults, seed) => runHistory({ scenario, temper, faults, seed })),
  ),
  ...setScenarios.map((scenario) =>
    course('set', `${scenario.name}, ${temper}`, (faults, seed) => runSetHistory({ scenario, temper, faults, seed })),
  ),
]);

function course(kind: string, name: string, play: Play): Course {
  return { kind, name, prepare: (seed) => prepare({ kind, name, play }, seed) };
}

async function prepare(
  { kind, name, play }: { readonly kind: string; readonly name: string; readonly play: Play },
  seed: number,
): Promise<ReadyCourse> {
  const calm = await play([], seed);
  const singles = singleFaults(calm.calls);
  const failure = failureOf(calm);
  return {
    singles: singlesOf(singles, ({ effect }) => effect === 'crash'),
    ...(failure && { failure }),
    run: async ({ faults: numbers, seed: from }) => {
      const faults = withOneDeception(numbers.map((number) => singles[number]).filter((fault) => fault !== undefined));
      const result = await play(faults, from);
      const told = failureOf(result);
      return {
        allFired: faults.every((fault) => result.fired.some((fired) => fired.fault === fault)),
        trace: digest(`${kind} ${name} ${result.traceKey}`),
        met: result.fired.map(({ fault, state }) => ({
          group: `${kind} ${fault.effect} ${fault.when} ${fault.kind}`,
          at: digest(`${fault.number} ${state}`),
        })),
        ...(told && { failure: told }),
      };
    },
  };
}

/** Nothing is promised for two untruths within the half minute of a doubt, be it that the clock is set or that a keeper denies what there is. */
function withOneDeception(faults: readonly Fault[]): readonly Fault[] {
  const deceives = ({ effect }: Fault): boolean => effect === 'clock' || effect === 'deny';
  const first = faults.find(deceives);
  return faults.filter((fault) => !deceives(fault) || fault === first);
}

function failureOf({ violations, text }: HistoryResult): Told | undefined {
  const [first] = violations;
  if (first === undefined) return undefined;
  const wrong = violations.map(({ invariant, what }) => `✗ ${invariant}: ${what}`);
  return { oracle: first.invariant, text: [...wrong, text()].join('\n') };
}
