import { jobs, persistentVolumeClaims, pods, statefulSets } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/simulator';
import { describe, expect, test } from 'vitest';
import { ailing, kvStoreWorld, store, storeNow } from './kv-store-world.ts';
import type { KVStoreWorld } from './kv-store-world.ts';
import { annotate, change, claims, condition, jobsFor, ready, stores, until } from './store-steps.ts';

const restoreFrom = { backup: 'monday', job: { command: ['restore'] } };

const isReady = ({ cluster }: KVStoreWorld, name: string): boolean =>
  cluster.objects.find(pods, 'default', name)?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false; // prettier-ignore

/** The first status that the operator has sealed. */
const firstOf = new WeakMap<SimulatedCluster, object>();

describe('what was restored once is final', () => {
  /** A cluster of which a member serves and another does not: it was never complete. */
  const serving = async (): Promise<KVStoreWorld> => {
    const world = await kvStoreWorld();
    ailing.set(world.cluster, 'orders-2');
    await stores(world.cluster).create(store({ restoreFrom }));
    await until(world.cluster, () => storeNow(world.cluster)?.status?.seal !== undefined);
    firstOf.set(world.cluster, storeNow(world.cluster)?.status ?? {});
    await until(world.cluster, () => isReady(world, 'orders-0'));
    return world;
  };

  test('where the StatefulSet is not seen yet and another number of members is wanted', async () => {
    const world = await kvStoreWorld();
    const { cluster, operator } = world;
    await stores(cluster).create(store({ restoreFrom }));
    await until(cluster, () => jobsFor(cluster, 'Restore').length === 1);
    const before = cluster.clock.now();
    await until(cluster, () => isReady(world, 'orders-0'));
    operator.crash();
    await change(cluster, { replicas: 4 });
    operator.travelBack('statefulsets', cluster.clock.now() - before + 1, 20_000);
    operator.start();
    await cluster.advance(120_000);
    expect(jobsFor(cluster, 'Restore')).toHaveLength(1);
    expect(storeNow(cluster)?.status?.phase).toBe('Ready');
    cluster.stop();
  });

  test('where the StatefulSet has gone without its members', async () => {
    const { cluster } = await serving();
    await change(cluster, { replicas: 4 });
    await cluster.advance(60_000);
    await cluster.client()(statefulSets).namespace('default').delete('orders', { propagationPolicy: 'Orphan' });
    await cluster.advance(120_000);
    expect(jobsFor(cluster, 'Restore')).toHaveLength(1);
    expect(cluster.objects.find(statefulSets, 'default', 'orders')?.spec?.replicas).toBe(4);
    cluster.stop();
  });

  test('where it is known by its Job alone, when another one is wanted', async () => {
    const { cluster, operator } = await kvStoreWorld();
    await stores(cluster).create(store({ restoreFrom }));
    await until(cluster, () => jobsFor(cluster, 'Restore').length === 1);
    operator.crash();
    await until(cluster, () => jobsFor(cluster, 'Restore')[0]?.status?.succeeded === 1);
    await change(cluster, { replicas: 4 });
    operator.start();
    await until(cluster, () => storeNow(cluster)?.status?.phase === 'Ready');
    expect(jobsFor(cluster, 'Restore')).toHaveLength(1);
    cluster.stop();
  });

  test.each([
    ['emptied the status', () => null],
    ['put back the status of before there was data', (first: object | undefined) => first],
  ])('where another client has %s, and nothing is there any more but the volumes', async (_what, write) => {
    const world = await serving();
    const { cluster } = world;
    const status = write(firstOf.get(cluster));
    await annotate(cluster, { 'ordinal.dev/paused': 'true' });
    await cluster.client()(statefulSets).namespace('default').delete('orders', { propagationPolicy: 'Background' });
    const [job] = jobsFor(cluster, 'Restore');
    await cluster
      .client()(jobs)
      .namespace('default')
      .delete(job?.metadata.name ?? '');
    await until(cluster, () => cluster.objects.list(pods, 'default').length === 0);
    const operations = [{ op: 'add', path: '/status', value: status as never }] as const;
    await stores(cluster).status.patch('orders', { type: 'json', operations });
    await cluster.advance(10_000);
    await annotate(cluster, { 'ordinal.dev/paused': null });
    await cluster.advance(600_000);
    expect(jobsFor(cluster, 'Restore')).toEqual([]);
    expect(condition(cluster, 'Degraded')?.message).toMatch(
      /no restore is on record, and data-orders-0.* may hold data/,
    );
    await change(cluster, { deletionPolicy: 'Retain' });
    await stores(cluster).delete('orders');
    await until(cluster, () => storeNow(cluster) === undefined);
    await stores(cluster).create(store());
    await until(cluster, () => isReady(world, 'orders-0'));
    expect(isReady(world, 'orders-0')).toBe(true);
    cluster.stop();
  });

  test('where nothing tells of it any more but the pods that hold the volumes', async () => {
    const { cluster } = await serving();
    await annotate(cluster, { 'ordinal.dev/paused': 'true' });
    await cluster.client()(statefulSets).namespace('default').delete('orders', { propagationPolicy: 'Orphan' });
    const [job] = jobsFor(cluster, 'Restore');
    await cluster
      .client()(jobs)
      .namespace('default')
      .delete(job?.metadata.name ?? '');
    await stores(cluster).status.patch('orders', { type: 'merge', body: { status: { hooks: null } } });
    await cluster.advance(10_000);
    await annotate(cluster, { 'ordinal.dev/paused': null });
    await cluster.advance(60_000);
    expect(jobsFor(cluster, 'Restore')).toEqual([]);
    expect(cluster.objects.find(statefulSets, 'default', 'orders')).toBeDefined();
    cluster.stop();
  });
});

