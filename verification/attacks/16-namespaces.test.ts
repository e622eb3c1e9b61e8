import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubernetesObject } from '@ordinal/client';
import { startWorld, type World } from './world/world.ts';

// Whoever may delete a namespace takes the volumes in it, without the final backup that their cluster requires. No StatefulSet makes a pod or a volume here: the claim that
// stands for the data is made by hand, with the label by which the operator knows its own.

let world: World;
const merge = { 'content-type': 'application/merge-patch+json' };
const pathOf = (namespace: string): string => `/api/v1/namespaces/${namespace}`;
const storeIn = (namespace: string): string =>
  `/apis/kvstore.example.com/v1/namespaces/${namespace}/kvstoreclusters/orders`;

const read = async (path: string): Promise<KubernetesObject> =>
  (await world.admin.request('GET', path)) as KubernetesObject; // What the API server reads out is an object.

const annotate = (path: string, annotations: object) =>
  world.admin.request('PATCH', path, { body: { metadata: { annotations } }, headers: merge });

/** Deletes it as a user would who has every right on it; says what the API server answers, or nothing where it is done. */
const refusal = (namespace: string, query = ''): Promise<string> =>
  world.admin.request('DELETE', `${pathOf(namespace)}${query}`).then(() => '', String);

const isGoing = async (namespace: string): Promise<boolean> =>
  (await read(pathOf(namespace))).metadata.deletionTimestamp !== undefined;

/** The volume of the first member. */
const claimOf = ({ namespace = '', name, uid }: KubernetesObject['metadata']) =>
  world.apply({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace, name: `data-${name}-0`, labels: { 'ordinal.dev/owner-uid': uid } },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });

/** A namespace with a cluster that holds data, and whose final backup is as the spec says. */
async function shop(namespace: string, onDelete: 'Required' | 'BestEffort'): Promise<void> {
  await world.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await world.apply({
    apiVersion: 'kvstore.example.com/v1',
    kind: 'KVStoreCluster',
    metadata: { name: 'orders', namespace },
    spec: {
      version: '1',
      replicas: 1,
      storage: { className: 'standard', size: '1Gi' },
      backup: { job: { command: ['backup'] }, onDelete },
    },
  });
  const path = storeIn(namespace);
  const deadline = performance.now() + 60_000;
  for (;;) {
    const { metadata } = await read(path);
    if (metadata.finalizers?.includes('kvstore.example.com/finalizer')) {
      await claimOf(metadata);
      return;
    }
    if (performance.now() > deadline) throw new Error(`the operator does not keep orders in ${namespace}`);
    await pause(100);
  }
}

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

test('a namespace with a required final backup that is due is not deleted, and the refusal says how to go on', async () => {
  await shop('attacked-shop', 'Required');
  const words = /orders is required and not made.*kubectl delete kvs -n attacked-shop orders/;
  expect(await refusal('attacked-shop')).toMatch(words);
  expect(await refusal('attacked-shop', '?propagationPolicy=Background&gracePeriodSeconds=0')).toMatch(words);
  expect(await isGoing('attacked-shop')).toBe(false);
});

test('it is deleted where it says so by its own UID, and by no other value', async () => {
  await shop('left-shop', 'Required');
  const key = 'ordinal.dev/leave-backups-out';
  await annotate(pathOf('left-shop'), { [key]: 'true' });
  expect(await refusal('left-shop')).toMatch(/is required and not made/);
  const { metadata } = await read(pathOf('left-shop'));
  await annotate(pathOf('left-shop'), { [key]: metadata.uid });
  expect(await refusal('left-shop')).toBe('');
  expect(await isGoing('left-shop')).toBe(true);
});

test('one whose backup is made at best is deleted', async () => {
  await shop('best-shop', 'BestEffort');
  expect(await refusal('best-shop')).toBe('');
  expect(await isGoing('best-shop')).toBe(true);
});

test('where the operator is away the deletion passes, as its webhook says: one that is down holds up no namespace', async () => {
  await shop('lone-shop', 'Required');
  await world.operator.stop();
  expect(await refusal('lone-shop')).toBe('');
  expect(await isGoing('lone-shop')).toBe(true);
});
