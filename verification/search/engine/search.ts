import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { SearchScenario } from './search-scenario.ts';
import { searchScenarios } from './search-scenarios.ts';
import type { WorkerMessage } from './worker.ts';
import { Silence, spentMs } from './silence.ts';
import { Ledger } from './ledger.ts';
import type { Share } from './ledger.ts';
import { singleTasksOf, tasksOf } from './task.ts';
import type { Task } from './task.ts';

/** What to search, and how long. */
export interface SearchOptions {
  readonly kinds: readonly string[];
  /** Of these kinds, the scenarios that have one of these texts in their name. All by default. */
  readonly scenarios?: readonly string[];
  /** Ends the search after the last single fault: no pairs are run. */
  readonly singlesAlone?: boolean;
  /** Ends the search when so many histories count. */
  readonly histories: number;
  /** How long, once all scenarios are prepared. */
  readonly minutes: number;
  readonly seed: number;
  /** How many processes. */
  readonly workers: number;
  /** Ends the search after so many failures that differ. */
  readonly failures: number;
  /** Where each share is written when it is done. Shares that stand there already are not run again. */
  readonly out?: string;
}

const workerFile = fileURLToPath(new URL('./worker.ts', import.meta.url));
const progressEveryMs = 10_000;
/** How often the search looks whether a worker still does something. */
const lookEveryMs = 5_000;

/**
 * Searches: every single fault of every scenario, crashes first, and as many pairs at random. What is counted depends on the seed alone, not on how many
 * processes there are. Returns false where an invariant was broken.
 */
export async function search(options: SearchOptions): Promise<boolean> {
  const ledger = new Ledger();
  restore(ledger, options.out);
  const restored = ledger.run;
  const next = await pending(options, ledger);
  // What is prepared for all scenarios takes a minute by itself.
  const started = performance.now();
  const isOver = (): boolean =>
    ledger.distinct >= options.histories ||
    ledger.failures.length >= options.failures ||
    performance.now() - started >= options.minutes * 60_000;
  const take = (share: Share): void => {
    if (options.out !== undefined) appendFileSync(options.out, `${JSON.stringify(share)}\n`);
    for (const { text } of ledger.take(share)) console.error(`\n${share.kind}, ${share.searchScenario}\n${text}\n`);
  };
  const progress = setInterval(() => {
    const rate = (ledger.run - restored) / ((performance.now() - started) / 1000);
    console.log(
      `${ledger.run} run, ${ledger.distinct} count, ${rate.toFixed(1)}/s, ${ledger.failures.length} failures`,
    );
  }, progressEveryMs);
  try {
    await Promise.all(
      Array.from({ length: options.workers }, () =>
        runWorker(options.seed, { next: () => (isOver() ? undefined : next()), take }),
      ),
    );
  } finally {
    clearInterval(progress);
  }
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(JSON.stringify({ ...ledger.summary(), seed: options.seed, workers: options.workers, seconds }, null, 2));
  return ledger.failures.length === 0;
}

/** Takes in what an earlier search has written. */
function restore(ledger: Ledger, out: string | undefined): void {
  if (out === undefined || !existsSync(out)) return;
  for (const line of readFileSync(out, 'utf8').split('\n')) {
    // The last line may have been cut off in the middle.
    if (line.endsWith('}')) ledger.take(JSON.parse(line) as Share);
  }
}

/** The shares that are left to do, one after the other. Throws where a scenario fails without any fault. */
async function pending(options: SearchOptions, ledger: Ledger): Promise<() => Task | undefined> {
  const { seed, singlesAlone = false } = options;
  const counts = new Map<number, number>();
  let crashes = 0;
  for (const [number, searchScenario] of chosenScenarios(options)) {
    const { singles, failure } = await searchScenario.prepare(seed);
    if (failure) throw new Error(`${searchScenario.kind}, ${searchScenario.name}, without any fault:\n${failure.text}`);
    counts.set(number, singles.count);
    crashes += singles.crashes.length;
  }
  const tasks = singlesAlone ? singleTasksOf(counts) : tasksOf(counts);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  console.log(
    `${counts.size} scenarios, ${total} single faults, ${crashes} of them crashes; ${ledger.run} histories were run before`,
  );
  return () => {
    for (let task = tasks.next(); task.done !== true; task = tasks.next())
      if (!ledger.has(task.value)) return task.value;
    return undefined;
  };
}

/** The scenarios to search, each with its number. Throws where there is none. */
function chosenScenarios({ kinds, scenarios = [''] }: SearchOptions): readonly (readonly [number, SearchScenario])[] {
  const chosen = [...searchScenarios.entries()].filter(
    ([, { kind, name }]) => kinds.includes(kind) && scenarios.some((text) => name.includes(text)),
  );
  if (chosen.length > 0) return chosen;
  throw new TypeError(`no scenario of ${kinds.join(', ')} has this in its name: ${scenarios.join(', ')}`);
}

interface Work {
  readonly next: () => Task | undefined;
  readonly take: (share: Share) => void;
}

/** A process after another, kept busy until there is nothing left. A share whose history does not end, or ends the process, is a failure. */
async function runWorker(seed: number, work: Work): Promise<void> {
  for (let task = work.next(); task !== undefined; task = work.next()) {
    const lost = await runProcess(seed, { ...work, first: task });
    if (lost === undefined) return;
    const { kind = '', name = '' } = searchScenarios[lost.task.searchScenario] ?? {};
    const failures = [{ oracle: 'histories end', text: `${lost.why}: ${lost.begun}` }];
    work.take({ task: lost.task, kind, searchScenario: name, trials: [], failures });
  }
}

interface Lost {
  readonly task: Task;
  readonly begun: string;
  readonly why: string;
}

/** Runs shares in one process. Resolves with the share that it did not come back from, where there is one. */
function runProcess(seed: number, { first, next, take }: Work & { readonly first: Task }): Promise<Lost | undefined> {
  const execArgv = ['--conditions=ordinal-source', '--max-semi-space-size=32'];
  const worker: ChildProcess = fork(workerFile, [String(seed)], { execArgv });
  return new Promise((resolve) => {
    let task = first;
    let begun = 'no history yet';
    const silence = new Silence(() => spentMs(worker.pid));
    const end = (lost?: Lost): void => {
      clearInterval(looks);
      worker.kill('SIGKILL');
      resolve(lost);
    };
    const looks = setInterval(() => {
      const why = silence.verdict;
      if (why !== undefined) end({ task, begun, why });
    }, lookEveryMs);
    worker.on('message', (message: WorkerMessage) => {
      silence.heard();
      if ('begun' in message) {
        ({ begun } = message);
        return;
      }
      take(message.share);
      const following = next();
      if (following === undefined) end();
      else worker.send((task = following));
    });
    worker.on('error', (error) => end({ task, begun, why: error.message }));
    worker.on('exit', (code, signal) => {
      const why = code === 0 ? 'it waits for what never comes' : `its process ended by itself (${code ?? signal})`;
      end({ task, begun, why });
    });
    worker.send(task);
  });
}
