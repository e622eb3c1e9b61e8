import type { MonitoredStatefulSet, MonitoredStatefulSetInput } from '@ordinal/api';
import { isApiError, pods } from '@ordinal/client';
import type { SetScenario } from '../../../libs/reconcilers/test/external/set-steps.ts';
import {
  create,
  reach,
  remove,
  resource,
  roll,
  settled,
  until,
} from '../../../libs/reconcilers/test/external/set-steps.ts';
import type { SetWorld } from '../../../libs/reconcilers/test/external/set-world.ts';
import { monitoredSet, setNow } from '../../../libs/reconcilers/test/external/set-world.ts';

type Spec = Partial<MonitoredStatefulSetInput['spec']>;

/** One gate that all members answer. */
export const gates = [{ name: 'in-step', target: 'All', http: { path: '/', port: 80 } }] as const;

/** A set of three whose pods the operator replaces, or, without `upgrade`, its StatefulSet’s controller. */
export function three(upgrade: Spec['upgrade'], workload: object = {}): Spec {
  const { statefulSetSpec } = monitoredSet('db').spec;
  return { statefulSetSpec: { ...statefulSetSpec, replicas: 3, ...workload }, ...(upgrade && { upgrade }) };
}

const change = (world: SetWorld, spec: object): Promise<unknown> =>
  resource(world).patch('db', { type: 'merge', body: { spec } });

const imagesIn = ({ cluster }: SetWorld): string =>
  cluster.objects
    .list(pods, 'team')
    .filter(({ metadata }) => metadata.labels?.['app'] === 'db')
    .map(({ spec }) => spec.containers[0]?.image ?? '')
    .join(' ');

const runs = (world: SetWorld, images: string): Promise<void> => reach(world, images, () => imagesIn(world) === images);

/** What the spec asks for now has failed. */
const hasFailed = (set: MonitoredStatefulSet | undefined): boolean =>
  set?.status?.failure !== undefined && set.status.observedGeneration === set.metadata.generation;

/** Runs until the upgrade has come to its end, or can't any more. One that a leap of the clock has brought past its deadline is tried again. */
export async function upgraded(world: SetWorld, images: string, isLost = (): boolean => false): Promise<void> {
  const isDone = (): boolean =>
    isLost() || (imagesIn(world) === images && setNow(world.cluster, 'db')?.status?.upgrade === undefined);
  await reach(world, images, () => isDone() || hasFailed(setNow(world.cluster, 'db')));
  if (hasFailed(setNow(world.cluster, 'db'))) {
    const annotations = { 'ordinal.dev/retry': 'again' };
    await resource(world).patch('db', { type: 'merge', body: { metadata: { annotations } } });
  }
  await reach(world, images, isDone);
  await settled(world, isLost);
}

/** The images of five members that run the same. */
const five = (image: string): string => Array(5).fill(image).join(' ');

/** Runs until a rollback has come to its end, at `afterRestore` where etcd was restored to before all had run the other one. One that a leap of the clock has brought past its deadline, too, begins again when a user asks for a retry, which fails as before. */
async function broughtBack(world: SetWorld, images: string, afterRestore = images): Promise<void> {
  const wanted = (): readonly string[] => [images, ...(world.cluster.restores.length > 0 ? [afterRestore] : [])];
  const isDone = (): boolean => wanted().includes(imagesIn(world));
  const isOver = (): boolean => setNow(world.cluster, 'db')?.status?.upgrade?.step === 'Failed';
  await world.cluster.advance(5_000);
  await reach(world, images, () => isDone() || isOver());
  if (!isDone()) {
    const annotations = { 'ordinal.dev/retry': 'rollback' };
    await resource(world).patch('db', { type: 'merge', body: { metadata: { annotations } } });
  }
  await reach(world, images, isDone);
}

/** A user deletes a pod, unless it has gone already, or must not go by now. */
const lost = ({ cluster }: SetWorld, name: string): Promise<unknown> =>
  cluster
    .client()(pods)
    .namespace('team')
    .delete(name)
    .catch((error: unknown) => {
      if (!isApiError(error, 'NotFound', 'TooManyRequests')) throw error;
    });

/** Asks for pods of an image that the StatefulSet’s controller replaces, and again where what a user repeats after a restore of etcd has written over it. */
async function handedBack(world: SetWorld, image: string): Promise<void> {
  const isDone = (): boolean => imagesIn(world) === `${image} ${image} ${image}`;
  const isAsked = (): boolean => {
    const { spec } = setNow(world.cluster, 'db') ?? {};
    return spec?.upgrade === undefined && spec?.statefulSetSpec.template.spec?.containers[0]?.image === image;
  };
  do {
    await change(world, { upgrade: null });
    await roll(world, image);
    await reach(world, image, () => isDone() || !isAsked());
  } while (!isDone());
}

