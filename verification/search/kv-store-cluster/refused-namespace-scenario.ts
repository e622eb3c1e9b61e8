import { kvStoreClusters } from '@ordinal/api';
import type { Job } from '@ordinal/client';
import { isApiError, namespaces } from '@ordinal/client';
import { ownerUidLabel, purposeLabel } from '@ordinal/constructs';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { NamespaceGate } from '../../../libs/reconcilers/src/kv-store-cluster/index.ts';
import { seals } from '../../../libs/reconcilers/test/operator/parts.ts';
import { everyFaultBut } from '../faults/faults.ts';
import { judgeNamespaces } from '../../../libs/reconcilers/test/world/own-webhook.ts';
import { pass } from '../faults/pass.ts';
import { Memories } from '../../../libs/reconcilers/test/world/restored.ts';
import type { Searched } from '../engine/searched.ts';
import { kvStoreInvariants } from './invariants.ts';
import { installImages, store, storeNow } from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';
import { patient, podTemplate, searched } from './scenario.ts';
import { allRun } from '../../../libs/reconcilers/test/kv-store-cluster/cluster-states.ts';

const home = 'shop';

/** The UIDs of the clusters whose final backup has succeeded. */
const backedUp = new Memories<Set<string>>(() => new Set());

const hasSucceeded = ({ status }: Job): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Complete' && is === 'True') ?? false;

/** By the Jobs alone, and by no status. */
const noNamespaceWithoutBackup: Invariant = {
  name: 'no namespace goes, and no volume in one, before a required final backup in it was made (issue 26)',
  afterChange: (cluster, { kind, object }) => {
    const known = backedUp.of(cluster);
    const { name, labels = {}, deletionTimestamp } = object.metadata;
    const owner = labels[ownerUidLabel] ?? '';
    const isBackup = kind === 'jobs.batch' && labels[purposeLabel] === 'FinalBackup';
    if (isBackup && hasSucceeded(object as Job)) known.add(owner); // Of kind jobs.
    if (deletionTimestamp === undefined) return undefined;
    if (kind === 'namespaces' && name === home && known.size === 0)
      return `${name} goes, and there was no final backup`;
    return kind === 'persistentvolumeclaims' && !known.has(owner)
      ? `${name} goes, and there was no final backup`
      : undefined;
  },
};

const namespaceNow = (cluster: TestCluster) => cluster.objects.find(namespaces, '', home);

/** Whether the namespace is being deleted after this; false where that was refused. */
async function removeNamespace(cluster: TestCluster): Promise<boolean> {
  try {
    await cluster.client()(namespaces).cluster().delete(home);
    return true;
  } catch (failure) {
    if (isApiError(failure, 'Forbidden', 'TooManyRequests')) return false;
    throw failure;
  }
}

/** A user deletes the namespace while a required final backup in it is due, which the webhook refuses, then the cluster, and asks again for the namespace until it goes. */
export const namespaceRefused: Searched = {
  ...searched({
    name: 'a deletion of the namespace while a required backup in it is due',
    setUp: async (cluster) => {
      await installImages(cluster);
      const gate = new NamespaceGate({ client: cluster.client(), seals });
      await judgeNamespaces(cluster, (request) => gate.admit(request, new AbortController().signal));
      const metadata = { name: home };
      await cluster.client()(namespaces).cluster().create({ apiVersion: 'v1', kind: 'Namespace', metadata });
      const backup = { job: { command: ['backup'] }, onDelete: 'Required' } as const;
      const { metadata: named, ...wanted } = store({
        ...{ replicas: 2, backup, deletionPolicy: 'Delete', upgrade: patient, podTemplate },
      });
      await cluster
        .client()(kvStoreClusters)
        .namespace(home)
        .create({ ...wanted, metadata: { ...named, namespace: home } });
    },
    drive: async (cluster, until) => {
      await until(() => allRun(cluster, '1.0'));
      await removeNamespace(cluster);
      await pass(cluster, until, 20_000);
      if (storeNow(cluster)) await cluster.client()(kvStoreClusters).namespace(home).delete('orders');
      while (!(await removeNamespace(cluster))) await pass(cluster, until, 700);
    },
    isDone: (cluster) => namespaceNow(cluster) === undefined,
  }),
  // A restored etcd has volumes again whose backup is in the part of the history that is lost.
  faults: everyFaultBut('restore'),
  oracles: [...kvStoreInvariants, noNamespaceWithoutBackup],
};
