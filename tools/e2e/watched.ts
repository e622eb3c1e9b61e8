import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Timeline } from '../kubectl-ordinal/src/what-if/timeline.ts';
import type { Kubernetes } from './kubernetes.ts';

type Store = ConstructorParameters<typeof Timeline>[0];
type Listener = Parameters<Store['subscribe']>[0];
type KubernetesObject = Parameters<Listener>[0]['after'];

const kinds = [
  'clusteredcaches.cache.my.domain',
  'kvstoreclusters.kvstore.example.com',
  'clouddatabases.db.example.com',
  'statefulsets.apps',
  'pods',
  'jobs.batch',
  'persistentvolumeclaims',
];

/** Follows all namespaces of a cluster, and hands each change to the timelines of what-if. Changes of one kind come in order; those of two kinds may not. */
export class Watched {
  readonly #seen = new Map<string, KubernetesObject>();
  readonly #listeners = new Set<Listener>();
  readonly #watches: readonly { kill: () => boolean }[];

  constructor({ program, kubeconfig }: Kubernetes) {
    this.#watches = kinds.map((kind) => this.#watch(program, kubeconfig, kind));
  }

  /** What happens to the resource of this name, its members, Jobs and volumes from now on. */
  timelineOf(name: string): Timeline {
    const subscribe: Store['subscribe'] = (listener) => {
      this.#listeners.add(listener);
      return () => this.#listeners.delete(listener);
    };
    return new Timeline({ subscribe }, () => Date.now(), [name]);
  }

  stop(): void {
    for (const watch of this.#watches) watch.kill();
  }

  #watch(program: string, kubeconfig: string, kind: string): { kill: () => boolean } {
    const flags = ['get', kind, '-A', '--watch', '--output-watch-events', '-o', 'json'];
    const child = spawn(program, ['--kubeconfig', kubeconfig, ...flags], { stdio: ['ignore', 'pipe', 'ignore'] });
    // With its type, each event is a line.
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.#event(kind, JSON.parse(line) as { type: string; object: KubernetesObject });
    });
    return child;
  }

  #event(kind: string, { type, object: after }: { type: string; object: KubernetesObject }): void {
    const before = this.#seen.get(after.metadata.uid);
    const deleted = type === 'DELETED';
    if (deleted) this.#seen.delete(after.metadata.uid);
    else this.#seen.set(after.metadata.uid, after);
    for (const listener of this.#listeners) listener({ kind, before, after, deleted } as Parameters<Listener>[0]);
  }
}
