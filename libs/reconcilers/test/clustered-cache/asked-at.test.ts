import { pods } from '@ordinal/client';
import type { SimulatedReply } from '@ordinal/simulator';
import { expect, test } from 'vitest';
import { retryAnnotation } from '../../src/annotations.ts';
import { cache, cacheNow, caches, cacheWorld, change, isSettled, reaches, said } from './cache-world.ts';

type Upgrade = NonNullable<Parameters<typeof cache>[0]>['upgrade'];

/** A cache before a gate that gives this answer, and the times at which one member was asked, in milliseconds. */
async function asked(answer: () => SimulatedReply | Promise<SimulatedReply>, upgrade: Upgrade = {}) {
  const world = await cacheWorld();
  const { cluster } = world;
  const at: number[] = [];
  const http = ({ url }: { readonly url: URL }, { pod }: { readonly pod: string }) => {
    if (url.pathname !== '/ready-for-shutdown') return 200;
    if (pod === 'sessions-0') at.push(cluster.clock.now());
    return answer();
  };
  for (const version of ['1', '2']) cluster.image(`cache:${version}`, { startsIn: 2000, http });
  await caches(cluster).create(cache({ upgrade }));
  expect(await reaches(cluster, () => isSettled(cluster))).toBe(true);
  await change(cluster, { image: 'cache:2' });
  expect(await reaches(cluster, () => cacheNow(cluster)?.status?.upgrade?.step === 'AwaitingGate')).toBe(true);
  return { ...world, at };
}

const pauses = (at: readonly number[]): readonly number[] =>
  at.slice(1).map((instant, i) => Math.round((instant - (at[i] ?? 0)) / 1000));

test('a closed gate is asked again each second, with no status written for it', async () => {
  const { cluster, operator, at } = await asked(() => 503);
  await cluster.advance(1000);
  const before = operator.writes;
  await cluster.advance(80_000);
  // The recorded step is looked at once more when its status is seen.
  const found = pauses(at).filter((pause) => pause > 0);
  expect(found.slice(0, 6)).toEqual([1, 1, 1, 1, 1, 1]);
  expect(operator.writes).toBe(before);
  cluster.stop();
});

test('the pauses are those of the spec', async () => {
  const { cluster, at } = await asked(() => 503, { askAgain: { max: '3s' } });
  await cluster.advance(30_000);
  expect(
    pauses(at)
      .filter((pause) => pause > 0)
      .slice(0, 6),
  ).toEqual([1, 2, 3, 3, 3, 3]);
  cluster.stop();
});

test('an operator that starts again goes on with the pauses', async () => {
  const { cluster, operator, at } = await asked(() => 503, { askAgain: { max: '2s' } });
  await cluster.advance(120_000);
  operator.restart(1000);
  await cluster.advance(5000);
  const from = at.length - 1;
  await cluster.advance(20_000);
  const found = pauses(at.slice(from)).filter((pause) => pause > 0);
  expect(found).toEqual(found.map(() => 2));
  expect(found.length).toBeGreaterThan(7);
  cluster.stop();
});

test('a check that could not be run backs off to 30 seconds', async () => {
  const { cluster, at } = await asked(() => new Promise<SimulatedReply>(() => undefined), {
    gates: [{ name: 'slow', http: { path: '/ready-for-shutdown' }, timeout: '1s' }],
  });
  await cluster.advance(200_000);
  expect(pauses(at).at(-1)).toBeGreaterThanOrEqual(30);
  expect(pauses(at).at(-1)).toBeLessThanOrEqual(32);
  cluster.stop();
});

test('a change of a pod asks at once', async () => {
  const { cluster, at } = await asked(() => 503);
  await cluster.advance(121_000);
  const from = cluster.clock.now();
  const before = at.length;
  await cluster
    .client()(pods)
    .namespace('default')
    .patch('sessions-1', {
      type: 'merge',
      body: { metadata: { labels: { role: 'leader' } } },
    });
  expect(await reaches(cluster, () => at.length > before)).toBe(true);
  expect(cluster.clock.now() - from).toBeLessThan(1000);
  cluster.stop();
});

test('a retry is an upgrade that starts, and is reported', async () => {
  const { cluster, events } = await asked(() => 503, { progressDeadline: '60s' });
  expect(await reaches(cluster, () => said(cluster, 'Available') === 'False UpgradeFailed')).toBe(true);
  await cluster.settle();
  const body = { metadata: { annotations: { [retryAnnotation]: 'now' } } };
  await caches(cluster).patch('sessions', { type: 'merge', body });
  expect(await reaches(cluster, () => cacheNow(cluster)?.status?.upgrade?.step === 'AwaitingGate')).toBe(true);
  await cluster.advance(1000);
  expect(events.map(({ reason }) => reason).filter((reason) => reason.startsWith('Upgrade'))).toEqual([
    'UpgradeStarted',
    'UpgradeFailed',
    'UpgradeStarted',
  ]);
  cluster.stop();
});
