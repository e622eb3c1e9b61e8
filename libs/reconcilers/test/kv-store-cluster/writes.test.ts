import { kvStoreClusters } from '@ordinal/api';
import type { SimulatedCluster } from '@ordinal/simulator';
import { test } from 'vitest';
import { creationWrites, liveThrough } from '../writes/life.ts';
import type { Step } from '../writes/life.ts';
import { images, kvStoreWorld, store, storeNow } from './kv-store-world.ts';
import { annotate, change, claims, stores, until } from './store-steps.ts';

const runs = (version: string, replicas: number) => (cluster: SimulatedCluster) =>
  storeNow(cluster)?.status?.phase === 'Ready' &&
  storeNow(cluster)?.status?.currentVersion === version &&
  storeNow(cluster)?.status?.readyReplicas === replicas &&
  images(cluster).length === replicas;

const life: readonly Step[] = [
  {
    step: 'creation',
    act: (cluster) => stores(cluster).create(store({ port: 6379, backup: { job: { command: ['backup'] } } })),
    isOver: runs('1.0', 3),
    // Claims are made by the StatefulSet. The mark that there may be data, beside the finalizer.
    writes: { ...creationWrites(kvStoreClusters), 'patch kvstoreclusters': 2 },
    // It begins; each member exists, and is ready; one is seen before its volume is bound, which the scheduler says; all is done.
    statuses: 2 + 2 * 3 + 1,
  },
  { step: 'nothing', act: (cluster) => cluster.advance(3_600_000), isOver: () => true, writes: {}, statuses: 0 },
  {
    step: 'growth by one',
    act: (cluster) => change(cluster, { replicas: 4 }),
    isOver: runs('1.0', 4),
    writes: { 'apply statefulsets': 1 },
    // It begins; the member exists; it is ready.
    statuses: 3,
  },
  {
    step: 'shrinkage by one',
    act: (cluster) => change(cluster, { replicas: 3 }),
    isOver: runs('1.0', 3),
    writes: { 'apply statefulsets': 1 },
    // It begins; the member ends; it is gone.
    statuses: 3,
  },
  {
    step: 'rolling update of three',
    act: (cluster) => change(cluster, { version: '2.0' }),
    isOver: runs('2.0', 3),
    // The template with the partition at the highest; then a lower one for each other member.
    writes: { 'apply statefulsets': 3 },
    // It begins; each member ends, is missing, exists, and is ready; when that is noticed, the next is named.
    statuses: 1 + 4 * 3 + 2,
  },
  {
    step: 'canary of one, then the others',
    act: (cluster) =>
      change(cluster, { version: '3.0', upgradeStrategy: 'Canary', canary: { analysis: { http: { path: '/good' } } } }),
    isOver: runs('3.0', 3),
    // The template with the partition at the canary; then a lower partition for each other member.
    writes: { 'apply statefulsets': 3 },
    // As above; each member is judged before the next is named, and at the end all is seen to be done.
    statuses: 2 + 5 * 3,
  },
  {
    step: 'rollback of a canary that answers no',
    act: (cluster) => change(cluster, { version: 'bad' }),
    isOver: (cluster) =>
      storeNow(cluster)?.status?.phase === 'Failed' &&
      storeNow(cluster)?.status?.readyReplicas === 3 &&
      images(cluster).every((image) => image === '3.0'),
    // The template, and the one before.
    writes: { 'apply statefulsets': 2 },
    // It begins; the member ends, is missing, exists; it answers no twice, and a third time, which is the failure; it ends, is missing, exists, is ready.
    statuses: 4 + 3 + 4,
  },
  {
    step: 'failure that stops',
    act: (cluster) => change(cluster, { version: 'broken', upgrade: { onFailure: 'Stop', progressDeadline: '5m' } }),
    isOver: (cluster) => storeNow(cluster)?.status?.failure?.reason === 'ProgressDeadlineExceeded',
    writes: { 'apply statefulsets': 1 },
    // It begins; the member ends, is missing, exists; the deadline has passed.
    statuses: 5,
  },
  {
    step: 'deletion with a final backup',
    act: (cluster) => stores(cluster).delete('orders'),
    isOver: (cluster) => storeNow(cluster) === undefined,
    // The backup's Job; the StatefulSet; the claims, that of the member which was taken away included; the finalizer.
    writes: {
      'create jobs': 1,
      'delete persistentvolumeclaims': 4,
      'delete statefulsets': 1,
      'patch kvstoreclusters': 1,
    },
    // The Job is asked for, and known; its result; the members end, are fewer, are gone; the volumes go.
    statuses: 8,
  },
];

