import type { Instant } from '@ordinal/client';
import type { Operator } from '@ordinal/simulator';
import type { SimulatedCluster } from '@ordinal/simulator';
import { UserRequests } from './user-requests.ts';

/** How long the API server takes to start again, in milliseconds. */
const apiServerStartMs = 2000;

/** Whose etcd is restored. */
export interface RestoreTarget {
  readonly cluster: SimulatedCluster;
  readonly operator: Operator;
  /** Lets the user who drives the history wait, and go on. */
  readonly holdUser?: (isHeld: boolean) => void;
}

/** From which backup etcd is restored, and when users ask once more for what is lost; in milliseconds. */
export interface RestoreOptions {
  readonly backMs: number;
  readonly repeatAfterMs: number;
}

/**
 * Restores the etcd of a history, once or several times: from a backup, but not from before the history began, as what a scenario sets up is always there. The API server is away for two seconds. What users have
 * asked for and is lost, they ask for once more; the user who drives the history waits until then.
 */
export class EtcdRestore {
  private readonly target: RestoreTarget;
  private readonly begunAt: Instant;
  private readonly requests: UserRequests;

  /** Begins to note what users ask for: made when the history begins. */
  constructor(target: RestoreTarget) {
    this.target = target;
    this.begunAt = target.cluster.clock.now();
    this.requests = new UserRequests(target.cluster);
  }

  /** Restores it a millisecond from now. Calls `done` when users have asked for everything. */
  strike({ backMs, repeatAfterMs }: RestoreOptions, done: () => void): void {
    const { cluster, holdUser } = this.target;
    cluster.scheduler.schedule(1, 'restore', () => {
      holdUser?.(true);
      const until = cluster.clock.now();
      const after = cluster.restore(Math.max(until - backMs, this.begunAt));
      this.requests.lose({ after, until });
      this.awayFor(apiServerStartMs);
      const isDone = (): void => {
        holdUser?.(false);
        done();
      };
      cluster.scheduler.schedule(repeatAfterMs, 'user', () => this.requests.repeat(isDone));
    });
  }

  /** The API server starts: it answers the operator nothing for a while. */
  private awayFor(forMs: number): void {
    const { cluster, operator } = this.target;
    const answers = operator.hook({ before: ({ kind }) => (kind === 'external' ? undefined : { lose: true }) });
    cluster.scheduler.schedule(forMs, 'API server', () => {
      answers();
      // A watch that was on its way when the server ended has not been opened.
      cluster.server.endWatches();
    });
  }
}
