import { kvStoreClusters } from '@ordinal/api';
import type { TestCluster } from '@ordinal/simulator';
import { asksFor, restartInThePast } from '../oracles/old-specs.ts';
import { pass } from '../faults/pass.ts';
import type { Searched } from '../engine/searched.ts';
import { membersAreHeld } from './held-members.ts';
import { kvStoreInvariants } from './invariants.ts';
import { images, storeNow } from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';
import { meddling, patient, searched, setUp } from './scenario.ts';
import { allRun, change } from '../../../libs/reconcilers/test/kv-store-cluster/cluster-states.ts';

const isPaused = (cluster: TestCluster): boolean => storeNow(cluster)?.status?.upgrade?.step === 'Paused';

const pausesHold = membersAreHeld(
  'a paused upgrade replaces no member (S0.3)',
  ({ spec, status }) => spec.upgrade?.paused === true && status?.upgrade?.step === 'Paused',
);

/** A rolling update is paused in the middle; the next one shrinks the cluster as well, and the operator restarts with a view of before. The size of the volumes is written in a form that no API server stores. */
export const paused: Searched = {
  ...searched({
    name: 'a rolling update that is paused, and one of which an old spec is seen',
    setUp: setUp({ storage: { className: 'fast', size: '10240Mi' } }),
    drive: async (cluster, until) => {
      await until(() => allRun(cluster, '1.0'));
      await change(cluster, { version: '2.0' });
      await until(() => images(cluster).includes('2.0'));
      await change(cluster, { upgrade: { ...patient, paused: true } });
      await until(() => isPaused(cluster) || allRun(cluster, '2.0'));
      await pass(cluster, until, 60_000);
      await change(cluster, { upgrade: { ...patient, paused: false } });
      await until(() => allRun(cluster, '2.0'));
      const at = cluster.clock.now();
      await pass(cluster, until, 1000);
      await change(cluster, { version: '3.0', replicas: 2 });
      await until(() => asksFor(cluster, 'orders', 'my-repo/kvstore:3.0'));
      await pass(cluster, until, 15_000);
      await restartInThePast(cluster, until, { plural: kvStoreClusters.plural, at });
    },
    isDone: (cluster) => allRun(cluster, '3.0') && images(cluster).length === 2,
    actions: meddling,
  }),
  oracles: [...kvStoreInvariants, pausesHold],
};
