import { jobs, statefulSets } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/simulator';
import { describe, expect, test } from 'vitest';
import {
  allHaveData,
  close,
  guardedMembers,
  guards,
  guardsOf,
  hasData,
  installGuardedImages,
} from './guarded-world.ts';
import { images, kvStoreWorld, store, storeNow, untilPhase } from './kv-store-world.ts';
import { annotate, change, condition, stores, until } from './store-steps.ts';

type Upgrade = NonNullable<NonNullable<Parameters<typeof store>[0]>['upgrade']>;

/** A cluster whose members answer what they are asked, and which has come up. */
async function guarded(upgrade: Upgrade, spec: Parameters<typeof store>[0] = {}): Promise<SimulatedCluster> {
  const { cluster } = await kvStoreWorld();
  installGuardedImages(cluster);
  await stores(cluster).create(store({ port: 6379, upgrade, ...spec }));
  expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
  allHaveData(cluster);
  return cluster;
}

const upgradeNow = (cluster: SimulatedCluster) => storeNow(cluster)?.status?.upgrade;
const partitionNow = (cluster: SimulatedCluster) =>
  cluster.objects.find(statefulSets, 'default', 'orders')?.spec.updateStrategy?.rollingUpdate?.partition;

const { gates, handoff, role, sync } = guards;

describe('a closed gate', () => {
  test('keeps the partition where it is, says so, and is asked again until it opens', async () => {
    const cluster = await guarded({ gates: [...gates] });
    close(cluster, 60_000);
    await change(cluster, { version: '2.0' });
    await until(cluster, () => upgradeNow(cluster)?.step === 'AwaitingGate');
    expect(upgradeNow(cluster)).toMatchObject({ pod: 'orders-2', blockedBy: 'gate peers: orders-0: HTTP 503' });
    await cluster.advance(30_000);
    expect(images(cluster)).toEqual(['1.0', '1.0', '1.0']);
    expect(partitionNow(cluster)).toBeGreaterThan(2);
    expect(condition(cluster, 'Progressing')).toMatchObject({ reason: 'AwaitingGate' });
    expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
    expect(images(cluster)).toEqual(['2.0', '2.0', '2.0']);
    cluster.stop();
  });

  test('is opened for one member by the command that the status shows', async () => {
    const cluster = await guarded({ gates: [...gates] });
    close(cluster, 3_600_000);
    await change(cluster, { version: '2.0' });
    await until(cluster, () => upgradeNow(cluster)?.step === 'AwaitingGate');
    const command = upgradeNow(cluster)?.release ?? '';
    const [, annotation = '', uid = ''] = /(\S+)=(\S+) --overwrite/.exec(command) ?? [];
    expect(command).toBe(`kubectl annotate -n default kvs orders ordinal.dev/open-gates=${uid} --overwrite`);
    await annotate(cluster, { [annotation]: uid });
    await until(cluster, () => upgradeNow(cluster)?.pod === 'orders-1' && upgradeNow(cluster)?.step === 'AwaitingGate');
    await cluster.advance(60_000);
    expect(images(cluster)).toEqual(['1.0', '1.0', '2.0']);
    cluster.stop();
  });

  test('counts for the deadline, and members that serve go back through their gates too', async () => {
    const cluster = await guarded({ gates: [...gates], progressDeadline: '5m' });
    await change(cluster, { version: '2.0' });
    await until(cluster, () => images(cluster)[2] === '2.0');
    close(cluster, 1_200_000);
    expect(await untilPhase(cluster, 'Failed')).toBe('Failed');
    expect(storeNow(cluster)?.status?.failure?.message).toMatch(
      /on pod orders-1: no member has come back for 5 minutes; gate peers: orders-0: HTTP 503/,
    );
    await until(cluster, () => upgradeNow(cluster)?.step === 'AwaitingGate');
    await cluster.advance(120_000);
    expect(images(cluster)).toEqual(['1.0', '1.0', '2.0']);
    expect(upgradeNow(cluster)).toMatchObject({ pod: 'orders-2', blockedBy: 'gate peers: orders-0: HTTP 503' });
    await until(cluster, () => images(cluster).join() === '1.0,1.0,1.0');
    cluster.stop();
  });

  test('does not keep members of a failed version that do not work', async () => {
    const cluster = await guarded({ gates: [...gates], progressDeadline: '5m' });
    await change(cluster, { version: 'broken' });
    await until(cluster, () => images(cluster)[2] === 'broken');
    close(cluster, 7_200_000);
    await until(cluster, () => storeNow(cluster)?.status?.phase === 'Failed' && images(cluster)[2] === '1.0');
    cluster.stop();
  });

  test('that is a Job runs once for each member, and belongs to the cluster', async () => {
    const template = { template: { spec: { containers: [{ name: 'check', image: 'check:1' }] } } };
    const cluster = await guarded({ gates: [{ name: 'check', target: 'Peers', job: { template } }] });
    const asked = new Set<string>();
    cluster.image('check:1', { run: ({ env }) => (asked.add(`${env['ORDINAL_POD']} ${env['ORDINAL_PEERS']}`), 0) });
    await change(cluster, { version: '2.0' });
    expect(await untilPhase(cluster, 'Upgrading')).toBe('Upgrading');
    expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
    expect([...asked]).toEqual([
      'orders-2 orders-0,orders-1',
      'orders-1 orders-0,orders-2',
      'orders-0 orders-1,orders-2',
    ]);
    const made = cluster.objects.list(jobs, 'default');
    expect(made.every(({ metadata }) => metadata.ownerReferences?.[0]?.kind === 'KVStoreCluster')).toBe(true);
    cluster.stop();
  });
});