/** Sets whose pods the operator replaces. */
export const upgradeScenarios: readonly SetScenario[] = [
  {
    name: 'upgraded by the operator when its gate opens, made smaller, deleted',
    left: 0,
    isUpgraded: true,
    async run(world) {
      await create(world, three({ gates }));
      await settled(world);
      world.gate.isOpen = false;
      await roll(world, 'app:2');
      await world.cluster.advance(90_000);
      world.gate.isOpen = true;
      await upgraded(world, 'app:2 app:2 app:2');
      await change(world, { statefulSetSpec: { replicas: 1 } });
      await runs(world, 'app:2');
      await settled(world);
      await remove(world);
    },
  },
  {
    name: 'upgraded by the operator to what never runs, and brought back, deleted',
    left: 0,
    isUpgraded: true,
    async run(world) {
      world.cluster.image('broken:1', { ready: false });
      await create(world, three({ gates, progressDeadline: '3m', onFailure: 'Rollback' }));
      await settled(world);
      await roll(world, 'broken:1');
      await until(world, 'a failure', hasFailed);
      await broughtBack(world, 'app:1 app:1 app:1');
      await roll(world, 'app:2');
      await upgraded(world, 'app:2 app:2 app:2');
      await remove(world);
    },
  },
  {
    name: 'upgraded by the operator to what never runs, and stopped, deleted',
    left: 0,
    isUpgraded: true,
    async run(world) {
      world.cluster.image('broken:1', { ready: false });
      await create(world, three({ gates, progressDeadline: '3m', onFailure: 'Stop' }));
      await settled(world);
      await roll(world, 'broken:1');
      await until(world, 'a failure', hasFailed);
      await world.cluster.advance(400_000);
      await lost(world, 'db-2');
      await world.cluster.advance(60_000);
      await roll(world, 'app:2');
      await upgraded(world, 'app:2 app:2 app:2');
      await remove(world);
    },
  },
  {
    name: 'upgraded by the operator after a Job and a canary, in parallel, deleted',
    left: 0,
    isUpgraded: true,
    async run(world) {
      const upgrade: Spec['upgrade'] = {
        gates,
        beforeFirstPod: { image: 'cleanup:1', command: ['migrate'] },
        canary: { replicas: 1, bake: '30s', analysis: { http: { path: '/', port: 80 } } },
      };
      await create(world, three(upgrade, { podManagementPolicy: 'Parallel', minReadySeconds: 5 }));
      await settled(world);
      await roll(world, 'app:2');
      await upgraded(world, 'app:2 app:2 app:2');
      await remove(world);
    },
  },
  {
    name: 'upgraded by the operator, paused halfway, and overtaken by a version with a Job, deleted',
    left: 0,
    isUpgraded: true,
    async run(world) {
      await create(world, three({ gates }));
      await settled(world);
      await roll(world, 'app:2');
      await reach(world, 'a member of the second version', () => imagesIn(world).includes('app:2'));
      await change(world, { upgrade: { paused: true } });
      await world.cluster.advance(30_000);
      await change(world, { upgrade: { beforeFirstPod: { image: 'cleanup:1', command: ['migrate'] } } });
      await roll(world, 'app:3');
      await world.cluster.advance(30_000);
      await lost(world, 'db-2');
      await world.cluster.advance(60_000);
      await change(world, { upgrade: { paused: false } });
      await upgraded(world, 'app:3 app:3 app:3');
      await remove(world);
    },
  },
  {
    name: 'upgraded by the operator two at a time, to what never runs and back, deleted',
    left: 0,
    isUpgraded: true,
    async run(world) {
      world.cluster.image('broken:1', { ready: false });
      const workload = { replicas: 5, podManagementPolicy: 'Parallel' };
      await create(world, three({ gates, maxUnavailable: 2, progressDeadline: '3m', onFailure: 'Rollback' }, workload));
      await settled(world);
      await roll(world, 'app:2');
      await upgraded(world, five('app:2'));
      await roll(world, 'broken:1');
      await until(world, 'a failure', hasFailed);
      await broughtBack(world, five('app:2'), five('app:1'));
      await remove(world);
    },
  },
  {
    name: 'upgraded, and handed to the operator on the way, and back to its StatefulSet, deleted',
    left: 0,
    async run(world) {
      await create(world, three(undefined));
      await settled(world);
      await roll(world, 'app:2');
      await world.cluster.advance(5_000);
      await change(world, { upgrade: { gates } });
      await upgraded(world, 'app:2 app:2 app:2');
      await handedBack(world, 'app:1');
      await remove(world);
    },
  },
];
