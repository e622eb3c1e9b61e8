import { pods } from '@ordinal/client';
import { templateHashAnnotation } from '@ordinal/constructs';
import type { SimulatedCluster } from '@ordinal/simulator';
import { expect, test } from 'vitest';
import { images, storeNow, untilPhase } from './kv-store-world.ts';
import { change, jobsFor, ready, until } from './store-steps.ts';

const canary = { upgradeStrategy: 'Canary', port: 6379 } as const;

/** Every judgement that a status has ever shown, of pods by UID and revision. */
function judgements(cluster: SimulatedCluster): ReadonlySet<string> {
  const seen = new Set<string>();
  cluster.server.store.subscribe(({ kind }) => {
    if (!kind.startsWith('kvstoreclusters')) return;
    for (const { podUID, revision, result } of storeNow(cluster)?.status?.upgrade?.analysed ?? []) {
      if (result === 'Passed') seen.add(`${podUID} ${revision}`);
    }
  });
  return seen;
}

const running = (cluster: SimulatedCluster) =>
  cluster.objects
    .list(pods, 'default')
    .filter(({ metadata }) => metadata.labels?.['app'] === 'orders')
    .map(({ metadata }) => `${metadata.uid} ${metadata.annotations?.[templateHashAnnotation] ?? ''}`);

test.each([1, 2, 3])('with canaries: %i, every member is judged before the upgrade is complete', async (replicas) => {
  const cluster = await ready({ ...canary, canary: { replicas, analysis: { http: { path: '/good' } } } });
  const judged = judgements(cluster);
  await change(cluster, { version: '2.0' });
  await until(cluster, () => storeNow(cluster)?.status?.currentVersion === '2.0');
  for (const member of running(cluster)) expect(judged).toContain(member);
  cluster.stop();
});

test('a last member that answers no fails the upgrade, although it is ready and no canary', async () => {
  const cluster = await ready({
    ...canary,
    canary: { analysis: { http: { path: '/good' }, failureThreshold: 2 } },
  });
  cluster.image('my-repo/kvstore:2.0', {
    startsIn: 2000,
    http: ({ url }, { pod }) => (url.pathname === '/good' && pod === 'orders-0' ? 500 : 200),
  });
  await change(cluster, { version: '2.0' });
  expect(await untilPhase(cluster, 'Failed')).toBe('Failed');
  await cluster.settle();
  expect(storeNow(cluster)?.status).toMatchObject({ currentVersion: '1.0', failure: { reason: 'AnalysisFailed' } });
  expect(images(cluster)).toEqual(['1.0', '1.0', '1.0']);
  cluster.stop();
});

test('a Job judges each member once', async () => {
  const cluster = await ready({ ...canary, canary: { analysis: { job: { command: ['check'] } } } });
  await change(cluster, { version: '2.0' });
  await until(cluster, () => storeNow(cluster)?.status?.currentVersion === '2.0');
  await cluster.settle();
  expect(jobsFor(cluster, 'Analysis')).toHaveLength(3);
  cluster.stop();
});

test('an upgrade that is changed in the middle replaces the member that the first one broke (kubernetes#67250)', async () => {
  const cluster = await ready();
  await change(cluster, { version: 'broken' });
  await until(cluster, () => images(cluster)[2] === 'broken');
  await cluster.advance(60_000);
  await change(cluster, { version: '2.0' });
  expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
  expect(images(cluster)).toEqual(['2.0', '2.0', '2.0']);
  expect(storeNow(cluster)?.status).toMatchObject({ currentVersion: '2.0', previousVersion: '1.0' });
  cluster.stop();
});
