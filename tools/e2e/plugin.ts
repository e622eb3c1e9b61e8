import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { run, type Kubernetes } from './kubernetes.ts';

const program = join(import.meta.dirname, '..', 'kubectl-ordinal', 'src', 'main.ts');

/** `kubectl ordinal` with these parameters. Returns what it printed; rejects with what it said where it fails. */
export function plugin({ kubeconfig }: Kubernetes, parameters: readonly string[]): Promise<string> {
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  return run(process.execPath, ['--conditions=ordinal-source', program, ...parameters], { env });
}

/** The exit code of an answer that says that something waits. */
const waits = 4;

/** The same, where the answer is that something waits. Rejects where nothing does. */
export function pluginOnWait({ kubeconfig }: Kubernetes, parameters: readonly string[], input = ''): Promise<string> {
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      ['--conditions=ordinal-source', program, ...parameters],
      { maxBuffer: 64 << 20, env },
      (error, stdout, stderr) => {
        if (error?.code === waits) resolve(stdout);
        else reject(new Error(`${parameters.join(' ')}: exit code ${error?.code ?? 0}: ${stderr || stdout}`));
      },
    );
    child.stdin?.on('error', () => undefined).end(input);
  });
}

/** The program, while it runs. */
export interface RunningPlugin {
  /** What it has printed first. */
  readonly firstLine: string;
  /** Ends it as Ctrl-C does. */
  readonly stop: () => Promise<void>;
}

/** `kubectl ordinal` with parameters with which it runs until it is ended. Rejects where it ends before it has printed a line. */
export async function startPlugin({ kubeconfig }: Kubernetes, parameters: readonly string[]): Promise<RunningPlugin> {
  const child = spawn(process.execPath, ['--conditions=ordinal-source', program, ...parameters], {
    env: { ...process.env, KUBECONFIG: kubeconfig },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  let [said, printed] = ['', ''];
  child.stderr.on('data', (part) => (said += String(part)));
  const line = new Promise<string>((resolve) =>
    child.stdout.on('data', (part) => {
      printed += String(part);
      if (printed.includes('\n')) resolve(printed.split('\n')[0] ?? '');
    }),
  );
  const firstLine = await Promise.race([
    line,
    ended.then(() => Promise.reject(new Error(`${parameters.join(' ')} has ended: ${said}`))),
  ]);
  return {
    firstLine,
    stop: async () => {
      child.kill('SIGINT');
      await ended;
    },
  };
}
