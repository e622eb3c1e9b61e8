import { describe, expect, test } from 'vitest';
import { jobs } from '@ordinal/client';
import type { Condition, Job } from '@ordinal/client';
import type { Operator, SimulatedCluster } from '@ordinal/simulator';
import {
  cache,
  caches,
  cacheNow,
  cacheWorld,
  change as changeCache,
  images as cacheImages,
  isSettled,
  reaches,
} from '../clustered-cache/cache-world.ts';
import { honest } from '../external/database-world.ts';
import { create, resource, settled } from '../external/set-steps.ts';
import { setNow, setWorld } from '../external/set-world.ts';
import { images, kvStoreWorld, store, storeNow, untilPhase } from '../kv-store-cluster/kv-store-world.ts';
import { annotate, change, jobsFor, stores, until } from '../kv-store-cluster/store-steps.ts';

interface World {
  readonly cluster: SimulatedCluster;
  readonly operator: Operator;
}

const jobsIn = ({ cluster }: World, namespace = 'default') => cluster.objects.list(jobs, namespace);

/**
 * Puts a Job in the place of one of the operator's, with all that another client can copy: name, labels, annotations with the seal, and owner. It runs `forged:1`, which
 * succeeds at once.
 */
async function forge({ cluster, operator }: World, { metadata }: Job): Promise<Job> {
  const { name, namespace = '', labels = {}, annotations = {}, ownerReferences = [] } = metadata;
  cluster.image('forged:1', { run: () => 0 });
  operator.crash();
  const there = cluster.client()(jobs).namespace(namespace);
  await there.delete(name, { propagationPolicy: 'Foreground' });
  const isGone = () => cluster.objects.find(jobs, namespace, name) === undefined;
  expect(await cluster.run({ until: isGone, maxVirtualMs: 600_000 })).toBe('reached');
  const made = await there.create({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace, labels, annotations, ownerReferences },
    spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'task', image: 'forged:1' }] } } },
  });
  const hasSucceeded = () => cluster.objects.find(jobs, namespace, name)?.status?.succeeded === 1;
  expect(await cluster.run({ until: hasSucceeded, maxVirtualMs: 600_000 })).toBe('reached');
  operator.start();
  await cluster.advance(240_000);
  expect(cluster.objects.find(jobs, namespace, name)?.metadata.uid).toBe(made.metadata.uid);
  return made;
}

/** What a condition says that names the command which removes the Job. */
const remedyIn = (conditions: readonly Condition[] = [], { metadata: { name, namespace } }: Job) =>
  conditions.filter(({ message }) => message.includes(`kubectl delete job -n ${namespace} ${name}`)).length > 0;

const remove = ({ cluster }: World, { metadata: { name, namespace = '' } }: Job) =>
  cluster.client()(jobs).namespace(namespace).delete(name);

const check = (image: string) => ({ template: { spec: { containers: [{ name: 'check', image }] } } });

describe('of a ClusteredCache', () => {
  const conditions = ({ cluster }: World) => cacheNow(cluster)?.status?.conditions;

  async function serving(upgrade: object): Promise<World> {
    const world = await cacheWorld();
    await caches(world.cluster).create(cache({ replicas: 1, upgrade }));
    expect(await reaches(world.cluster, () => isSettled(world.cluster))).toBe(true);
    return world;
  }

  test('a forged gate opens nothing', async () => {
    const world = await serving({ gates: [{ name: 'audit', job: { template: check('check:1') } }] });
    const { cluster } = world;
    cluster.image('check:1', { startsIn: 300_000, run: () => 0 });
    await changeCache(cluster, { image: 'cache:2' });
    expect(await reaches(cluster, () => jobsIn(world).length === 1)).toBe(true);
    const forged = await forge(world, jobsIn(world)[0] ?? expect.fail('none'));
    expect(cacheImages(cluster)).toEqual(['cache:1']);
    expect(remedyIn(conditions(world), forged)).toBe(true);
    await remove(world, forged);
    expect(await reaches(cluster, () => cacheNow(cluster)?.status?.currentVersion === 'cache:2')).toBe(true);
    expect(jobsIn(world).map(({ spec }) => spec.template.spec?.containers[0]?.image)).toEqual(['check:1']);
    cluster.stop();
  });

  test('a forged hook lets no member be replaced', async () => {
    const world = await serving({ beforeFirstPod: { image: 'hook:1', command: ['migrate'] } });
    const { cluster } = world;
    cluster.image('hook:1', { startsIn: 300_000, run: () => 0 });
    await changeCache(cluster, { image: 'cache:2' });
    expect(await reaches(cluster, () => jobsIn(world).length === 1)).toBe(true);
    const forged = await forge(world, jobsIn(world)[0] ?? expect.fail('none'));
    expect(cacheImages(cluster)).toEqual(['cache:1']);
    expect(cacheNow(cluster)?.status?.hooks?.[0]?.result).toBeUndefined();
    expect(remedyIn(conditions(world), forged)).toBe(true);
    await remove(world, forged);
    expect(await reaches(cluster, () => cacheNow(cluster)?.status?.currentVersion === 'cache:2')).toBe(true);
    cluster.stop();
  });
});

