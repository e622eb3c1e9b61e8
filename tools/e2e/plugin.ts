import { execFile } from 'node:child_process';
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
