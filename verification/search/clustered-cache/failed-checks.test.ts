import { clusteredCaches } from '@ordinal/api';
import { watchInvariants } from '@ordinal/explorer';
import type { SimulatedReply } from '@ordinal/simulator';
import { describe, expect, test } from 'vitest';
import { clusteredCacheMetrics } from '../../../libs/reconcilers/src/clustered-cache/index.ts';
import { conditionIn, operators, published } from '../../../libs/reconcilers/test/world/published.ts';
import {
  cache,
  cacheNow,
  caches,
  cacheWorld,
  change,
  isSettled,
} from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { cacheJobsAreVisible } from './invariants.ts';

const minute = 60_000;

type Gate = NonNullable<NonNullable<NonNullable<Parameters<typeof cache>[0]>['upgrade']>['gates']>[number];

const gateJob = { spec: { containers: [{ name: 'gate', image: 'example.com/gate:1' }] } };
const metric = { path: '/metrics', name: 'lag', max: '5' };

describe('a gate of a cache can not be run', () => {
  test.each<[string, Omit<Gate, 'name'>, string, string]>([
    ['a request without a reply', { http: { path: '/gate', port: 9 } }, 'NotAnswered', 'no answer: '],
    ['a command that is not there', { exec: { command: ['is-open'] } }, 'NotAnswered', 'executable file not found'],
    ['a page without the metric', { metric }, 'NotAnswered', 'no sample of lag'],
    ['a Job that fails', { job: { template: { template: gateJob } } }, 'JobFailed', 'has failed'],
  ])('%s: condition, event and gauge say so within a minute, until it can', async (_how, gate, reason, why) => {
    const { cluster, events } = await cacheWorld();
    const watch = watchInvariants(cluster, [cacheJobsAreVisible], operators);
    let isMended = false;
    const http = (): SimulatedReply => ({ status: 200, body: isMended ? 'lag 1\n' : 'other 1\n' });
    cluster.network.hook((_caller, { url }) => (url.port === '9' && !isMended ? { refuse: true } : undefined));
    const exec = () => (isMended ? { exitCode: 0 } : { exitCode: 127, stderr: 'executable file not found' });
    for (const version of ['1', '2']) cluster.image(`cache:${version}`, { startsIn: 2_000, http, exec, ready: true });
    cluster.image('example.com/gate:1', { startsIn: 1_000, run: () => (isMended ? 0 : 1) });
    const upgrade = { gates: [{ name: 'asked', ...gate }], progressDeadline: '12h' };
    await caches(cluster).create(cache({ upgrade }));
    const now = () => cacheNow(cluster);
    await cluster.run({ until: () => isSettled(cluster), maxVirtualMs: 600_000 });
    await change(cluster, { image: 'cache:2' });
    await cluster.run({ until: () => now()?.status?.upgrade?.step === 'AwaitingGate', maxVirtualMs: 600_000 });
    await cluster.advance(minute);
    const shown = () => conditionIn(now()?.status?.conditions, 'CheckFailed');
    expect(shown()).toMatchObject({ status: 'True', reason });
    const { message = '', lastTransitionTime } = shown() ?? {};
    expect(message).toContain('gate asked of sessions-');
    expect(message).toContain(why);
    expect(message).toContain(`kubectl annotate -n default clusteredcache sessions ordinal.dev/open-gates=`);
    const value = () =>
      clusteredCacheMetrics(cluster.objects.list(clusteredCaches), cluster.clock.now()).find(
        ({ name }) => name === 'ordinal_clusteredcache_check_failed',
      )?.value;
    expect(value()).toBe(1);
    expect(published(events, 'CheckFailed')).toMatchObject([{ note: message }]);
    await cluster.advance(3 * 60 * minute);
    expect(shown()?.lastTransitionTime).toBe(lastTransitionTime);
    expect(published(events, 'CheckFailed').length).toBeGreaterThanOrEqual(5);
    expect(published(events, 'CheckFailed').length).toBeLessThanOrEqual(8);
    isMended = true;
    await cluster.run({ until: () => isSettled(cluster), maxVirtualMs: 900_000 });
    expect([shown(), value(), watch.violations]).toEqual([undefined, 0, []]);
    cluster.stop();
  });

  test('a gate that says no is no failure', async () => {
    const { cluster, events } = await cacheWorld();
    await caches(cluster).create(cache({ image: 'cache:stubborn' }));
    await cluster.run({ until: () => isSettled(cluster), maxVirtualMs: 600_000 });
    await change(cluster, { image: 'cache:2' });
    await cluster.advance(10 * minute);
    expect(cacheNow(cluster)?.status?.upgrade?.blockedBy).toContain('HTTP 503');
    expect(published(events, 'CheckFailed')).toEqual([]);
    cluster.stop();
  });
});

test('the Job before the first member fails: condition, event and gauge say so, and again for as long as it lasts', async () => {
  const { cluster, events } = await cacheWorld();
  const watch = watchInvariants(cluster, [cacheJobsAreVisible], operators);
  let isMended = false;
  cluster.image('example.com/migrate:1', {
    startsIn: 1_000,
    run: (process) => {
      process.log('no such table');
      return isMended ? 0 : 1;
    },
  });
  const beforeFirstPod = { image: 'example.com/migrate:1', command: ['migrate'], retries: 0 };
  await caches(cluster).create(cache({ upgrade: { beforeFirstPod } }));
  await cluster.run({ until: () => isSettled(cluster), maxVirtualMs: 600_000 });
  await change(cluster, { image: 'cache:2' });
  const shown = () => conditionIn(cacheNow(cluster)?.status?.conditions, 'JobFailed');
  await cluster.run({ until: () => shown() !== undefined, maxVirtualMs: 600_000 });
  await cluster.advance(3_000);
  expect(shown()).toMatchObject({ status: 'True', reason: 'BeforeUpgradeFailed' });
  expect(shown()?.message).toMatch(
    /^the Job \S+ \(BeforeUpgrade\) has failed: .*no such table; to try it again: kubectl/,
  );
  expect(published(events, 'JobFailed')).toMatchObject([{ note: shown()?.message }]);
  await cluster.advance(3 * 60 * minute);
  expect(published(events, 'JobFailed').length).toBeGreaterThanOrEqual(5);
  isMended = true;
  await caches(cluster).patch('sessions', {
    type: 'merge',
    body: { metadata: { annotations: { 'ordinal.dev/retry': '1' } } },
  });
  await cluster.run({ until: () => isSettled(cluster), maxVirtualMs: 900_000 });
  expect([shown(), watch.violations]).toEqual([undefined, []]);
  cluster.stop();
});
