import { persistentVolumeClaims, pods, statefulSets } from '@ordinal/client';
import type { Scenario } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { resource } from '../../../libs/reconcilers/test/kv-store-cluster/cluster-states.ts';
import { everyFault } from '../faults/faults.ts';
import type { Searched } from '../engine/searched.ts';
import { claimsMadeTooLate } from '../oracles/two-leaders.ts';
import { kvStoreInvariants } from './invariants.ts';
import {
  images,
  installImages,
  kvStoreCluster,
  kvStoreOperator,
  olderKVStoreOperator,
  store,
  storeNow,
} from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';

/** An upgrade has failed, and all three members run the version. */
export const rolledBack = (cluster: TestCluster, version: string): boolean =>
  storeNow(cluster)?.status?.phase === 'Failed' &&
  storeNow(cluster)?.status?.readyReplicas === 3 &&
  images(cluster).length === 3 &&
  images(cluster).every((image) => image === version);

/** The claims that exist. */
export const claims = (cluster: TestCluster): readonly string[] =>
  cluster.objects.list(persistentVolumeClaims).map(({ metadata }) => metadata.name);

/** The claims that a deletion with all volumes has left behind; not those that came after it, from a leader that was deposed. */
export function claimsLeft(cluster: TestCluster): readonly string[] {
  const late = claimsMadeTooLate(cluster, 'kvstoreclusters default/orders');
  return claims(cluster).filter((name) => !late.has(name));
}

/** The backup of this name is the last one that was made. */
export const backedUp = (cluster: TestCluster, name: string): boolean =>
  storeNow(cluster)?.status?.lastBackup?.name === name;

/** What is missing of the claims of this many members. A user who scales the StatefulSet by hand makes more of them; those stay too. */
export function lostClaims(cluster: TestCluster, members: number): readonly string[] {
  const present = claims(cluster);
  const wanted = [...Array(members).keys()].map((ordinal) => `data-orders-${ordinal}`);
  return wanted.every((name) => present.includes(name)) ? [] : [`claims: ${present.join(', ')}`];
}

/** Where a history is, for counting how many states faults have met. */
function stateOf(cluster: TestCluster): string {
  const status = storeNow(cluster)?.status;
  const each = cluster.objects
    .list(pods)
    .map(
      ({ metadata, spec, status: pod }) =>
        `${metadata.name}${spec.containers[0]?.image ?? ''}${pod?.phase ?? ''}${metadata.deletionTimestamp === undefined ? '' : 'x'}`,
    );
  const set = cluster.objects.list(statefulSets).find(({ metadata }) => metadata.name === 'orders')?.spec;
  return [
    status?.phase,
    status?.upgrade?.step,
    set?.replicas,
    set?.updateStrategy?.rollingUpdate?.partition,
    ...each,
  ].join(' ');
}

const common = {
  cluster: kvStoreCluster,
  operator: kvStoreOperator,
  olderVersion: olderKVStoreOperator,
  stateOf,
} as const;

/** What users may do at any time without changing where it all ends. */
export const meddling: NonNullable<Scenario['actions']> = {
  'scale the StatefulSet to five': async (cluster) => {
    if (cluster.objects.find(statefulSets, 'default', 'orders'))
      await cluster.client()(statefulSets).namespace('default').scale.update('orders', 5);
  },
  'delete the StatefulSet, and leave its pods': async (cluster) => {
    if (cluster.objects.find(statefulSets, 'default', 'orders'))
      await cluster.client()(statefulSets).namespace('default').delete('orders', { propagationPolicy: 'Orphan' });
  },
  'set the image of the StatefulSet to one that does not work': async (cluster) => {
    if (!cluster.objects.find(statefulSets, 'default', 'orders')) return;
    const containers = [{ name: 'kvstore', image: 'my-repo/kvstore:broken' }];
    const body = { spec: { template: { spec: { containers } } } };
    await cluster.client()(statefulSets).namespace('default').patch('orders', { type: 'strategic', body });
  },
  'set the partition of the StatefulSet to three': async (cluster) => {
    if (!cluster.objects.find(statefulSets, 'default', 'orders')) return;
    const body = { spec: { updateStrategy: { rollingUpdate: { partition: 3 } } } };
    await cluster.client()(statefulSets).namespace('default').patch('orders', { type: 'merge', body });
  },
};

/** A field that the older operator does not know: it wants other members. */
export const podTemplate = { metadata: { annotations: { team: 'storage' } } } as const;

/** Longer than a clock is ever set forward: where an upgrade is to succeed, a wrong clock must not make it fail. */
export const patient = { progressDeadline: '6h' } as const;

/** Installs the images, and creates a cluster. */
export const setUp =
  (spec: Parameters<typeof store>[0] = {}) =>
  async (cluster: TestCluster): Promise<void> => {
    await installImages(cluster);
    await resource(cluster).create(store({ upgrade: patient, podTemplate, ...spec }));
  };

/** A scenario of clusters, with what must hold in it. */
export const searched = (scenario: Omit<Scenario, keyof typeof common> & Pick<Scenario, 'cluster'>): Searched => ({
  oracles: kvStoreInvariants,
  faults: everyFault,
  scenario: { ...common, ...scenario },
});
