/**
 * One process of a search: runs the shares that it is sent, and sends back what came of them. Started by `search.ts`, with the seed as its argument.
 */
import { searchScenarios } from './search-scenarios.ts';
import type { ReadyScenario, Reported, Trial } from './search-scenario.ts';
import type { Share } from './ledger.ts';
import { onTask } from './on-task.ts';
import { plansOf } from './task.ts';
import type { Task } from './task.ts';

/** What a worker says: that it begins a history, or what came of a share. */
export type WorkerMessage = { readonly begun: string } | { readonly share: Share };

const seed = Number(process.argv[2]);
const ready = new Map<number, Promise<ReadyScenario>>();
const say = (message: WorkerMessage): void => void process.send?.(message);

async function run(task: Task): Promise<void> {
  const searchScenario = searchScenarios[task.searchScenario];
  if (searchScenario === undefined) throw new TypeError(`there is no scenario ${task.searchScenario}`);
  const prepared = ready.get(task.searchScenario) ?? searchScenario.prepare(seed);
  ready.set(task.searchScenario, prepared);
  const { singles, run: play } = await prepared;
  const trials: Omit<Trial, 'failure'>[] = [];
  const failures: Reported[] = [];
  for (const plan of plansOf(task, singles, seed)) {
    say({
      begun: `${searchScenario.kind}, ${searchScenario.name}, faults ${plan.faults.join(' and ')}, seed ${plan.seed}`,
    });
    const { failure, ...trial } = await play(plan);
    trials.push(trial);
    if (failure) failures.push(failure);
  }
  say({ share: { task, kind: searchScenario.kind, searchScenario: searchScenario.name, trials, failures } });
}

onTask(run);
