import { kvStoreClusters } from '@ordinal/api';
import { jobs, namespaces, services, statefulSets } from '@ordinal/client';
import { kvStoreSelector } from '@ordinal/constructs';
import type { Scenario } from '@ordinal/explorer';
import { deny } from '@ordinal/runtime/webhooks';
import { skipAnnotation } from '../../../libs/reconcilers/src/kv-store-cluster/deletion-tasks.ts';
import { bystandersAreLeftAlone, putBystander } from '../../../libs/reconcilers/test/world/bystander.ts';
import { judgeSpecs } from '../../../libs/reconcilers/test/world/own-webhook.ts';
import { pass } from '../faults/pass.ts';
import type { Searched } from '../engine/searched.ts';
import { kvStoreInvariants } from './invariants.ts';
import {
  images,
  installImages,
  store,
  storeNow,
} from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';
import { claimsLeft, lostClaims, meddling, patient, podTemplate, searched, setUp } from './scenario.ts';
import {
  allRun,
  annotate,
  change,
  jobHasFailed,
  resource,
} from '../../../libs/reconcilers/test/kv-store-cluster/cluster-states.ts';

/** Nothing is put back of a cluster that is being deleted: with members that can't start, its final backup would wait for a user. */
const { 'set the image of the StatefulSet to one that does not work': _image, ...bearable } = meddling;

/** What users and others may take away while a cluster is being deleted. */
export const tidying: NonNullable<Scenario['actions']> = {
  ...bearable,
  'delete the StatefulSet, with its pods': async (cluster) => {
    if (cluster.objects.find(statefulSets, 'default', 'orders'))
      await cluster.client()(statefulSets).namespace('default').delete('orders', { propagationPolicy: 'Background' });
  },
  'delete the Services': async (cluster) => {
    for (const { metadata } of cluster.objects.list(services, 'default'))
      await cluster.client()(services).namespace('default').delete(metadata.name);
  },
  'delete the Jobs that have ended': async (cluster) => {
    for (const { metadata, status } of cluster.objects.list(jobs, 'default'))
      if (status?.completionTime !== undefined)
        await cluster.client()(jobs).namespace('default').delete(metadata.name, { propagationPolicy: 'Background' });
  },
};

/** The cluster grows, shrinks, its volumes grow, and it is deleted without a backup, when its spec has become invalid: the volumes stay. */
export const scaleAndKeep = searched({
  name: 'growth, shrinkage, and a deletion that keeps the volumes',
  setUp: setUp({ replicas: 1 }),
  drive: async (cluster, until) => {
    await until(() => allRun(cluster, '1.0'));
    await change(cluster, { replicas: 3, storage: { size: '20Gi' } });
    await until(() => images(cluster).length === 3 && allRun(cluster, '1.0'));
    await change(cluster, { replicas: 2 });
    await until(() => images(cluster).length === 2 && allRun(cluster, '1.0'));
    await change(cluster, { canary: { analysis: { http: { path: '/good' } } } });
    await until(() => storeNow(cluster)?.status?.processingError?.reason === 'InvalidSpec');
    await resource(cluster).delete('orders');
  },
  isDone: (cluster) => storeNow(cluster) === undefined && images(cluster).length === 0,
  leaks: (cluster) => lostClaims(cluster, 3),
  actions: meddling,
});

const backup = { job: { command: ['backup'] } } as const;

/** The cluster shrinks, a final backup is made, then everything goes, the volume of the member that was taken away, too; a pod that looks like a member stays. */
export const backUpAndDelete: Searched = {
  ...searched({
    name: 'a deletion with a final backup',
    setUp: async (cluster) => {
      const labels = { ...kvStoreSelector({ name: 'orders' }), 'app.kubernetes.io/managed-by': 'ordinal-operator' };
      await putBystander(cluster, { name: 'orders-debug', labels });
      await setUp({ replicas: 2, backup })(cluster);
    },
    drive: async (cluster, until) => {
      await until(() => allRun(cluster, '1.0'));
      await change(cluster, { replicas: 1 });
      await until(() => images(cluster).length === 1 && allRun(cluster, '1.0'));
      await resource(cluster).delete('orders');
    },
    isDone: (cluster) => storeNow(cluster) === undefined,
    leaks: claimsLeft,
    actions: tidying,
  }),
  oracles: [...kvStoreInvariants, bystandersAreLeftAlone('orders-debug')],
};

/** The garbage collector takes the members down at once; the final backup is made of their volumes. */
export const foreground: Searched = {
  // Where what has been taken down is still seen, or claims are not, the Job has not all volumes: it fails, and is run again.
  livesVary: ['stale', 'unobserved', 'timeTravel', 'twoLeaders'],
  ...searched({
    name: 'a deletion in a foreground cascade, with a final backup',
    setUp: setUp({ replicas: 2, backup }),
    drive: async (cluster, until) => {
      await until(() => allRun(cluster, '1.0'));
      await resource(cluster).delete('orders', { propagationPolicy: 'Foreground' });
    },
    isDone: (cluster) => storeNow(cluster) === undefined && images(cluster).length === 0,
    leaks: claimsLeft,
    actions: tidying,
  }),
};

/** No backup works, neither one that is asked for nor the final one, until it is not waited for any more: the volumes stay. */
export const failingBackup: Searched = {
  // Where the clock jumps a pause may be shorter or longer; where a Job that has failed is shown once more after it was deleted, it counts twice, and the next pause is longer.
  livesVary: ['clock', 'timeTravel', 'twoLeaders'],
  ...searched({
    name: 'a deletion whose final backup fails',
    setUp: setUp({ replicas: 2, backup: { job: { command: ['fail'] }, onDelete: 'Required' } }),
    drive: async (cluster, until) => {
      await until(() => allRun(cluster, '1.0'));
      await annotate(cluster, { 'ordinal.dev/backup': 'monday' });
      await until(() => jobHasFailed(cluster, 'Backup'));
      await resource(cluster).delete('orders');
      await pass(cluster, until, 1_500_000);
      await annotate(cluster, { [skipAnnotation]: 'FinalBackup' });
    },
    isDone: (cluster) => storeNow(cluster) === undefined && images(cluster).length === 0,
    leaks: (cluster) => lostClaims(cluster, 2),
    actions: meddling,
  }),
};

/** The namespace is deleted, where no backup can be made any more and no other Job, and takes all with it: also a cluster that the operator's webhook would not let in any more. */
export const namespaceDeleted = searched({
  name: 'a deletion of the namespace with all that is in it',
  setUp: async (cluster) => {
    await installImages(cluster);
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } } as const;
    await cluster.client()(namespaces).cluster().create(namespace);
    const hooks = { backup, delete: { before: { command: ['release'] } } };
    const { metadata, ...wanted } = store({ replicas: 2, ...hooks, upgrade: patient, podTemplate });
    await cluster
      .client()(kvStoreClusters)
      .namespace('shop')
      .create({ ...wanted, metadata: { ...metadata, namespace: 'shop' } });
  },
  drive: async (cluster, until) => {
    await until(() => allRun(cluster, '1.0'));
    await judgeSpecs(cluster, () => deny('nothing is right any more', { code: 422, reason: 'Invalid' }));
    await cluster.client()(namespaces).cluster().delete('shop');
  },
  isDone: (cluster) => cluster.objects.find(namespaces, '', 'shop') === undefined,
});
