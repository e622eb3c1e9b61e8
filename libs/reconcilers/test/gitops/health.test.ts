import { cloudDatabases, kvStoreClusters } from '@ordinal/api';
import type { SimulatedCluster, TestCluster } from '@ordinal/simulator';
import { afterAll, describe, expect, test } from 'vitest';
import { cache, cacheNow, caches, cacheWorld, change, isSettled, reaches } from '../clustered-cache/cache-world.ts';
import { database, databaseNow, databaseWorld, honest } from '../external/database-world.ts';
import { create, remove, resource, roll } from '../external/set-steps.ts';
import { endpoints, monitoredSet, setNow, setWorld } from '../external/set-world.ts';
import { kvStoreWorld, store, storeNow, untilPhase } from '../kv-store-cluster/kv-store-world.ts';
import { healthOf, type Deployed } from './health.ts';

const hour = 3_600_000;

/** Every object that was written, with what each tool made of it. By what its status differs in. */
const shapes = new Map<string, Deployed>();

/** Looks at each write of a kind, from the first on. */
function watch(cluster: TestCluster, storage: string): void {
  cluster.server.store.subscribe(({ kind, after, deleted }) => {
    if (kind !== storage || deleted) return;
    const object = after as Deployed; // What the store has of this kind.
    const { metadata, status } = object;
    const isSeen = status?.observedGeneration === metadata.generation;
    const conditions = status?.conditions?.map(({ type, status: is, reason }) => `${type}=${is} ${reason}`);
    const leaves = metadata.deletionTimestamp !== undefined;
    shapes.set([object.kind, isSeen, leaves, status?.phase, ...(conditions ?? [])].join(' '), structuredClone(object));
  });
}

/** The words of the three tools for an object: Argo CD, Flux, kstatus. */
function saidOf(object: Deployed | undefined): string {
  if (object === undefined) return 'gone';
  const { argo, flux, kstatus } = healthOf(object);
  return `${argo} ${flux} ${kstatus}`;
}

const pause = (value: 'true' | null): object => ({ metadata: { annotations: { 'ordinal.dev/paused': value } } });
const merge = (body: object) => ({ type: 'merge', body }) as const;

const working = 'Progressing InProgress InProgress';
const well = 'Healthy Current Current';
const failed = 'Degraded Failed InProgress';

test('a ClusteredCache, from its creation to its deletion', async () => {
  const { cluster } = await cacheWorld();
  watch(cluster, 'clusteredcaches.cache.my.domain');
  const said = (): string => saidOf(cacheNow(cluster));
  await caches(cluster).create(cache({ upgrade: { progressDeadline: '3m' } }));
  expect(said()).toBe('Progressing InProgress Current');
  await cluster.advance(1500);
  expect(said()).toBe(working);
  await reaches(cluster, () => isSettled(cluster));
  expect(said()).toBe(well);
  await change(cluster, { image: 'cache:2' });
  expect(said()).toBe(working);
  await reaches(cluster, () => cacheNow(cluster)?.status?.upgrade?.updated === 1);
  expect(said()).toBe(working);
  await change(cluster, { upgrade: { progressDeadline: '3m', paused: true } });
  await cluster.advance(60_000);
  expect(said()).toBe('Suspended InProgress InProgress');
  await change(cluster, { upgrade: { progressDeadline: '3m', paused: false } });
  await reaches(cluster, () => isSettled(cluster));
  expect(said()).toBe(well);
  await change(cluster, { image: 'cache:broken' });
  await reaches(cluster, () => cacheNow(cluster)?.status?.failedRevision !== undefined);
  await cluster.advance(5000);
  expect(said()).toBe(failed);
  await change(cluster, { image: 'cache:2' });
  await reaches(cluster, () => isSettled(cluster));
  await caches(cluster).patch('sessions', merge(pause('true')));
  await cluster.advance(60_000);
  expect(said()).toMatch(/^Suspended /);
  await caches(cluster).patch('sessions', merge(pause(null)));
  await reaches(cluster, () => isSettled(cluster));
  await caches(cluster).delete('sessions');
  expect(said()).toMatch(/ Terminating$/);
  await reaches(cluster, () => cacheNow(cluster) === undefined);
  cluster.stop();
});

