import type { ClusteredCache, KVStoreCluster } from '@ordinal/api';
import { pods, statefulSets } from '@ordinal/client';
import { cache } from '../clustered-cache/cache-world.ts';
import { store } from '../kv-store-cluster/kv-store-world.ts';
import type { RealOrSimulated } from './world.ts';
import { clusteredCaches, kvStoreClusters, look, until } from './world.ts';

/** What happens to one resource, from its creation to its deletion. */
export interface Life {
  readonly name: string;
  readonly live: (world: RealOrSimulated) => Promise<void>;
}

const ready = (object: ClusteredCache | KVStoreCluster | undefined, version: string, replicas: number): boolean =>
  object?.status?.observedGeneration === object?.metadata.generation &&
  object?.status?.currentVersion === version &&
  object.status.readyReplicas === replicas &&
  object.status.replicas === replicas &&
  (object.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false);

async function membersRun(world: RealOrSimulated, name: string, image: string): Promise<boolean> {
  const { items } = await world
    .client(pods)
    .namespace('default')
    .list({ labelSelector: `app=${name}` });
  return items.length === 3 && items.every(({ spec }) => spec.containers[0]?.image === image);
}

const cacheLife: Life = {
  name: 'a ClusteredCache: created, grown, shrunk, upgraded, rolled back, failed, deleted',
  live: async (world) => {
    const resource = world.client(clusteredCaches).namespace('default');
    const change = (spec: object) => resource.patch('sessions', { type: 'merge', body: { spec } });
    const now = () => look(world, clusteredCaches, 'sessions');
    const says = async (type: string, reason: string): Promise<boolean> =>
      (await now())?.status?.conditions?.some((one) => one.type === type && one.reason === reason) ?? false;
    await resource.create(cache({ upgrade: { progressDeadline: '40s' } }));
    await until(world, 'creation', async () => ready(await now(), 'cache:1', 3));
    await change({ replicas: 4 });
    await until(world, 'growth', async () => ready(await now(), 'cache:1', 4));
    await change({ replicas: 3 });
    await until(world, 'shrinkage', async () => ready(await now(), 'cache:1', 3));
    await change({ image: 'cache:2' });
    await until(world, 'upgrade', async () => ready(await now(), 'cache:2', 3));
    await change({ image: 'cache:broken', upgrade: { onFailure: 'Rollback' } });
    await until(world, 'rollback', () => says('Available', 'RolledBack'));
    await change({ image: 'other:broken', upgrade: { onFailure: 'Stop' } });
    await until(world, 'failure', () => says('Available', 'UpgradeFailed'));
    await resource.delete('sessions');
    await until(world, 'deletion', async () => (await now()) === undefined);
    const set = () => look(world, statefulSets, 'sessions');
    await until(world, 'collection of the children', async () => (await set()) === undefined);
  },
};

const storeLife: Life = {
  name: 'a KVStoreCluster: created, updated after a hook, by canary too, rolled back, shrunk after its hook, backed up and deleted',
  live: async (world) => {
    const resource = world.client(kvStoreClusters).namespace('default');
    const change = (spec: object) => resource.patch('orders', { type: 'merge', body: { spec } });
    const now = () => look(world, kvStoreClusters, 'orders');
    const image = (version: string) => `my-repo/kvstore:${version}`;
    const scaleDown = { before: { command: ['move'] } };
    await resource.create(store({ port: 6379, backup: { job: { command: ['backup'] } }, scaleDown }));
    await until(world, 'creation', async () => ready(await now(), '1.0', 3));
    await change({ version: '2.0', upgrade: { beforeFirstPod: { command: ['migrate'] } } });
    await until(world, 'rolling update after its hook', async () => ready(await now(), '2.0', 3));
    await change({ version: '3.0', upgradeStrategy: 'Canary', canary: { analysis: { http: { path: '/good' } } } });
    await until(world, 'canary', async () => ready(await now(), '3.0', 3));
    await change({ version: 'bad', canary: { analysis: { http: { path: '/good' }, failureThreshold: 1 } } });
    await until(
      world,
      'rollback',
      async () =>
        (await now())?.status?.phase === 'Failed' &&
        (await now())?.status?.readyReplicas === 3 &&
        (await membersRun(world, 'orders', image('3.0'))),
    );
    await change({ version: '3.0' });
    await until(world, 'the end of the failure', async () => ready(await now(), '3.0', 3));
    await change({ replicas: 2 });
    await until(world, 'shrinkage', async () => ready(await now(), '3.0', 2));
    await resource.delete('orders');
    await until(world, 'deletion', async () => (await now()) === undefined);
  },
};

/** The lives of both kinds. */
export const lives: readonly Life[] = [cacheLife, storeLife];
