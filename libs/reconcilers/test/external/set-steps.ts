import { monitoredStatefulSets } from '@ordinal/api';
import type { MonitoredStatefulSet, MonitoredStatefulSetInput } from '@ordinal/api';
import { Standstill } from './broken.ts';
import { maxCalls } from './fake-provider.ts';
import type { SetWorld } from './set-world.ts';
import { monitoredSet, setNow } from './set-world.ts';

/** What happens to one MonitoredStatefulSet, and how many registrations must be left afterwards. */
export interface SetScenario {
  readonly name: string;
  readonly left: number;
  /** Another client writes the status: what stands in it is no promise. */
  readonly isForged?: boolean;
  /** The set moves between two URLs of one service. After a restore of etcd it is unknown whether both show one entry: it may go, and come again. */
  readonly hasAlias?: boolean;
  /** The monitors answer nothing but POST and DELETE. They give back what a repeated key has made, and remove at once: no more could be promised. */
  readonly isBlind?: boolean;
  /** The operator replaces the pods, from the beginning to the end. */
  readonly isUpgraded?: boolean;
  /** Other clients drain the pods, and nodes fail: there are three nodes, and the API server asks the operator before a pod is deleted. Without an answer, people are refused. */
  readonly isDrained?: boolean;
  /** The members that other clients delete past their gates. */
  readonly bypassed?: readonly string[];
  run(world: SetWorld): Promise<void>;
}

/** The client of the MonitoredStatefulSet of every scenario. */
export const resource = ({ cluster }: SetWorld) => cluster.client()(monitoredStatefulSets).namespace('team');

/** Runs until something holds. Throws a `Standstill` when an hour was not enough, or when a monitor is asked without a pause. */
export const reach = async ({ cluster, providers }: SetWorld, what: string, holds: () => boolean): Promise<void> => {
  const isPestered = (): boolean => providers.some(({ busiest }) => busiest > maxCalls);
  const outcome = await cluster.run({ until: () => isPestered() || holds(), maxVirtualMs: 3_600_000 });
  if (isPestered()) throw new Standstill(`the monitor is asked without a pause, and ${what} has not come`);
  if (outcome !== 'reached') throw new Standstill(`an hour has passed, and ${what} has not come`);
};

/** Runs until something holds of the set. */
export const until = (
  world: SetWorld,
  what: string,
  holds: (set: MonitoredStatefulSet | undefined) => boolean,
): Promise<void> => reach(world, what, () => holds(setNow(world.cluster, 'db')));

/** Creates the set. */
export const create = async (world: SetWorld, spec: Partial<MonitoredStatefulSetInput['spec']> = {}): Promise<void> => {
  await resource(world).create(monitoredSet('db', spec));
};

/** Runs until the set is registered. */
export const registered = (world: SetWorld): Promise<void> =>
  until(world, 'Registered', (set) => set?.status?.phase === 'Registered');

/** Runs until all is as the spec says, or can't be any more. */
export const settled = (world: SetWorld, isLost = (): boolean => false): Promise<void> =>
  until(
    world,
    'Ready',
    ({ metadata, status } = {} as MonitoredStatefulSet) =>
      isLost() ||
      (status?.conditions ?? []).some(
        ({ type, status: is, observedGeneration }) =>
          type === 'Ready' && is === 'True' && observedGeneration === metadata.generation,
      ),
  );

/** Deletes the set, and runs until it is gone. */
export const remove = async (world: SetWorld): Promise<void> => {
  await resource(world).delete('db');
  await until(world, 'the end', (set) => set === undefined);
};

/** Replaces the pods by those of another image. */
export const roll = (world: SetWorld, image: string): Promise<unknown> => {
  const template = { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'app', image }] } };
  return resource(world).patch('db', { type: 'merge', body: { spec: { statefulSetSpec: { template } } } });
};

/** Names another monitor. */
export const move = (world: SetWorld, monitorEndpoint: string): Promise<unknown> =>
  resource(world).patch('db', { type: 'merge', body: { spec: { monitorEndpoint } } });
