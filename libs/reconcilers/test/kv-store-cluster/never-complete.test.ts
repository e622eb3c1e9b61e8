import { pods } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/simulator';
import { describe, expect, test } from 'vitest';
import { ailing, images, kvStoreWorld, store, storeNow } from './kv-store-world.ts';
import { annotate, claims, installUnready, jobsFor, ready, stores, until } from './store-steps.ts';

/** Where a final backup is required, and the volumes go. */
const required = { deletionPolicy: 'Delete', backup: { job: { command: ['backup'] }, onDelete: 'Required' } } as const;

async function remove(cluster: SimulatedCluster): Promise<void> {
  await stores(cluster).delete('orders');
  await until(cluster, () => storeNow(cluster) === undefined);
}

describe('the volumes of a cluster that was never complete', () => {
  test('go after a final backup where two of its three members have served', async () => {
    const { cluster } = await kvStoreWorld();
    ailing.set(cluster, 'orders-2');
    await stores(cluster).create(store(required));
    await until(cluster, () => storeNow(cluster)?.status?.readyReplicas === 2);
    await cluster.advance(86_400_000);
    expect(storeNow(cluster)?.status?.currentVersion).toBeUndefined();
    await remove(cluster);
    expect(jobsFor(cluster, 'FinalBackup').map(({ status }) => status?.succeeded)).toEqual([1]);
    expect(claims(cluster)).toEqual([]);
    cluster.stop();
  });

  test('go after a final backup where a member has served, and is away at that moment', async () => {
    const { cluster } = await kvStoreWorld();
    ailing.set(cluster, 'orders-1');
    await stores(cluster).create(store({ ...required, replicas: 2 }));
    await until(cluster, () => storeNow(cluster)?.status?.readyReplicas === 1);
    installUnready(cluster);
    await cluster.client()(pods).namespace('default').delete('orders-0');
    await until(cluster, () => storeNow(cluster)?.status?.readyReplicas === 0);
    await remove(cluster);
    expect(jobsFor(cluster, 'FinalBackup')).toHaveLength(1);
    cluster.stop();
  });

  test('go after a final backup where it was made from a backup', async () => {
    const { cluster } = await kvStoreWorld();
    installUnready(cluster);
    await stores(cluster).create(store({ ...required, restoreFrom: { backup: 'monday', job: { command: ['restore'] } } })); // prettier-ignore
    await until(cluster, () => images(cluster).length === 1);
    await remove(cluster);
    expect(jobsFor(cluster, 'FinalBackup')).toHaveLength(1);
    expect(claims(cluster)).toEqual([]);
    cluster.stop();
  });

  test('go after a final backup where an earlier cluster has left them', async () => {
    const cluster = await ready({ deletionPolicy: 'Retain' });
    await remove(cluster);
    installUnready(cluster);
    await stores(cluster).create(store(required));
    await until(cluster, () => images(cluster).length === 1);
    await cluster.advance(60_000);
    await remove(cluster);
    expect(jobsFor(cluster, 'FinalBackup')).toHaveLength(1);
    cluster.stop();
  });

  test('go without one where no member was ever ready, whatever the mark of another cluster says', async () => {
    const { cluster } = await kvStoreWorld();
    installUnready(cluster);
    await stores(cluster).create(store(required));
    await until(cluster, () => images(cluster).length === 1);
    await annotate(cluster, { 'ordinal.dev/holds-data': 'another-uid' });
    await cluster.advance(60_000);
    expect(storeNow(cluster)?.metadata.annotations?.['ordinal.dev/holds-data']).toBe('another-uid');
    expect(storeNow(cluster)?.status).not.toHaveProperty('mayHoldData');
    await remove(cluster);
    expect(jobsFor(cluster, 'FinalBackup')).toEqual([]);
    expect(claims(cluster)).toEqual([]);
    cluster.stop();
  });
});
