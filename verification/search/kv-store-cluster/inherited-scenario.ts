import { persistentVolumeClaims } from '@ordinal/client';
import { kvStoreSelector, ownerUidLabel } from '@ordinal/constructs';
import type { TestCluster } from '@ordinal/simulator';
import { putService, servicesAreLeftAlone } from '../../../libs/reconcilers/test/world/bystander.ts';
import { hideEvents } from '../oracles/old-specs.ts';
import { pass } from '../faults/pass.ts';
import type { Searched } from '../engine/searched.ts';
import { kvStoreInvariants } from './invariants.ts';
import { storeNow } from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';
import { claimsLeft, meddling, searched, setUp } from './scenario.ts';
import { allRun, resource } from '../../../libs/reconcilers/test/kv-store-cluster/cluster-states.ts';

/** The claims of an earlier cluster of this name, which was larger. */
const earlier = ['data-orders-2', 'data-orders-3'] as const;

/** A claim that a user has copied from a member's, with its labels. */
const copy = 'copy-of-orders-0';

/** Puts claims there that look like those of a cluster with this UID. */
async function putClaims(cluster: TestCluster, names: readonly string[], uid: string): Promise<void> {
  const labels = {
    ...kvStoreSelector({ name: 'orders' }),
    'app.kubernetes.io/managed-by': 'ordinal-operator',
    [ownerUidLabel]: uid,
  };
  for (const name of names)
    await cluster
      .client()(persistentVolumeClaims)
      .namespace('default')
      .create({
        ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name, labels } },
        spec: {
          ...{ storageClassName: 'fast', accessModes: ['ReadWriteOnce'] },
          resources: { requests: { storage: '10Gi' } },
        },
      });
}

/** Who adds members by hand makes these claims the cluster's own. */
const { 'scale the StatefulSet to five': _growth, ...meddlingWithin } = meddling;

/** A cluster comes after a larger one of its name, beside a Service of another owner, and is deleted with its volumes: what is not its own stays, also a claim that a user has copied. */
export const inherited: Searched = {
  ...searched({
    name: 'a deletion with all volumes, but for those of an earlier cluster',
    setUp: async (cluster) => {
      await putService(cluster, 'orders-client');
      await setUp({ replicas: 2, deletionPolicy: 'Delete' })(cluster);
      await putClaims(cluster, earlier, 'earlier');
    },
    drive: async (cluster, until) => {
      await until(() => allRun(cluster, '1.0'));
      await putClaims(cluster, [copy], storeNow(cluster)?.metadata.uid ?? '');
      await resource(cluster).delete('orders');
    },
    isDone: (cluster) => storeNow(cluster) === undefined,
    leaks: (cluster) => {
      const left = claimsLeft(cluster);
      return [...left].sort().join() === [copy, ...earlier].join() ? [] : [`claims: ${left.join(', ')}`];
    },
    actions: meddlingWithin,
  }),
  oracles: [...kvStoreInvariants, servicesAreLeftAlone('orders-client')],
};

/** A cluster is deleted of whose volumes the operator has seen nothing yet: they go all the same. */
export const unseen = searched({
  name: 'a deletion with all volumes, none of which was seen',
  setUp: setUp({ replicas: 2, deletionPolicy: 'Delete' }),
  drive: async (cluster, until) => {
    const show = hideEvents(cluster, persistentVolumeClaims.plural);
    await until(() => allRun(cluster, '1.0'));
    await resource(cluster).delete('orders');
    await pass(cluster, until, 30_000);
    show();
  },
  isDone: (cluster) => storeNow(cluster) === undefined,
  leaks: claimsLeft,
  actions: meddling,
});