test('a leader hands over, and its replacement catches up before the next member goes', async () => {
  const cluster = await guarded({ handoff, role, sync });
  await change(cluster, { version: '2.0' });
  await until(cluster, () => upgradeNow(cluster)?.step === 'AwaitingSync');
  expect(images(cluster)).toEqual(['1.0', '1.0', '2.0']);
  expect(upgradeNow(cluster)).toMatchObject({ pod: 'orders-2', catchingUp: [{ ordinal: 2 }] });
  const first = guardedMembers(cluster).find(({ metadata }) => metadata.name === 'orders-1')?.metadata.uid ?? '';
  expect(guardsOf(cluster).handedOver.has(first)).toBe(false);
  await until(cluster, () => images(cluster)[1] === '2.0');
  expect(guardsOf(cluster).handedOver.has(first)).toBe(true);
  expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
  cluster.stop();
});

test('a replacement that has not caught up is awaited although the StatefulSet is lost meanwhile, and made again', async () => {
  const cluster = await guarded({ sync });
  await change(cluster, { version: '2.0' });
  await until(cluster, () => upgradeNow(cluster)?.step === 'AwaitingSync');
  await cluster.client()(statefulSets).namespace('default').delete('orders', { propagationPolicy: 'Orphan' });
  await until(cluster, () => images(cluster)[1] === '2.0');
  const last = guardedMembers(cluster).find(({ metadata }) => metadata.name === 'orders-2');
  expect(last && hasData(cluster, last)).toBe(true);
  cluster.stop();
});

describe('members that leave for good', () => {
  test('go one by one, each through its gates', async () => {
    const cluster = await guarded({ gates: [...gates], handoff });
    close(cluster, 60_000);
    await change(cluster, { replicas: 1 });
    await until(cluster, () => condition(cluster, 'Scaled')?.reason === 'AwaitingGate');
    await cluster.advance(30_000);
    expect(images(cluster)).toHaveLength(3);
    expect(condition(cluster, 'Scaled')?.message).toMatch(
      /orders-2 leaves for good: gate peers: orders-0: HTTP 503; to go on: kubectl/,
    );
    await until(cluster, () => images(cluster).length === 1 && storeNow(cluster)?.status?.phase === 'Ready');
    expect(guardsOf(cluster).handedOver.size).toBe(2);
    cluster.stop();
  });

  test('do so after the Job of the reduction, which runs once', async () => {
    const cluster = await guarded({ gates: [...gates] }, { replicas: 4, scaleDown: { before: { command: ['move'] } } });
    await change(cluster, { replicas: 2 });
    await until(cluster, () => images(cluster).length === 2 && storeNow(cluster)?.status?.phase === 'Ready');
    const moved = cluster.objects
      .list(jobs, 'default')
      .filter(({ metadata }) => metadata.labels?.['ordinal.dev/purpose'] === 'BeforeScaleDown');
    expect(moved).toHaveLength(1);
    cluster.stop();
  });
});
