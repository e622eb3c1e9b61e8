import { join } from 'node:path';
import { run, type Kubernetes } from './kubernetes.ts';

const program = join(import.meta.dirname, '..', 'kubectl-ordinal', 'src', 'main.ts');

/** `kubectl ordinal` with these parameters. Returns what it printed; rejects with what it said where it fails. */
export function plugin({ kubeconfig }: Kubernetes, parameters: readonly string[]): Promise<string> {
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  return run(process.execPath, ['--conditions=ordinal-source', program, ...parameters], { env });
}
