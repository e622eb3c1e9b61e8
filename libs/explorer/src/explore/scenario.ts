import type { KubernetesObject } from '@ordinal/client';
import type { Identity } from '@ordinal/simulator';
import type { Operator, OperatorStart } from '@ordinal/simulator';
import type { ClusterOptions, TestCluster } from '@ordinal/simulator';
import type { Mistake, UserAction } from '../faults/injector.ts';
import type { LifeChange } from '../oracles/counts.ts';
import { SimulatedCluster } from '@ordinal/simulator';

/** What an operator is to live through, again and again, each time with other faults. */
export interface Scenario {
  /** What it is about, in a few words: `an upgrade of three pods`. */
  readonly name: string;
  /** The cluster it happens in. Events are left out by default: they cost time, and no operator should read them. */
  readonly cluster?: Omit<ClusterOptions, 'seed' | 'pace'>;
  readonly operator: OperatorStart;
  /** Who the operator is to the API server; an administrator by default. */
  readonly identity?: Identity;
  /** An older version of the operator, for the fault `oldVersion`. */
  readonly olderVersion?: OperatorStart;
  /** What is there before the operator starts: images, external services, objects. */
  readonly setUp: (cluster: TestCluster) => void | Promise<void>;
  /** What the user does, in the cluster's time: awaits `sleep(cluster.clock, …)` and conditions by `until`. A condition looks, and does nothing. */
  readonly drive?: (cluster: TestCluster, until: (condition: () => boolean) => Promise<void>) => Promise<void>;
  /** Whether the world is as it has to be in the end, whatever happened on the way. */
  readonly isDone: (cluster: TestCluster) => boolean;
  /** What users may do at any time besides (fault `user`), by a name in words; `isDone` has to take it into account. */
  readonly actions?: Readonly<Record<string, UserAction>>;
  /**
   * What users may ask for wrongly, and how they take it back twenty minutes later (fault `mistake`): the world has to be as `isDone` says then, whatever
   * the mistake has left behind, such as a pod that can't start (kubernetes#67250).
   */
  readonly mistakes?: Readonly<Record<string, Mistake>>;
  /** What is left over that should not be, when all is done. */
  readonly leaks?: (cluster: TestCluster) => readonly string[];
  /**
   * Whether a change of an object says that the operator gives something up, such as an upgrade at its deadline. Where the operator's clock is set it may do so in a history and not in the one
   * without faults, or sooner: lives are compared accordingly. By default it never does.
   */
  readonly givesUp?: (change: LifeChange) => boolean;
  /** The state that a history is in, to count how many different ones faults have met. By default: how many objects of each kind, and pods' phases. */
  readonly stateOf?: (cluster: TestCluster) => string;
  /** How long it may take in the cluster's time until it is done, faults included. Two hours by default. */
  readonly maxVirtualMs?: number;
  /** How long the operator has to be quiet when it is done. Three minutes by default. */
  readonly quietMs?: number;
}

/** A scenario under way. */
export interface Stage {
  readonly cluster: SimulatedCluster;
  readonly operator: Operator;
  /** Whether what the user does has come to its end; an error where it failed. */
  readonly drive: () => { readonly ended: boolean; readonly error?: unknown };
  /** Lets the user wait with what they do next, and go on. */
  readonly holdUser: (isHeld: boolean) => void;
}

/** Sets a scenario up, and starts its operator and its user. */
export async function stage(
  scenario: Scenario,
  seed: number,
  prepare?: (cluster: SimulatedCluster) => void,
): Promise<Stage> {
  const cluster = await SimulatedCluster.start({ events: false, ...scenario.cluster, seed });
  await scenario.setUp(cluster);
  prepare?.(cluster);
  const operator = cluster.operator('operator', scenario.operator, scenario.identity);
  let state: { readonly ended: boolean; readonly error?: unknown } = { ended: scenario.drive === undefined };
  let holds = 0;
  scenario
    .drive?.(cluster, (condition) => until(cluster, () => holds === 0 && condition()))
    .then(
      () => (state = { ended: true }),
      (error: unknown) => (state = { ended: true, error }),
    );
  const holdUser = (isHeld: boolean): void => void (holds += isHeld ? 1 : -1);
  return { cluster, operator, drive: () => state, holdUser };
}

const pollMs = 100;

/** Resolves in the cluster's time as soon as the condition is true. */
function until(cluster: TestCluster, condition: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (): boolean => {
      try {
        if (!condition()) {
          cluster.scheduler.scheduleLook(pollMs, 'timer', look);
          return false;
        }
        resolve();
      } catch (error) {
        reject(error as Error);
      }
      return true;
    };
    look();
  });
}

/** What is read of an object, whatever its kind. */
interface ObjectWithPhase extends KubernetesObject {
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** The state of a cluster in short: what there is of each kind, and how its pods are. */
export function shortState(cluster: TestCluster): string {
  const counts = new Map<string, number>();
  for (const storage of ['pods', 'statefulsets.apps', 'jobs.batch', 'persistentvolumeclaims']) {
    for (const [, object] of cluster.server.store.snapshot(storage)) {
      const { status } = object as ObjectWithPhase;
      const ready =
        status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
      const leaving = object.metadata.deletionTimestamp === undefined ? '' : ' leaving';
      const key = `${storage} ${status?.phase ?? ''}${ready ? ' ready' : ''}${leaving}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return [...counts].map(([key, count]) => `${count} ${key}`).join(', ');
}
