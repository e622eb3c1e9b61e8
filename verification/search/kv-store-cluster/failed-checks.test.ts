import { kvStoreClusters } from '@ordinal/api';
import type { SimulatedReply } from '@ordinal/simulator';
import { describe, expect, test } from 'vitest';
import { kvStoreClusterMetrics } from '../../../libs/reconcilers/src/kv-store-cluster/index.ts';
import { conditionIn, published } from '../../../libs/reconcilers/test/world/published.ts';
import {
  kvStoreWorld,
  store,
  storeNow,
  untilPhase,
} from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';
import { change, stores } from '../../../libs/reconcilers/test/kv-store-cluster/store-steps.ts';

const minute = 60_000;

type Gate = NonNullable<NonNullable<NonNullable<Parameters<typeof store>[0]>['upgrade']>['gates']>[number];

const gateJob = { spec: { containers: [{ name: 'gate', image: 'example.com/gate:1' }] } };
const metric = { path: '/metrics', name: 'lag', max: '5' };

describe('a gate of a store can not be run', () => {
  test.each<[string, Omit<Gate, 'name'>, string, string]>([
    ['a request without a reply', { target: 'Peers', http: { path: '/gate', port: 9 } }, 'NotAnswered', 'no answer: '],
    ['a command that is not there', { target: 'Self', exec: { command: ['is-open'] } }, 'NotAnswered', 'executable file not found'], // prettier-ignore
    ['a page without the metric', { target: 'All', metric }, 'NotAnswered', 'no sample of lag'],
    ['a Job that fails', { target: 'Self', job: { template: { template: gateJob } } }, 'JobFailed', 'has failed'],
  ])('%s: condition, event and gauge say so within a minute, until it can', async (_how, gate, reason, why) => {
    const { cluster, events } = await kvStoreWorld();
    let isMended = false;
    const http = (): SimulatedReply => ({ status: 200, body: isMended ? 'lag 1\n' : 'other 1\n' });
    cluster.network.hook((_caller, { url }) => (url.port === '9' && !isMended ? { refuse: true } : undefined));
    const exec = () => (isMended ? { exitCode: 0 } : { exitCode: 127, stderr: 'executable file not found' });
    for (const version of ['1.0', '2.0'])
      cluster.image(`my-repo/kvstore:${version}`, { startsIn: 2_000, http, exec, ready: true });
    cluster.image('example.com/gate:1', { startsIn: 1_000, run: () => (isMended ? 0 : 1) });
    const upgrade = { gates: [{ name: 'asked', ...gate }], progressDeadline: '12h' };
    await stores(cluster).create(store({ port: 6379, upgrade }));
    expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
    await change(cluster, { version: '2.0' });
    await cluster.run({ until: () => storeNow(cluster)?.status?.upgrade?.step === 'AwaitingGate', maxVirtualMs: 600_000 }); // prettier-ignore
    await cluster.advance(minute);
    const shown = () => conditionIn(storeNow(cluster)?.status?.conditions, 'CheckFailed');
    expect(shown()).toMatchObject({ status: 'True', reason });
    const { message = '', lastTransitionTime } = shown() ?? {};
    expect(message).toContain('gate asked of orders-');
    expect(message).toContain(why);
    expect(message).toContain('kubectl annotate -n default kvs orders ordinal.dev/open-gates=');
    const value = () =>
      kvStoreClusterMetrics(cluster.objects.list(kvStoreClusters), cluster.clock.now()).find(
        ({ name }) => name === 'ordinal_kvstorecluster_check_failed',
      )?.value;
    expect(value()).toBe(1);
    expect(published(events, 'CheckFailed')).toMatchObject([{ note: message }]);
    await cluster.advance(3 * 60 * minute);
    expect(shown()?.lastTransitionTime).toBe(lastTransitionTime);
    expect(published(events, 'CheckFailed').length).toBeGreaterThanOrEqual(5);
    expect(published(events, 'CheckFailed').length).toBeLessThanOrEqual(8);
    isMended = true;
    expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
    expect([shown(), value()]).toEqual([undefined, 0]);
    cluster.stop();
  });

  test('a deletion waits for no check, and its status says nothing of one', async () => {
    const { cluster } = await kvStoreWorld();
    const upgrade = { gates: [{ name: 'asked', target: 'Self', exec: { command: ['is-open'] } }] } as const;
    const exec = () => ({ exitCode: 127, stderr: 'executable file not found' });
    for (const version of ['1.0', '2.0'])
      cluster.image(`my-repo/kvstore:${version}`, { startsIn: 2_000, exec, ready: true });
    await stores(cluster).create(store({ port: 6379, upgrade, deletionPolicy: 'Retain' }));
    expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
    await change(cluster, { version: '2.0' });
    const shown = () => conditionIn(storeNow(cluster)?.status?.conditions, 'CheckFailed');
    await cluster.run({ until: () => shown() !== undefined, maxVirtualMs: 600_000 });
    await stores(cluster).delete('orders');
    await cluster.run({ until: () => shown() === undefined, maxVirtualMs: 600_000 });
    expect(shown()).toBeUndefined();
    cluster.stop();
  });
});

test('the analysis of a canary has no answer: condition, event and gauge say so within a minute, until it has', async () => {
  const { cluster, events } = await kvStoreWorld();
  let isMended = false;
  cluster.network.hook((_caller, { url }) => (url.pathname === '/good' && !isMended ? { refuse: true } : undefined));
  for (const version of ['1.0', '2.0'])
    cluster.image(`my-repo/kvstore:${version}`, { startsIn: 2_000, http: () => 200, ready: true });
  const canary = { analysis: { http: { path: '/good' } } };
  await stores(cluster).create(
    store({ port: 6379, upgradeStrategy: 'Canary', canary, upgrade: { progressDeadline: '12h' } }),
  );
  expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
  await change(cluster, { version: '2.0' });
  await cluster.run({ until: () => storeNow(cluster)?.status?.upgrade?.step === 'Analysing', maxVirtualMs: 600_000 });
  await cluster.advance(minute);
  const shown = () => conditionIn(storeNow(cluster)?.status?.conditions, 'CheckFailed');
  expect(shown()).toMatchObject({ status: 'True', reason: 'NotAnswered' });
  expect(shown()?.message).toContain('analysis of orders-2 can’t be run: no answer');
  expect(shown()?.message).toContain('kubectl describe pod -n default orders-2');
  expect(published(events, 'CheckFailed')).toMatchObject([{ note: shown()?.message }]);
  isMended = true;
  expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
  expect(shown()).toBeUndefined();
  cluster.stop();
});