test('a ClusteredCache whose upgrade waits at a gate: the message names it', async () => {
  const { cluster } = await cacheWorld();
  watch(cluster, 'clusteredcaches.cache.my.domain');
  await caches(cluster).create(cache({ image: 'cache:stubborn' }));
  await reaches(cluster, () => isSettled(cluster));
  await change(cluster, { image: 'cache:2' });
  await cluster.advance(60_000);
  const now = cacheNow(cluster);
  expect(now?.status?.upgrade?.step).toBe('AwaitingGate');
  expect(saidOf(now)).toBe(working);
  expect(now && healthOf(now).message).toContain('ready-for-shutdown');
  cluster.stop();
});

test('a ClusteredCache whose canary waits for its promotion', async () => {
  const { cluster } = await cacheWorld();
  watch(cluster, 'clusteredcaches.cache.my.domain');
  await caches(cluster).create(cache({ upgrade: { canary: { promotion: 'Manual' } } }));
  await reaches(cluster, () => isSettled(cluster));
  await change(cluster, { image: 'cache:2' });
  await reaches(cluster, () => cacheNow(cluster)?.status?.upgrade?.step === 'AwaitingPromotion');
  expect(saidOf(cacheNow(cluster))).toBe('Suspended InProgress InProgress');
  cluster.stop();
});

test('a KVStoreCluster, with an upgrade that fails', async () => {
  const { cluster } = await kvStoreWorld();
  watch(cluster, 'kvstoreclusters.kvstore.example.com');
  const stores = cluster.client()(kvStoreClusters).namespace('default');
  const said = (): string => saidOf(storeNow(cluster));
  await stores.create(store());
  await cluster.advance(1500);
  expect(said()).toBe(working);
  await untilPhase(cluster, 'Ready');
  expect(said()).toBe(well);
  await stores.patch('orders', merge({ spec: { version: '1.1' } }));
  expect(said()).toBe(working);
  await untilPhase(cluster, 'Upgrading');
  expect(said()).toBe(working);
  await untilPhase(cluster, 'Ready');
  expect(said()).toBe(well);
  await stores.patch('orders', merge({ spec: { version: 'broken' } }));
  await untilPhase(cluster, 'Failed');
  expect(said()).toBe(failed);
  await stores.delete('orders');
  expect(said()).toMatch(/ Terminating$/);
  await cluster.run({ until: () => storeNow(cluster) === undefined, maxVirtualMs: 10 * hour });
  cluster.stop();
});

test('a MonitoredStatefulSet, with a monitor that refuses', async () => {
  const world = await setWorld(1, honest);
  const { cluster, providers } = world;
  watch(cluster, 'monitoredstatefulsets.statefulsets.example.com');
  const said = (): string => saidOf(setNow(cluster, 'db'));
  const untilWell = async (): Promise<string> => {
    await cluster.run({ until: () => said() === well, maxVirtualMs: hour });
    return said();
  };
  await create(world);
  await cluster.advance(1500);
  expect(said()).toBe(working);
  expect(await untilWell()).toBe(well);
  await roll(world, 'app:2');
  expect(said()).toBe(working);
  expect(await untilWell()).toBe(well);
  providers[1].refused.set('POST', 400);
  await resource(world).patch('db', merge({ spec: { monitorEndpoint: endpoints[1] } }));
  await cluster.advance(120_000);
  expect(said()).toMatch(/^Degraded Failed /);
  providers[1].refused.clear();
  expect(await untilWell()).toBe(well);
  await remove(world);
  cluster.stop();
});

