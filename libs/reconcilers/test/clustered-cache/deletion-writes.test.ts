import { clusteredCaches } from '@ordinal/api';
import { namespaces } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/simulator';
import { expect, test } from 'vitest';
import { Ledger } from '../writes/ledger.ts';
import type { Step } from '../writes/life.ts';
import { cache, cacheWorld, reaches } from './cache-world.ts';

const home = 'shop';

const caches = (cluster: SimulatedCluster) => cluster.client()(clusteredCaches).namespace(home);
const cacheNow = (cluster: SimulatedCluster) => cluster.objects.find(clusteredCaches, home, 'sessions');
const isGone = (cluster: SimulatedCluster): boolean => cacheNow(cluster) === undefined;

/** A way to delete a cache; `refused` are writes that meet one of Kubernetes' own to the same object at the same time, and are made again where they still mean something. */
type Way = Step & { readonly refused: readonly string[] };

const conflict = 'patch clusteredcaches sessions was refused with 409';

const ways: readonly Way[] = [
  {
    step: 'in the background',
    act: (cluster) => caches(cluster).delete('sessions', { propagationPolicy: 'Background' }),
    isOver: isGone,
    // The finalizer: what becomes of the children is up to Kubernetes.
    writes: { 'patch clusteredcaches': 1 },
    statuses: 0,
    refused: [],
  },
  {
    step: 'that leaves the children',
    act: (cluster) => caches(cluster).delete('sessions', { propagationPolicy: 'Orphan' }),
    isOver: isGone,
    // The finalizer; once before the garbage collector has taken off its own.
    writes: { 'patch clusteredcaches': 2 },
    statuses: 0,
    refused: [conflict],
  },
  {
    step: 'in a foreground cascade',
    act: (cluster) => caches(cluster).delete('sessions', { propagationPolicy: 'Foreground' }),
    isOver: isGone,
    writes: { 'patch clusteredcaches': 1 },
    statuses: 0,
    refused: [],
  },
  {
    step: 'with its namespace',
    act: (cluster) => cluster.client()(namespaces).cluster().delete(home),
    isOver: (cluster) => cluster.objects.find(namespaces, '', home) === undefined,
    writes: { 'patch clusteredcaches': 1 },
    // Pods go first, and nothing else is being deleted by then: fewer members serve, none does, and none is there.
    statuses: 3,
    refused: [],
  },
];

async function running(): Promise<{ readonly cluster: SimulatedCluster; readonly ledger: Ledger }> {
  const { cluster, operator } = await cacheWorld();
  const ledger = new Ledger(cluster, operator.user.name, clusteredCaches);
  await cluster
    .client()(namespaces)
    .cluster()
    .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: home } });
  const { metadata, ...wanted } = cache();
  await caches(cluster).create({ ...wanted, metadata: { ...metadata, namespace: home } });
  expect(await reaches(cluster, () => cacheNow(cluster)?.status?.currentVersion === 'cache:1')).toBe(true);
  await cluster.settle();
  return { cluster, ledger };
}

test.each(ways)('a deletion $step costs the least that it takes', async ({ act, isOver, ...way }) => {
  const { cluster, ledger } = await running();
  ledger.take();
  await act(cluster);
  expect(await reaches(cluster, () => isOver(cluster))).toBe(true);
  await cluster.settle();
  const { writes, statuses } = ledger.take();
  expect({ writes, refused: ledger.inVain }).toEqual({ writes: way.writes, refused: way.refused });
  expect(statuses).toBe(way.statuses);
  cluster.stop();
});
