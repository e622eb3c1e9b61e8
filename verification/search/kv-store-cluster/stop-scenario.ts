import { kvStoreClusters } from '@ordinal/api';
import type { StatefulSet } from '@ordinal/client';
import { statefulSets } from '@ordinal/client';
import { templateHashAnnotation } from '@ordinal/constructs';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { pass } from '../faults/pass.ts';
import { wasRestored } from '../../../libs/reconcilers/test/world/restored.ts';
import type { Searched } from '../engine/searched.ts';
import { exposed, membersAreHeld } from './held-members.ts';
import { kvStoreInvariants } from './invariants.ts';
import { ailing, images, storeNow } from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';
import { meddling, patient, searched, setUp } from './scenario.ts';
import { allRun, annotate, change } from '../../../libs/reconcilers/test/kv-store-cluster/cluster-states.ts';

const partitionOf = (set: StatefulSet): number => set.spec.updateStrategy?.rollingUpdate?.partition ?? 0;

/** Of a history of three members, the last of which can never run what it is upgraded to: when that has failed, no StatefulSet lets another one follow that did not before. */
const noMemberFollows: Invariant = {
  name: 'no member follows an upgrade that has failed and stands (S0.8)',
  afterChange: (cluster, { kind, type, object, previous }) => {
    if (kind !== 'statefulsets.apps' || type === 'DELETED') return undefined;
    const set = object as StatefulSet; // Of this kind.
    const failed = cluster.objects.find(kvStoreClusters, 'default', 'orders')?.status?.failedRevision;
    const applied = set.spec.template.metadata?.annotations?.[templateHashAnnotation];
    const before = previous ? partitionOf(previous as StatefulSet) : Infinity;
    return failed !== undefined && applied === failed && partitionOf(set) < Math.min(2, before)
      ? `members from ${partitionOf(set)} on may run what has failed`
      : undefined;
  },
};

/** An upgrade fails and stands, whatever becomes of its StatefulSet; the spec is changed to something that works. */
export const stop: Searched = {
  livesVary: ['clock'],
  ...searched({
    name: 'an upgrade that fails and stands, until the spec changes',
    setUp: setUp({ upgrade: { onFailure: 'Stop', progressDeadline: '5m' } }),
    drive: async (cluster, until) => {
      await until(() => allRun(cluster, '1.0'));
      await change(cluster, { version: 'broken' });
      await until(() => storeNow(cluster)?.status?.phase === 'Failed');
      await pass(cluster, until, 600_000);
      await change(cluster, { version: '2.0', upgrade: patient });
    },
    isDone: (cluster) => allRun(cluster, '2.0'),
    actions: meddling,
  }),
  oracles: [...kvStoreInvariants, noMemberFollows],
};

const failuresHold = membersAreHeld(
  'an upgrade that was aborted replaces no member (S0.8)',
  ({ spec, status }) => spec.upgrade?.onFailure === 'Stop' && status?.failedRevision !== undefined,
);

/** No member may be deleted any more that has not been replaced. */
const isHeld = (cluster: TestCluster): boolean =>
  cluster.objects.find(statefulSets, 'default', 'orders') !== undefined && exposed(cluster).length === 0;

/** A user aborts an upgrade that works, in the middle: the replaced members stay, and the others do too, until the spec changes. */
export const ended: Searched = {
  ...searched({
    name: 'an upgrade that a user aborts in the middle, and that stands',
    setUp: setUp({ upgrade: { ...patient, onFailure: 'Stop' } }),
    drive: async (cluster, until) => {
      await until(() => allRun(cluster, '1.0'));
      await change(cluster, { version: '2.0' });
      await until(() => images(cluster).includes('2.0'));
      // Until it is ready, no other one is replaced.
      ailing.set(cluster, 'orders-2');
      await annotate(cluster, { 'ordinal.dev/abort': '2.0' });
      const hasEnded = (): boolean => storeNow(cluster)?.status?.phase === 'Failed' && isHeld(cluster);
      // Where etcd was restored, the member that can't become ready may be one of a cluster that begins once more: nothing has failed then.
      const isBegun = (): boolean => wasRestored(cluster) && storeNow(cluster)?.status?.phase === 'Creating';
      await until(() => hasEnded() || allRun(cluster, '2.0') || isBegun());
      ailing.delete(cluster);
      await pass(cluster, until, 120_000);
      await change(cluster, { version: '3.0' });
    },
    isDone: (cluster) => allRun(cluster, '3.0'),
    actions: meddling,
  }),
  oracles: [...kvStoreInvariants, failuresHold],
};