test('a CloudDatabase, with a provider that refuses', async () => {
  const { cluster, provider } = await databaseWorld(1, honest);
  watch(cluster, 'clouddatabases.db.example.com');
  const databases = cluster.client()(cloudDatabases).namespace('default');
  const said = (): string => saidOf(databaseNow(cluster, 'orders'));
  const untilWell = async (): Promise<string> => {
    await cluster.run({ until: () => said() === well, maxVirtualMs: hour });
    return said();
  };
  provider.refused.set('POST', 400);
  await databases.create(database('orders'));
  await cluster.advance(60_000);
  expect(said()).toBe(failed);
  provider.refused.clear();
  expect(await untilWell()).toBe(well);
  await databases.patch('orders', merge({ spec: { size: 'large' } }));
  expect(said()).toBe(working);
  expect(await untilWell()).toBe(well);
  await databases.patch('orders', merge(pause('true')));
  await cluster.advance(60_000);
  expect(said()).toMatch(/^Suspended /);
  await databases.patch('orders', merge(pause(null)));
  expect(await untilWell()).toBe(well);
  await databases.delete('orders');
  expect(said()).toMatch(/ Terminating$/);
  await cluster.run({ until: () => databaseNow(cluster, 'orders') === undefined, maxVirtualMs: hour });
  cluster.stop();
});

describe('what these have written', () => {
  afterAll(() => {
    shapes.clear();
  });

  test('the tools agree on, status by status', () => {
    expect(shapes.size).toBeGreaterThan(40);
    const contradictions = [...shapes].flatMap(([shape, object]) => {
      const { argo, flux, kstatus, message } = healthOf(object);
      const isPaused = argo === 'Suspended';
      const isLeaving = kstatus === 'Terminating';
      const agrees =
        (isPaused || (argo === 'Healthy') === (flux === 'Current')) &&
        (flux !== 'Failed' || isPaused || argo === 'Degraded') &&
        (flux !== 'Current' || isLeaving || kstatus === 'Current') &&
        (argo === 'Healthy' || message !== '');
      return agrees ? [] : [`${argo} ${flux} ${kstatus}: ${shape}`];
    });
    expect(contradictions).toEqual([]);
  });

  test('holds to the conventions of kstatus: a status is of no generation to come, and has Ready from its first condition on', () => {
    const wrong = [...shapes].flatMap(([shape, { metadata, status }]) => {
      const { observedGeneration, conditions } = status ?? {};
      // What is there before any condition is what a provider must not be asked twice for.
      if (conditions === undefined) return observedGeneration === undefined && metadata.generation === 1 ? [] : [shape];
      const isKnown = observedGeneration !== undefined && observedGeneration <= (metadata.generation ?? 0);
      return isKnown && conditions.some(({ type }) => type === 'Ready') ? [] : [shape];
    });
    expect(wrong).toEqual([]);
  });
});

interface Applying {
  readonly cluster: SimulatedCluster;
  apply(): Promise<Deployed>;
}

const manager = { fieldManager: 'argocd-controller', force: true };
const applications: Readonly<Record<string, () => Promise<Applying>>> = {
  ClusteredCache: async () => {
    const { cluster } = await cacheWorld();
    return { cluster, apply: () => caches(cluster).apply(cache({ upgrade: { progressDeadline: '3m' } }), manager) };
  },
  KVStoreCluster: async () => {
    const { cluster } = await kvStoreWorld();
    const stores = cluster.client()(kvStoreClusters).namespace('default');
    return {
      cluster,
      apply: () => stores.apply(store({ backup: { job: { image: 'backup:1', command: ['backup'] } } }), manager),
    };
  },
  MonitoredStatefulSet: async () => {
    const world = await setWorld(1, honest);
    return { cluster: world.cluster, apply: () => resource(world).apply(monitoredSet('db'), manager) };
  },
  CloudDatabase: async () => {
    const { cluster } = await databaseWorld(1, honest);
    const databases = cluster.client()(cloudDatabases).namespace('default');
    return { cluster, apply: () => databases.apply(database('orders'), manager) };
  },
};

test.each(Object.entries(applications))(
  '%s: what is applied again after an hour changes nothing',
  async (_kind, begin) => {
    const { cluster, apply } = await begin();
    const { spec } = (await apply()) as { spec?: unknown };
    await cluster.advance(hour);
    const settledObject = await apply();
    expect(saidOf(settledObject)).toBe(well);
    expect(settledObject).toMatchObject({ spec });
    expect(settledObject.metadata.generation).toBe(1);
    await cluster.advance(hour);
    expect(await apply()).toEqual(settledObject);
    cluster.stop();
  },
);
