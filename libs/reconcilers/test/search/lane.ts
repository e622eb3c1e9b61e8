/**
 * One process of a search: runs the shares that it is sent, and sends back what came of them. Started by `search.ts`, with the seed as its argument.
 */
import { courses } from './courses.ts';
import type { ReadyCourse, Told, Trial } from './course.ts';
import type { Share } from './ledger.ts';
import { plansOf } from './task.ts';
import type { Task } from './task.ts';

/** What a lane says: that it begins a history, or what came of a share. */
export type LaneMessage = { readonly begun: string } | { readonly share: Share };

const seed = Number(process.argv[2]);
const ready = new Map<number, Promise<ReadyCourse>>();
const say = (message: LaneMessage): void => void process.send?.(message);

async function run(task: Task): Promise<void> {
  const course = courses[task.course];
  if (course === undefined) throw new TypeError(`there is no course ${task.course}`);
  const prepared = ready.get(task.course) ?? course.prepare(seed);
  ready.set(task.course, prepared);
  const { singles, run: play } = await prepared;
  const trials: Omit<Trial, 'failure'>[] = [];
  const failures: Told[] = [];
  for (const plan of plansOf(task, singles, seed)) {
    say({ begun: `${course.kind}, ${course.name}, faults ${plan.faults.join(' and ')}, seed ${plan.seed}` });
    const { failure, ...trial } = await play(plan);
    trials.push(trial);
    if (failure) failures.push(failure);
  }
  say({ share: { task, kind: course.kind, course: course.name, trials, failures } });
}

process.on('message', (task: Task) => void run(task));