describe('of a KVStoreCluster', () => {
  const slow = { command: ['run'], image: 'example.com/job:slow' };
  const conditions = ({ cluster }: World) => storeNow(cluster)?.status?.conditions;

  async function serving(spec: Parameters<typeof store>[0]): Promise<World> {
    const world = await kvStoreWorld();
    world.cluster.image('example.com/job:slow', { startsIn: 300_000, run: () => 0 });
    await stores(world.cluster).create(store({ replicas: 1, ...spec }));
    expect(await untilPhase(world.cluster, 'Ready')).toBe('Ready');
    return world;
  }

  const hook = async (world: World, purpose: string): Promise<Job> => {
    await until(world.cluster, () => jobsFor(world.cluster, purpose).length === 1);
    return jobsFor(world.cluster, purpose)[0] ?? expect.fail('none');
  };

  test('a forged hook lets no member be replaced', async () => {
    const world = await serving({ upgrade: { beforeFirstPod: slow } });
    const { cluster } = world;
    await change(cluster, { version: '2.0' });
    const forged = await forge(world, await hook(world, 'BeforeUpgrade'));
    expect(images(cluster)).toEqual(['1.0']);
    expect(remedyIn(conditions(world), forged)).toBe(true);
    await remove(world, forged);
    await until(cluster, () => storeNow(cluster)?.status?.currentVersion === '2.0');
    cluster.stop();
  });

  test('a forged gate opens nothing', async () => {
    const world = await serving({ upgrade: { gates: [{ name: 'audit', job: { template: check(slow.image) } }] } });
    const { cluster } = world;
    await change(cluster, { version: '2.0' });
    await until(cluster, () => jobsIn(world).length === 1);
    const forged = await forge(world, jobsIn(world)[0] ?? expect.fail('none'));
    expect(images(cluster)).toEqual(['1.0']);
    expect(remedyIn(conditions(world), forged)).toBe(true);
    await remove(world, forged);
    await until(cluster, () => storeNow(cluster)?.status?.currentVersion === '2.0');
    cluster.stop();
  });

  test('a forged analysis passes no canary', async () => {
    const canary = { analysis: { job: slow } };
    const world = await serving({ replicas: 2, upgradeStrategy: 'Canary', canary });
    const { cluster } = world;
    await change(cluster, { version: '2.0' });
    const forged = await forge(world, await hook(world, 'Analysis'));
    expect(images(cluster)).toEqual(['1.0', '2.0']);
    expect(remedyIn(conditions(world), forged)).toBe(true);
    cluster.stop();
  });

  test('a forged check ends no restore drill well', async () => {
    const drill = { check: slow, restore: { command: ['restore'] } };
    const world = await serving({ backup: { job: { command: ['backup'] }, drill } });
    const { cluster } = world;
    await annotate(cluster, { 'ordinal.dev/backup': 'monday' });
    await until(cluster, () => storeNow(cluster)?.status?.lastBackup?.name === 'monday');
    await annotate(cluster, { 'ordinal.dev/restore-drill': 'first' });
    await forge(world, await hook(world, 'RestoreDrill'));
    expect(storeNow(cluster)?.status?.drills?.[0]?.result).not.toBe('Succeeded');
    await until(cluster, () => storeNow(cluster)?.status?.drills?.[0]?.finishedAt !== undefined);
    expect(storeNow(cluster)?.status?.drills?.[0]?.result).toBe('Failed');
    cluster.stop();
  });

  test('a forged backup on demand is in no list', async () => {
    const world = await serving({ backup: { job: slow } });
    const { cluster } = world;
    await annotate(cluster, { 'ordinal.dev/backup': 'monday' });
    const forged = await forge(world, await hook(world, 'Backup'));
    expect(storeNow(cluster)?.status?.lastBackup).toBeUndefined();
    expect(remedyIn(conditions(world), forged)).toBe(true);
    await remove(world, forged);
    await until(cluster, () => storeNow(cluster)?.status?.lastBackup?.name === 'monday');
    cluster.stop();
  });
});

test('a forged clean-up of a MonitoredStatefulSet lets it not go', async () => {
  const world = await setWorld(1, honest);
  const { cluster, cleanup } = world;
  await create(world, { cleanup: 'Job', cleanupJob: { image: 'cleanup:1' } });
  await settled(world);
  await resource(world).delete('db');
  await cluster.run({ until: () => jobsIn(world, 'team').length === 1, maxVirtualMs: 600_000 });
  const forged = await forge(world, jobsIn(world, 'team')[0] ?? expect.fail('none'));
  expect(cleanup.successes).toBe(0);
  expect(remedyIn(setNow(cluster, 'db')?.status?.conditions, forged)).toBe(true);
  await remove(world, forged);
  await cluster.run({ until: () => setNow(cluster, 'db') === undefined, maxVirtualMs: 7_200_000 });
  expect(setNow(cluster, 'db')).toBeUndefined();
  expect(cleanup.successes).toBe(1);
  cluster.stop();
});
