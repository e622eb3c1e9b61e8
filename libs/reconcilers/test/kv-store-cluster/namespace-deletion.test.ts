import { kvStoreClusters } from '@ordinal/api';
import { namespaces, persistentVolumeClaims } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/testing';
import { describe, expect, test } from 'vitest';
import { NamespaceGate } from '../../src/kv-store-cluster/index.ts';
import { seals } from '../operator/parts.ts';
import { contradictionsIn } from '../search/phase-and-conditions.ts';
import { judgeNamespaces } from '../search/own-webhook.ts';
import { kvStoreWorld, store } from './kv-store-world.ts';
import { until } from './store-steps.ts';

const backup = { job: { command: ['backup'] } };

const inShop = (cluster: SimulatedCluster) => cluster.client()(kvStoreClusters).namespace('shop');
const namespace = (cluster: SimulatedCluster) => cluster.objects.find(namespaces, '', 'shop');
const storeIn = (cluster: SimulatedCluster) => cluster.objects.find(kvStoreClusters, 'shop', 'orders');
const remove = (cluster: SimulatedCluster) => cluster.client()(namespaces).cluster().delete('shop');
const annotateNamespace = (cluster: SimulatedCluster, annotations: object) =>
  cluster
    .client()(namespaces)
    .cluster()
    .patch('shop', { type: 'merge', body: { metadata: { annotations } } });

const sealedFirst = new WeakMap<SimulatedCluster, object>();

/** The first status that the operator has sealed. */
const first = (cluster: SimulatedCluster): object => sealedFirst.get(cluster) ?? expect.fail('none was sealed');

/** A cluster that serves in a namespace of its own, and the operator's webhook on namespaces unless it is down. */
async function shop(spec: Parameters<typeof store>[0], { webhook = true } = {}) {
  const world = await kvStoreWorld();
  const { cluster } = world;
  await cluster
    .client()(namespaces)
    .cluster()
    .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  if (webhook) {
    const gate = new NamespaceGate({ client: cluster.client(), seals });
    await judgeNamespaces(cluster, (request) => gate.admit(request, new AbortController().signal));
  }
  await inShop(cluster).create({ ...store(spec), metadata: { name: 'orders', namespace: 'shop' } });
  await until(cluster, () => {
    const { status } = storeIn(cluster) ?? {};
    if (status?.seal !== undefined && !sealedFirst.has(cluster)) sealedFirst.set(cluster, status);
    return status?.phase === 'Ready';
  });
  return world;
}

describe('the deletion of a namespace with a required final backup that is due', () => {
  test('is refused with the commands that go on, and passes once the backup is made', async () => {
    const { cluster } = await shop({ backup });
    await expect(remove(cluster)).rejects.toThrow(/orders is required and not made.*kubectl delete kvs -n shop orders/);
    expect(namespace(cluster)?.metadata.deletionTimestamp).toBeUndefined();
    await inShop(cluster).delete('orders');
    await expect(remove(cluster)).rejects.toThrow(/is required and not made/);
    await until(cluster, () => storeIn(cluster) === undefined);
    await remove(cluster);
    await until(cluster, () => namespace(cluster) === undefined);
    expect(namespace(cluster)).toBeUndefined();
    cluster.stop();
  });

  test('passes where the namespace says so by its UID, and by no other one', async () => {
    const { cluster } = await shop({ backup });
    await annotateNamespace(cluster, { 'ordinal.dev/leave-backups-out': 'true' });
    await expect(remove(cluster)).rejects.toThrow(/is required and not made/);
    await annotateNamespace(cluster, { 'ordinal.dev/leave-backups-out': namespace(cluster)?.metadata.uid });
    await remove(cluster);
    await until(cluster, () => namespace(cluster) === undefined);
    expect(namespace(cluster)).toBeUndefined();
    cluster.stop();
  });

  test('is refused also where another client has emptied the status', async () => {
    const { cluster } = await shop({ backup });
    await inShop(cluster).status.patch('orders', { type: 'merge', body: { status: null } });
    await expect(remove(cluster)).rejects.toThrow(/is required and not made/);
    cluster.stop();
  });

  test('is refused also where another client has put back the status of before there was data', async () => {
    const { cluster } = await shop({ backup });
    const early = first(cluster);
    expect(early).not.toHaveProperty('mayHoldData');
    const whole = Object.keys(storeIn(cluster)?.status ?? {}).map((field) => [field, null]);
    const status = { ...Object.fromEntries(whole), ...early };
    await inShop(cluster).status.patch('orders', { type: 'merge', body: { status } });
    await expect(remove(cluster)).rejects.toThrow(/is required and not made/);
    cluster.stop();
  });

  test('passes where the webhook is down, which the condition and an event about the namespace say', async () => {
    const { cluster, events } = await shop({ backup }, { webhook: false });
    const degraded: string[] = [];
    const contradictions = new Set<string>();
    await remove(cluster);
    await until(cluster, () => {
      const status = storeIn(cluster)?.status;
      const found = status?.conditions?.find(({ type }) => type === 'Degraded');
      if (found?.status === 'True') degraded.push(`${status?.phase ?? ''} ${found.reason}`);
      for (const what of contradictionsIn('KVStoreCluster', status)) contradictions.add(what);
      return namespace(cluster) === undefined;
    });
    expect(degraded).toContain('Terminating FinalBackupLeftOut');
    expect([...contradictions]).toEqual([]);
    const told = events.filter(({ reason }) => reason === 'StepsLeftOut');
    expect(told.map(({ regarding }) => regarding.kind).sort()).toEqual(['KVStoreCluster', 'Namespace']);
    expect(told.find(({ regarding }) => regarding.kind === 'Namespace')?.note).toContain('shop/orders');
    expect(cluster.objects.list(persistentVolumeClaims, 'shop')).toEqual([]);
    cluster.stop();
  });
});

describe('the deletion of a namespace passes', () => {
  test.each([
    ['best effort', { backup: { ...backup, onDelete: 'BestEffort' as const } }],
    ['none', {}],
  ])('where the final backup is %s', async (_what, spec) => {
    const { cluster } = await shop(spec);
    await remove(cluster);
    expect(namespace(cluster)?.metadata.deletionTimestamp).toBeDefined();
    cluster.stop();
  });

  test('where the store leaves the backup out', async () => {
    const { cluster } = await shop({ backup });
    const annotations = { 'ordinal.dev/skip': 'FinalBackup' };
    await inShop(cluster).patch('orders', { type: 'merge', body: { metadata: { annotations } } });
    await remove(cluster);
    expect(namespace(cluster)?.metadata.deletionTimestamp).toBeDefined();
    cluster.stop();
  });
});
