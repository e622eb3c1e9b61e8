import { afterEach, expect, test } from 'vitest';
import { templateHashAnnotation } from '@ordinal/constructs';
import type { SimulatedCluster } from '@ordinal/simulator';
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
import { allRun, rolledBack } from './upgrade-states.ts';

const started: SimulatedCluster[] = [];
afterEach(() => started.splice(0).forEach((cluster) => cluster.stop()));

/** What a user does who may write statuses and nothing else. */
const forge = (cluster: SimulatedCluster, status: object | null) =>
  caches(cluster).status.patch('sessions', { type: 'merge', body: { status } });

type Spec = NonNullable<Parameters<typeof cache>[0]>;

/** A cache that is settled. `answer` says what members answer under a path: 200 by default. */
async function settled(upgrade: Spec['upgrade'], answer: (path: string, image: string) => number = () => 200) {
  const { cluster } = await cacheWorld();
  started.push(cluster);
  for (const image of ['cache:1', 'cache:2', 'cache:forged'])
    cluster.image(image, { startsIn: 2000, http: ({ url }) => answer(url.pathname, image) });
  await caches(cluster).create(cache(upgrade === undefined ? {} : { upgrade }));
  expect(await reaches(cluster, () => isSettled(cluster))).toBe(true);
  return cluster;
}

/** Every image that a member has run from now on. */
function imagesSeen(cluster: SimulatedCluster): ReadonlySet<string | undefined> {
  const seen = new Set<string | undefined>();
  cluster.server.store.subscribe(({ kind }) => {
    if (kind === 'pods') for (const image of images(cluster)) seen.add(image);
  });
  return seen;
}

const revision = (cluster: SimulatedCluster) =>
  setNow(cluster)?.spec.template.metadata?.annotations?.[templateHashAnnotation] ?? '';

test('a rollback does not lead to a version that a forged status names', async () => {
  const cluster = await settled({ onFailure: 'Rollback', progressDeadline: '2m' });
  const seen = imagesSeen(cluster);
  await change(cluster, { image: 'cache:broken' });
  await cluster.advance(30_000);
  await forge(cluster, { currentVersion: 'cache:forged', currentRevision: 'forged' });
  expect(await reaches(cluster, () => rolledBack(cluster, 'cache:1'))).toBe(true);
  expect(seen).not.toContain('cache:forged');
});

test('a forged failure leads to no rollback', async () => {
  const cluster = await settled({ onFailure: 'Rollback' });
  const seen = imagesSeen(cluster);
  const failedRevision = revision(cluster);
  await forge(cluster, { failedRevision, currentVersion: 'cache:forged', currentRevision: 'forged' });
  await cluster.advance(600_000);
  expect(cacheNow(cluster)?.status).not.toHaveProperty('failedRevision');
  expect(seen).not.toContain('cache:forged');
  expect(images(cluster)).toEqual(['cache:1', 'cache:1', 'cache:1']);
});

test('a member that a forged status calls handed over is asked to hand over all the same, before it is deleted', async () => {
  const handoff = { http: { path: '/handoff' } };
  const cluster = await settled({ gates: [], handoff }, (path) => (path === '/handoff' ? 503 : 200));
  const uids = members(cluster).map(({ metadata }) => metadata.uid);
  await change(cluster, { image: 'cache:2' });
  await cluster.advance(20_000);
  const { pod, podUID } = cacheNow(cluster)?.status?.upgrade ?? {};
  for (const handedOff of [podUID, ...uids]) {
    await forge(cluster, { handedOff, upgrade: { handedOff, ...(pod === undefined ? {} : { pod }) } });
    await cluster.advance(15_000);
  }
  expect(members(cluster).map(({ metadata }) => metadata.uid)).toEqual(uids);
});

test('a replacement that a forged status calls caught up is waited for', async () => {
  const sync = { http: { path: '/sync' } };
  const lags = (path: string, image: string): number => (path === '/sync' && image === 'cache:2' ? 503 : 200);
  const cluster = await settled({ gates: [], sync }, lags);
  await change(cluster, { image: 'cache:2' });
  expect(await reaches(cluster, () => cacheNow(cluster)?.status?.upgrade?.step === 'AwaitingSync')).toBe(true);
  for (let times = 0; times < 5; times += 1) {
    await forge(cluster, { catchingUp: null, upgrade: { catchingUp: null } });
    await cluster.advance(10_000);
  }
  expect(images(cluster)).toEqual(['cache:1', 'cache:1', 'cache:2']);
});

test('a status that a user has emptied in the middle of an upgrade is filled again, and the upgrade goes on', async () => {
  const cluster = await settled({});
  await change(cluster, { image: 'cache:2' });
  expect(await reaches(cluster, () => images(cluster).includes('cache:2'))).toBe(true);
  await forge(cluster, null);
  expect(await reaches(cluster, () => allRun(cluster, 'cache:2'))).toBe(true);
});
