import { persistentVolumeClaims, storageClasses } from '@ordinal/client';
import { expect, test } from 'vitest';
import {
  cache,
  cacheNow,
  caches,
  cacheWorld,
  change,
  images,
  isSettled,
  members,
  reaches,
  setNow,
} from './cache-world.ts';

test('the volumes of a cache stay, whatever becomes of their members, and a cache of its name takes them again (I11, I12, I17)', async () => {
  const { cluster } = await cacheWorld();
  const kind = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'fast' } } as const;
  await cluster
    .client()(storageClasses)
    .cluster()
    .create({ ...kind, provisioner: 'simulated.example/disk' });
  const claims = () =>
    cluster.objects.list(persistentVolumeClaims, 'default').map(({ metadata: { name, uid } }) => `${name} ${uid}`);
  const settles = (): Promise<boolean> => reaches(cluster, () => isSettled(cluster));
  const storage = { className: 'fast', size: '1Gi' };
  await caches(cluster).create(cache({ storage }));
  expect(await settles()).toBe(true);
  const made = claims();
  expect(made.map((claim) => claim.split('-sessions-')[1]?.[0])).toEqual(['0', '1', '2']);
  await change(cluster, { image: 'cache:2' });
  expect(await reaches(cluster, () => isSettled(cluster) && images(cluster).join() === 'cache:2,cache:2,cache:2')).toBe(true); // prettier-ignore
  await change(cluster, { replicas: 1 });
  await cluster.advance(1000);
  expect(await settles()).toBe(true);
  expect([claims(), members(cluster).length]).toEqual([made, 1]);
  await caches(cluster).delete('sessions');
  expect(await reaches(cluster, () => cacheNow(cluster) === undefined && setNow(cluster) === undefined)).toBe(true);
  await cluster.advance(60_000);
  expect([claims(), members(cluster).length]).toEqual([made, 0]);
  await caches(cluster).create(cache({ storage }));
  expect(await settles()).toBe(true);
  expect(claims()).toEqual(made);
  cluster.stop();
});
