import { kvStoreClusters } from '@ordinal/api';
import { namespaces, pods } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/simulator';
import { expect, test } from 'vitest';
import { Ledger } from '../writes/ledger.ts';
import type { Step } from '../writes/life.ts';
import { kvStoreWorld, store, storeNow } from './kv-store-world.ts';
import { until } from './store-steps.ts';

const home = 'shop';

const stores = (cluster: SimulatedCluster) => cluster.client()(kvStoreClusters).namespace(home);
const isGone = (cluster: SimulatedCluster): boolean => storeNow(cluster) === undefined;

/** A step, and what was written in vain in it: a status that meets a write of Kubernetes' own to the same object at the same time is made again where it still means something. */
interface Way extends Step {
  readonly inVain: readonly string[];
}

const ways: readonly Way[] = [
  {
    step: 'that leaves the members',
    act: (cluster) => stores(cluster).delete('orders', { propagationPolicy: 'Orphan' }),
    isOver: isGone,
    // The finalizer, when the garbage collector has orphaned the children.
    writes: { 'patch kvstoreclusters': 1 },
    // The collector is done before it is said that it is waited for.
    statuses: 0,
    inVain: [],
  },
  {
    step: 'in a foreground cascade, with a final backup',
    act: (cluster) => stores(cluster).delete('orders', { propagationPolicy: 'Foreground' }),
    isOver: (cluster) => isGone(cluster) && cluster.objects.list(pods).length === 0,
    // The Job, when the members are gone; its pod, which mounts the claims; the claims; the finalizer. The StatefulSet goes by itself.
    writes: { 'create jobs': 1, 'delete persistentvolumeclaims': 3, 'delete pods': 1, 'patch kvstoreclusters': 1 },
    // It waits for the members; fewer serve, none does, and fewer are there; the Job runs; its result; the volumes go, and fewer are left.
    statuses: 9,
    inVain: [],
  },
  {
    step: 'with its namespace',
    act: (cluster) => cluster.client()(namespaces).cluster().delete(home),
    isOver: (cluster) => cluster.objects.find(namespaces, '', home) === undefined,
    // The finalizer: no Job can be made, and all else goes by itself.
    writes: { 'patch kvstoreclusters': 1 },
    // Pods go first, and nothing else is being deleted by then: fewer members serve, none does, and the StatefulSet has none.
    statuses: 3,
    inVain: [],
  },
];

test.each(ways)('a deletion $step costs the least that it takes', async ({ act, isOver, ...way }) => {
  const { cluster, operator } = await kvStoreWorld();
  const ledger = new Ledger(cluster, operator.user.name, kvStoreClusters);
  await cluster
    .client()(namespaces)
    .cluster()
    .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: home } });
  const { metadata, ...wanted } = store({ backup: { job: { command: ['backup'] } } });
  await stores(cluster).create({ ...wanted, metadata: { ...metadata, namespace: home } });
  await until(cluster, () => storeNow(cluster)?.status?.phase === 'Ready');
  await cluster.settle();
  ledger.take();
  await act(cluster);
  await until(cluster, () => isOver(cluster));
  expect(isOver(cluster)).toBe(true);
  await cluster.settle();
  const { writes, statuses } = ledger.take();
  expect(writes).toEqual(way.writes);
  expect({ statuses, inVain: ledger.inVain }).toEqual({ statuses: way.statuses, inVain: way.inVain });
  cluster.stop();
});
