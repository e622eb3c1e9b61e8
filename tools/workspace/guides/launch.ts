import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');

interface Launch {
  readonly runtimeExecutable: string;
  readonly runtimeArgs: readonly string[];
  readonly program: string;
  readonly args: readonly string[];
  readonly preLaunchTask: string;
}

interface Task {
  readonly label: string;
  readonly command: string;
  readonly problemMatcher: { readonly background: { readonly endsPattern: string } };
}

const here = (text: string): string => text.replace('${workspaceFolder}', root);
const json = (file: string): unknown => JSON.parse(readFileSync(join(root, '.vscode', file), 'utf8'));

/** A program that runs, with what it has printed. */
export interface Running {
  printed(): string;
  /** Resolves when it has printed this; rejects where it ends before. */
  until(pattern: RegExp): Promise<void>;
  /** Ends it. */
  stop(): Promise<void>;
}

/** Starts the operator as the launch configuration of VS Code does: its program, its flags, on this kubeconfig. Ports are free ones. */
export function launchOperator(kubeconfig: string, ...more: readonly string[]): Running {
  const { configurations } = json('launch.json') as { readonly configurations: readonly [Launch] };
  const [{ runtimeExecutable, runtimeArgs, program, args }] = configurations;
  return run(
    here(runtimeExecutable),
    [...runtimeArgs, ...more, here(program), ...args, '--health-port=0', '--metrics-port=0'],
    { KUBECONFIG: kubeconfig },
  );
}

/** Starts the task that comes before, with its kubeconfig in another place; `ends` is what VS Code waits for. */
export function launchCluster(kubeconfig: string): Running & { readonly ends: RegExp } {
  const { configurations } = json('launch.json') as { readonly configurations: readonly [Launch] };
  const { tasks } = json('tasks.json') as { readonly tasks: readonly Task[] };
  const task = tasks.find(({ label }) => label === configurations[0].preLaunchTask);
  if (task === undefined) throw new Error('the launch configuration names a task that is not there');
  const [program = '', ...words] = task.command.replace('simulated.kubeconfig', kubeconfig).split(' ');
  return { ...run(join(root, program), words, {}), ends: new RegExp(task.problemMatcher.background.endsPattern) };
}

function run(program: string, words: readonly string[], env: Readonly<Record<string, string>>): Running {
  const child = spawn(program, words, { cwd: root, env: { PATH: process.env['PATH'], ...env } });
  let text = '';
  const add = (chunk: Buffer): void => void (text += chunk.toString());
  child.stdout.on('data', add);
  child.stderr.on('data', add);
  const exited = once(child, 'exit');
  const endWith = (): void => void child.kill('SIGKILL');
  process.once('exit', endWith);
  return {
    printed: () => text,
    async until(pattern) {
      while (!pattern.test(text)) {
        if (child.exitCode !== null) throw new Error(`${words.join(' ')} ended:\n${text}`);
        await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), exited]);
      }
    },
    async stop() {
      process.off('exit', endWith);
      child.kill('SIGTERM');
      await exited;
    },
  };
}