const awaitsPromotion = (cluster: SimulatedCluster): boolean =>
  storeNow(cluster)?.status?.upgrade?.step === 'AwaitingPromotion';

const job = { command: ['task'] };

/** A life in which Jobs come before what is done, and persons decide. */
const guarded: readonly Step[] = [
  {
    step: 'creation from a backup',
    act: (cluster) =>
      stores(cluster).create(
        store({
          restoreFrom: { backup: 'monday', job },
          upgrade: { beforeFirstPod: job },
          scaleDown: { before: job, claims: 'Delete' },
          backup: { job },
          upgradeStrategy: 'Canary',
          canary: { promotion: 'Manual', bake: '1m', analysis: { job } },
        }),
      ),
    isOver: runs('1.0', 3),
    // The finalizer and the mark that there may be data; the claims and the Job that fills them; each child once, without a Service for clients.
    writes: {
      ...creationWrites(kvStoreClusters),
      ...{ 'apply services': 1, 'create jobs': 1, 'create persistentvolumeclaims': 3, 'patch kvstoreclusters': 2 },
    },
    // The Job runs; it has succeeded, and there is data; the members begin; each exists, and is ready; all is done.
    statuses: 4 + 2 * 3,
  },
  {
    step: 'a canary that bakes, is judged by a Job, and is promoted',
    act: async (cluster) => {
      await change(cluster, { version: '2.0' });
      await until(cluster, () => awaitsPromotion(cluster));
      await cluster.settle();
      await annotate(cluster, { 'ordinal.dev/promote': '2.0' });
    },
    isOver: runs('2.0', 3),
    // The template, held while the Job before it runs; a lower partition for each member; that Job, and one for each member.
    writes: { 'apply statefulsets': 4, 'create jobs': 4 },
    // It begins; its Job has succeeded; each member is released, ends, is missing, exists, is judged, and has passed; the first one bakes, and waits; all is done.
    statuses: 4 + 6 * 3 + 1,
  },
  {
    step: 'a canary that is aborted',
    act: async (cluster) => {
      await change(cluster, { version: '3.0' });
      await until(cluster, () => awaitsPromotion(cluster));
      await cluster.settle();
      await annotate(cluster, { 'ordinal.dev/abort': '3.0' });
    },
    isOver: (cluster) =>
      storeNow(cluster)?.status?.phase === 'Failed' &&
      storeNow(cluster)?.status?.readyReplicas === 3 &&
      images(cluster).every((image) => image === '2.0'),
    // The template, held; the partition at the canary; the template before. The Job before it, and the analysis; the oldest of four analyses goes.
    writes: { 'apply statefulsets': 3, 'create jobs': 2, 'delete jobs': 1 },
    // It begins; its Job; the member is released, ends, is missing, exists, is judged, bakes; it waits; it is aborted; the member ends, is missing, exists, is ready.
    statuses: 14,
  },
  {
    step: 'the spec put back',
    act: (cluster) => change(cluster, { version: '2.0' }),
    isOver: runs('2.0', 3),
    writes: {},
    statuses: 1,
  },
  {
    step: 'a backup on demand',
    act: (cluster) => annotate(cluster, { 'ordinal.dev/backup': 'tuesday' }),
    isOver: (cluster) =>
      storeNow(cluster)?.status?.hooks?.some(({ purpose, result }) => purpose === 'Backup' && result === 'Succeeded') ??
      false,
    writes: { 'create jobs': 1 },
    // It runs; it has succeeded.
    statuses: 2,
  },
  {
    step: 'growth of the volumes',
    act: (cluster) => change(cluster, { storage: { size: '20Gi' } }),
    isOver: runs('2.0', 3),
    writes: { 'patch persistentvolumeclaims': 3 },
    // One after the other is as large as it should be.
    statuses: 3,
  },
  {
    step: 'shrinkage by one, after its Job and with its volume',
    act: (cluster) => change(cluster, { replicas: 2 }),
    isOver: (cluster) => runs('2.0', 2)(cluster) && claims(cluster).length === 2,
    // The Job; the StatefulSet; the claim, and the pod of a Job that has ended and still mounts it.
    writes: { 'apply statefulsets': 1, 'create jobs': 1, 'delete persistentvolumeclaims': 1, 'delete pods': 1 },
    // The Job runs; it has succeeded; it counts for no other time; the member ends; it is gone.
    statuses: 5,
  },
];

test.each([
  ['', life],
  [' with Jobs and persons', guarded],
])(
  'each step of a life%s costs the least that it takes, and no write is in vain',
  // The seed decides which changes are seen together, and so how many statuses tell of them.
  async (_which, steps) => liveThrough(steps, await kvStoreWorld(2), kvStoreClusters),
  60_000,
);
