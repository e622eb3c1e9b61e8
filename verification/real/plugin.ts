import type { Clock } from '@ordinal/client';
import { run } from '../../tools/kubectl-ordinal/src/cli.ts';

/** How `kubectl ordinal` is run, and what it reads from the standard input. */
export interface PluginRun {
  readonly kubeconfig: string;
  readonly clock: Clock;
  readonly input?: string;
  /** What files have, by their names. */
  readonly files?: Readonly<Record<string, string>>;
}

/** What a run has come to. */
export interface PluginRan {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line of `kubectl ordinal` in this process. */
export async function runPlugin(
  args: readonly string[],
  { kubeconfig, clock, input = '', files = {} }: PluginRun,
): Promise<PluginRan> {
  const said = { out: '', err: '' };
  const exitCode = await run(args, {
    ...{ environment: { KUBECONFIG: kubeconfig }, clock },
    out: (text) => void (said.out += text),
    err: (text) => void (said.err += text),
    ...{ isTerminal: false, hasColors: false, columns: 120, rows: 40 },
    confirm: () => Promise.resolve(undefined),
    readFile: (path) => Promise.resolve(files[path] ?? input),
    readBytes: () => Promise.reject(new Error('no file in this test')),
    runProgram: () => Promise.reject(new Error('no program in this test')),
    writeFile: () => Promise.reject(new Error('no file in this test')),
    interrupted: new AbortController().signal,
  });
  return { exitCode, ...said };
}
