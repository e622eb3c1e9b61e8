import { createSecretKey } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { cloudDatabases } from '@ordinal/api';
import { recordedWorld } from './recorded-world.ts';
import type { RecordedWorld } from './recorded-world.ts';
import {
  cacheNow,
  changeCache,
  changeStore,
  isReady,
  readyCache,
  readySet,
  readyStore,
  stores,
  storeNow,
  until,
} from './resources.ts';

/** The key of the recordings of these tests. It opens nothing else. */
export const recordingKey = createSecretKey(Buffer.alloc(32, 'the key of recordings'));

/** What stands where a secret may stand in the resources of these recordings. */
export const planted = {
  variable: 'planted-in-a-variable',
  argument: 'planted-in-an-argument',
  annotation: 'planted-in-an-annotation',
  secret: 'planted',
} as const;

const podTemplate = {
  metadata: { annotations: { 'example.com/note': planted.annotation } },
  spec: {
    containers: [
      { name: 'cache', env: [{ name: 'GREETING', value: planted.variable }], args: ['--serve', planted.argument] },
    ],
  },
};

async function upgradeCache(world: RecordedWorld): Promise<void> {
  const { cluster } = world;
  await readyCache(cluster, { podTemplate });
  await changeCache(cluster, { image: 'cache:2' });
  await until(
    cluster,
    'the upgrade',
    () => cacheNow(cluster)?.status?.currentVersion === 'cache:2' && isReady(cacheNow(cluster)),
  );
  await changeCache(cluster, { image: 'cache:missing', upgrade: { progressDeadline: '1m', onFailure: 'Rollback' } });
  await cluster.advance(180_000);
}

async function upgradeAndDeleteStore(world: RecordedWorld): Promise<void> {
  const { cluster } = world;
  await readyStore(cluster);
  await changeStore(cluster, { version: '2.0' });
  await until(
    cluster,
    'the upgrade',
    () => storeNow(cluster)?.status?.currentVersion === '2.0' && isReady(storeNow(cluster)),
  );
  await stores(cluster).delete('carts');
  await until(cluster, 'the deletion', () => storeNow(cluster) === undefined);
}

async function changeAndDeleteDatabase({ cluster }: RecordedWorld): Promise<void> {
  const databases = cluster.client()(cloudDatabases).namespace('shop');
  const now = () => cluster.objects.find(cloudDatabases, 'shop', 'orders');
  await databases.create({
    ...{ apiVersion: 'db.example.com/v1', kind: 'CloudDatabase', metadata: { name: 'orders' } },
    spec: { engine: 'postgres', size: 'small' },
  });
  await until(cluster, 'the database', () => isReady(now()));
  await databases.patch('orders', { type: 'merge', body: { spec: { size: 'large' } } });
  await until(cluster, 'the change', () => now()?.status?.size === 'large' && isReady(now()));
  await databases.delete('orders');
  await until(cluster, 'the deletion', () => now() === undefined);
}

/** What is recorded and kept: histories that a change of decisions must not change unnoticed. */
export const scenarios: Readonly<Record<string, (world: RecordedWorld) => Promise<void>>> = {
  'cache-upgrade-and-rollback': upgradeCache,
  'store-upgrade-and-deletion': upgradeAndDeleteStore,
  'database-change-and-deletion': changeAndDeleteDatabase,
  'set-registration': (world) => readySet(world.cluster),
};

/** Plays a scenario, and gives what was recorded. */
export async function recordingOf(play: (world: RecordedWorld) => Promise<void>): Promise<Uint8Array> {
  const world = await recordedWorld(recordingKey);
  try {
    await play(world);
    // What has just ended is taken in.
    await setTimeout(0);
    return await world.recording();
  } finally {
    await world.stop();
  }
}
