import { kvStoreClusters } from '@ordinal/api';
import { pods, statefulSets } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/simulator';
import { watchInvariants } from '@ordinal/explorer';
import { afterEach, expect, test } from 'vitest';
import { images } from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';
import { change, ready, stores, until } from '../../../libs/reconcilers/test/kv-store-cluster/store-steps.ts';
import { nothingComesBack } from './nothing-comes-back.ts';

const oracle = nothingComesBack('kvstoreclusters.kvstore.example.com', ({ objects }, namespace, name) =>
  objects.find(kvStoreClusters, namespace, name),
);

const clusters: SimulatedCluster[] = [];
afterEach(() => clusters.splice(0).forEach((cluster) => cluster.stop()));

/** A cluster of two members, whose operator is gone; a client that takes its place may make mistakes. */
async function withoutOperator() {
  const cluster = await ready({ replicas: 2 });
  clusters.push(cluster);
  cluster.operators.forEach((operator) => operator.crash());
  const impostor = { name: 'impostor', groups: ['system:masters', 'system:authenticated'] };
  const { violations } = watchInvariants(cluster, [oracle], new Set([impostor.name]));
  return { cluster, violations, client: cluster.client(impostor) };
}

const found = (violations: readonly { readonly message: string }[]) => violations.map(({ message }) => message);

test('a member that goes before its StatefulSet is found when it is made again', async () => {
  const { cluster, violations, client } = await withoutOperator();
  await stores(cluster).delete('orders');
  await client(pods).namespace('default').delete('orders-1');
  await cluster.advance(60_000);
  expect(found(violations)).toEqual(['pods orders-1 has come back to orders, which is going']);
});

test('a member that a reduction has taken away is found when the StatefulSet is made larger again', async () => {
  const { cluster, violations, client } = await withoutOperator();
  const resize = (replicas: number) =>
    client(statefulSets)
      .namespace('default')
      .patch('orders', { type: 'merge', body: { spec: { replicas } } });
  await change(cluster, { replicas: 1 });
  await resize(1);
  await until(cluster, () => images(cluster).length === 1);
  expect(violations).toEqual([]);
  await resize(2);
  await cluster.advance(60_000);
  expect(found(violations)).toEqual(['pods orders-1 has come back where 1 members were left']);
});

test('members come again where the spec wants them, or another client does', async () => {
  const { cluster, violations, client } = await withoutOperator();
  const sets = client(statefulSets).namespace('default');
  await change(cluster, { replicas: 1 });
  await sets.patch('orders', { type: 'merge', body: { spec: { replicas: 1 } } });
  await until(cluster, () => images(cluster).length === 1);
  await cluster.client()(statefulSets).namespace('default').scale.update('orders', 3);
  await until(cluster, () => images(cluster).length === 3);
  await change(cluster, { replicas: 4 });
  await sets.patch('orders', { type: 'merge', body: { spec: { replicas: 4 } } });
  await until(cluster, () => images(cluster).length === 4);
  expect(violations).toEqual([]);
});
