import type { Job, Pod } from '@ordinal/client';
import { pods } from '@ordinal/client';
import { purposeLabel } from '@ordinal/constructs';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { isExclusive } from '../../../libs/reconcilers/src/kv-store-cluster/exclusive-jobs.ts';
import { pass } from '../faults/pass.ts';
import type { Searched } from '../engine/searched.ts';
import { goesOn } from '../oracles/two-leaders.ts';
import { tidying } from './deletion-scenarios.ts';
import { kvStoreInvariants } from './invariants.ts';
import { images, storeNow } from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';
import { claimsLeft, patient, searched, setUp } from './scenario.ts';
import { allRun, change, resource } from '../../../libs/reconcilers/test/kv-store-cluster/cluster-states.ts';

const purposeOf = ({ metadata }: Job | Pod): string => metadata.labels?.[purposeLabel] ?? '';

/** The pods of Jobs that write, and may still do so. */
const writing = (cluster: TestCluster): readonly Pod[] =>
  cluster.objects
    .list(pods, 'default')
    .filter((pod) => isExclusive(purposeOf(pod)) && !['Succeeded', 'Failed'].includes(pod.status?.phase ?? ''));

/** The final backups that were made while a Job wrote, until it is known who has made them. */
const beside = new WeakMap<TestCluster, string>();

/** No final backup begins while a Job writes. A leader that was suspended in making it goes on with what it had decided before the other one made that Job. */
const backedUpAlone: Invariant = {
  name: 'a final backup begins when no Job writes any more',
  afterChange: (cluster, { kind, type, object }) => {
    if (kind !== 'jobs.batch' || type !== 'ADDED' || purposeOf(object as Job) !== 'FinalBackup') return undefined;
    const [writer] = writing(cluster);
    if (writer) beside.set(cluster, `${object.metadata.name} was made beside ${writer.metadata.name}`);
    return undefined;
  },
  afterRequest: (cluster, { user }) => {
    const message = beside.get(cluster);
    beside.delete(cluster);
    return goesOn(cluster, user) ? undefined : message;
  },
};

const backup = { job: { command: ['backup'] }, onDelete: 'Required' } as const;
const isGone = (cluster: TestCluster): boolean => storeNow(cluster) === undefined && images(cluster).length === 0;

/** The cluster is deleted while the Job before an upgrade writes: that ends, and the final backup begins after it. */
export const amidMigration: Searched = {
  ...searched({
    name: 'a deletion while the Job before an upgrade is at work',
    setUp: setUp({
      replicas: 2,
      backup,
      upgrade: { ...patient, beforeFirstPod: { command: ['linger'], deadline: '6h' } },
    }),
    drive: async (cluster, until) => {
      await until(() => allRun(cluster, '1.0'));
      await change(cluster, { version: '2.0' });
      // Where a restored etcd has lost that the cluster was complete, there is no upgrade, and no Job.
      const isFirst = () => cluster.restores.length > 0 && allRun(cluster, '2.0');
      await until(() => writing(cluster).some(({ status }) => status?.phase === 'Running') || isFirst());
      await pass(cluster, until, 60_000);
      await resource(cluster).delete('orders');
    },
    isDone: isGone,
    leaks: claimsLeft,
    actions: tidying,
  }),
  oracles: [...kvStoreInvariants, backedUpAlone],
};

/** A reduction by hand would wait for its Job forever. */
const { 'scale the StatefulSet to five': _growth, ...tidyingWithin } = tidying;

/** The cluster is deleted while a canary waits to be promoted and a reduction waits for its Job, which writes. */
export const amidCanary: Searched = {
  ...searched({
    name: 'a deletion while a canary waits, and the Job before a reduction is at work',
    setUp: setUp({
      backup,
      upgradeStrategy: 'Canary',
      canary: { promotion: 'Manual' },
      scaleDown: { before: { command: ['linger'], deadline: '6h' } },
    }),
    drive: async (cluster, until) => {
      await until(() => allRun(cluster, '1.0'));
      await change(cluster, { version: '2.0' });
      await until(() => storeNow(cluster)?.status?.upgrade?.step === 'AwaitingPromotion');
      await change(cluster, { replicas: 2 });
      await until(() => writing(cluster).some(({ status }) => status?.phase === 'Running'));
      await pass(cluster, until, 60_000);
      await resource(cluster).delete('orders');
    },
    isDone: isGone,
    leaks: claimsLeft,
    actions: tidyingWithin,
  }),
  oracles: [...kvStoreInvariants, backedUpAlone],
};
