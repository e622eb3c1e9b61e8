import { pods } from '@ordinal/client';
import { expect, test } from 'vitest';
import { cache, cacheNow, caches, cacheWorld, change, isSettled, reaches } from './cache-world.ts';

test(
  'the finalizer of a held pod is removed although its cache went while no operator was there',
  { timeout: 60_000 },
  async () => {
    const { cluster, operator } = await cacheWorld();
    const finalizers = () => cluster.objects.find(pods, 'default', 'sessions-2')?.metadata.finalizers ?? [];
    await caches(cluster).create(cache({ image: 'cache:stubborn' }));
    expect(await reaches(cluster, () => isSettled(cluster))).toBe(true);
    await change(cluster, { image: 'cache:2' });
    await reaches(cluster, () => finalizers().length > 0);
    operator.crash();
    await caches(cluster).delete('sessions', { propagationPolicy: 'Orphan' });
    await caches(cluster).patch('sessions', { type: 'merge', body: { metadata: { finalizers: null } } });
    await cluster.settle();
    expect(cacheNow(cluster)).toBeUndefined();
    expect(finalizers()).toEqual(['cache.my.domain/pre-terminate-hook']);
    operator.start();
    expect(await reaches(cluster, () => finalizers().length === 0)).toBe(true);
    cluster.stop();
  },
);
