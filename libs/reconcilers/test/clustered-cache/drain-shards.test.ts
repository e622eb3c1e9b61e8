import { pods } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/simulator';
import { afterEach, expect, test, vi } from 'vitest';
import { cache, caches, isReady, isSettled, members, reaches } from './cache-world.ts';
import { drainWorld } from './drain-world.ts';

vi.setConfig({ testTimeout: 120_000 });

const clusters: SimulatedCluster[] = [];
afterEach(() => clusters.splice(0).forEach((cluster) => cluster.stop()));

const installations = [
  { name: 'ordinal-blue', shard: 'team=blue' },
  { name: 'ordinal-others', shard: 'team!=blue' },
];

/** Two installations with a shard each, and a cache with these labels. */
async function settled(labels: Readonly<Record<string, string>>, image: string) {
  const { cluster, asked } = await drainWorld({ replicas: 1, installations });
  clusters.push(cluster);
  const wanted = cache({ image });
  await caches(cluster).create({ ...wanted, metadata: { ...wanted.metadata, labels } });
  expect(await reaches(cluster, () => isSettled(cluster))).toBe(true);
  await cluster.advance(1000);
  return { cluster, asked };
}

const remove = (cluster: SimulatedCluster) => cluster.client()(pods).namespace('default').delete('sessions-2');
const evict = (cluster: SimulatedCluster) => cluster.client().pods.evict({ namespace: 'default', pod: 'sessions-2' });

test.each([
  ['a deletion', 'one', { team: 'blue' }, remove],
  ['a deletion', 'the other', {}, remove],
  ['an eviction', 'one', { team: 'blue' }, evict],
  ['an eviction', 'the other', {}, evict],
])(
  '%s of a member is held back by the gate of the shard that keeps its cache: %s',
  async (_what, _shard, labels, take) => {
    const { cluster } = await settled(labels as Readonly<Record<string, string>>, 'cache:stubborn');
    const refused = cluster.play(() =>
      take(cluster).then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
    expect(await refused).toMatchObject({ status: { code: 429 } });
    expect(members(cluster).filter(isReady)).toHaveLength(3);
  },
);

test.each([
  ['a deletion', remove],
  ['an eviction', evict],
])('%s goes through where the gate of that shard is open, whatever the other one knows', async (_what, take) => {
  const { cluster, asked } = await settled({ team: 'blue' }, 'cache:1');
  await cluster.play(async () => void (await take(cluster)));
  expect(asked.filter((count) => count > 0)).toHaveLength(2);
  expect(await reaches(cluster, () => isSettled(cluster))).toBe(true);
});
