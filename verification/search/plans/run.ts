import { seededRandom } from '@ordinal/simulator';
import type { Compared } from './comparison.ts';
import type { SampledHistory } from './histories.ts';

/** How many states of each kind are compared, and from which seed. */
export interface PlanRun {
  readonly statesPerKind: number;
  readonly seed: number;
  /** How many states of one history count at most: more histories say more than more of one. */
  readonly perHistory: number;
}

/** What a run has shown of one kind. */
export interface PlanCount {
  /** States in which the plan was compared as a whole. */
  states: number;
  /** Those of them in which something is to be written. */
  withWrites: number;
  /** The writes that were compared. */
  writes: number;
  /** Sampled, and not compared as a whole. */
  partial: number;
}

/** A plan that is not what followed. */
export interface WrongPlan extends Compared {
  readonly kind: string;
  readonly history: string;
  readonly seed: number;
}

/** What a run has come to. */
export interface PlanReport {
  readonly counts: Readonly<Record<string, PlanCount>>;
  readonly wrong: readonly WrongPlan[];
}

/** In how many histories a kind is looked at without a state that counts before the run gives up. */
const barren = 200;

/** Samples states of histories, one kind after the other, until there are enough of each. The same seed gives the same states. */
export async function comparePlans(
  histories: readonly SampledHistory[],
  { statesPerKind, seed, perHistory }: PlanRun,
): Promise<PlanReport> {
  const counts: Record<string, PlanCount> = {};
  const wrong: WrongPlan[] = [];
  for (const kind of new Set(histories.map((history) => history.kind))) {
    const count: PlanCount = { states: 0, withWrites: 0, writes: 0, partial: 0 };
    counts[kind] = count;
    // From one seed to the next the histories differ by their faults and by chance. Neighbors in the list are alike: a small run takes them from all over it.
    const own = spread(histories.filter((history) => history.kind === kind));
    for (let run = 0, without = 0; count.states < statesPerKind && without < barren; run += 1) {
      const history = own[run % own.length] as SampledHistory;
      const from = seed + Math.floor(run / own.length);
      const most = Math.min(perHistory, statesPerKind - count.states);
      const random = seededRandom((from * 7919 + run) >>> 0);
      const compared = await history.run(from, { random, every: 4, most });
      for (const each of compared) {
        if (each.difference !== undefined) wrong.push({ ...each, kind, history: history.name, seed: from });
        if (each.isPartial) count.partial += 1;
        else add(count, each);
      }
      without = compared.some(({ isPartial }) => !isPartial) ? 0 : without + 1;
    }
  }
  return { counts, wrong };
}

function add(count: PlanCount, { plan: { writes } }: Compared): void {
  count.states += 1;
  count.withWrites += writes.length > 0 ? 1 : 0;
  count.writes += writes.length;
}

/** A list in an order in which neighbors are far apart. */
function spread<T>(list: readonly T[]): readonly T[] {
  const step = 7;
  return [...Array(step).keys()].flatMap((offset) => list.filter((_one, index) => index % step === offset));
}

/** A plan that is wrong, in words. */
export function describeWrongPlan({ kind, history, seed, resource, plan, writes, difference = '' }: WrongPlan): string {
  const lines = writes.map(({ method, path }) => `    ${method} ${path}`);
  return [
    `${kind}, ${history}, seed ${seed}, ${resource.metadata.name}: ${difference}`,
    `  planned, ending before ${plan.endsBefore ?? 'nothing'}:`,
    ...plan.steps.map(
      ({ what, because }) => `    ${what.slice(0, 300)}${because === undefined ? '' : `, because ${because}`}`,
    ),
    '  written:',
    ...lines,
  ].join('\n');
}