describe('volumes that an earlier cluster has kept', () => {
  const image = 'example.com/restore:1';

  /** A cluster of two is gone, and has left its volumes; one of three of its name is made from a backup. Returns what is found in the volumes. */
  const again = async () => {
    const cluster = await ready({ deletionPolicy: 'Retain', replicas: 2 });
    await stores(cluster).delete('orders');
    await until(cluster, () => storeNow(cluster) === undefined);
    const found: (string | undefined)[] = [];
    cluster.image(image, {
      run: ({ volume }) => {
        for (const ordinal of [0, 1, 2]) found.push(volume(`claim-${ordinal}`).get('data'));
        return 0;
      },
    });
    await stores(cluster).create(store({ restoreFrom: { backup: 'monday', job: { command: ['restore'], image } } }));
    await cluster.advance(120_000);
    return { cluster, found };
  };

  test('are not restored over, nor written to, and are named', async () => {
    const { cluster, found } = await again();
    expect({ found, claims: claims(cluster) }).toEqual({ found: [], claims: ['data-orders-0', 'data-orders-1'] });
    expect(storeNow(cluster)?.status?.phase).toBe('Failed');
    const uid = storeNow(cluster)?.metadata.uid ?? '';
    expect(condition(cluster, 'Degraded')).toMatchObject({
      reason: 'RestoreFailed',
      message: `an earlier cluster has left data-orders-0, data-orders-1: delete them, or, to write over their data: kubectl annotate -n default kvs orders ordinal.dev/restore-over=${uid} --overwrite`,
    });
    expect(condition(cluster, 'Progressing')?.reason).toBe('RestoreFailed');
    cluster.stop();
  });

  test('hold the restore until they are gone', async () => {
    const { cluster, found } = await again();
    for (const name of claims(cluster))
      await cluster.client()(persistentVolumeClaims).namespace('default').delete(name);
    await until(cluster, () => storeNow(cluster)?.status?.phase === 'Ready');
    expect(found).toEqual([undefined, undefined, undefined]);
    cluster.stop();
  });

  test('are restored over where a user says so of this cluster', async () => {
    const { cluster, found } = await again();
    await annotate(cluster, { 'ordinal.dev/restore-over': 'that of an earlier one' });
    await cluster.advance(60_000);
    expect(found).toEqual([]);
    await annotate(cluster, { 'ordinal.dev/restore-over': storeNow(cluster)?.metadata.uid });
    await until(cluster, () => storeNow(cluster)?.status?.phase === 'Ready');
    expect(found).toEqual(['orders-0', 'orders-1', undefined]);
    cluster.stop();
  });
});
