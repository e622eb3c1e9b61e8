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

/** How long a change is kept back, in milliseconds: an earlier one of another kind may come after it. */
const keptMs = 3_000;

/** A change that is kept back. */
interface Kept {
  /** Of the API server, for all kinds. */
  readonly revision: number;
  readonly receivedAt: number;
  readonly hand: () => void;
}

/** Follows all namespaces of a cluster, and hands each change to the timelines of what-if, some seconds later and in the order in which they were made. */
export class Watched {
  readonly #seen = new Map<string, KubernetesObject>();
  readonly #listeners = new Set<Listener>();
  readonly #watches: readonly { kill: () => boolean }[];
  readonly #timer: NodeJS.Timeout;
  #kept: readonly Kept[] = [];

  constructor({ program, kubeconfig }: Kubernetes) {
    this.#watches = kinds.map((kind) => this.#watch(program, kubeconfig, kind));
    this.#timer = setInterval(() => this.#hand(), 200);
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
    clearInterval(this.#timer);
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
    // Who begins to listen now is not to hear of what was before.
    const listeners = [...this.#listeners];
    const hand = (): void => {
      for (const listener of listeners) listener({ kind, before, after, deleted } as Parameters<Listener>[0]);
    };
    const revision = Number(after.metadata.resourceVersion);
    this.#kept = [...this.#kept, { revision, receivedAt: Date.now(), hand }];
  }

  /** Hands on what was kept for long enough, and whatever was made before that. */
  #hand(): void {
    const isDue = ({ receivedAt }: Kept): boolean => receivedAt <= Date.now() - keptMs;
    const upTo = Math.max(0, ...this.#kept.filter(isDue).map(({ revision }) => revision));
    const due = this.#kept.filter(({ revision }) => revision <= upTo).toSorted((a, b) => a.revision - b.revision);
    this.#kept = this.#kept.filter(({ revision }) => revision > upTo);
    for (const { hand } of due) hand();
  }
}
