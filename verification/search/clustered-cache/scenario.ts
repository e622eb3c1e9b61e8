import type { Pod } from '@ordinal/client';
import { pods, statefulSets } from '@ordinal/client';
import type { Scenario } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { failsUpgrade } from '../oracles/failed-upgrades.ts';
import {
  cacheCluster,
  cacheNow,
  cacheOperator,
  caches,
  isReady,
  members,
  olderCacheOperator,
  said,
  setNow,
} from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { allRun, failed } from '../../../libs/reconcilers/test/clustered-cache/upgrade-states.ts';

/** The way back has met its own deadline, as it does where a clock is set forward or a node is lost for longer: then the user goes on as well. */
export function rollbackFailed(cluster: TestCluster): boolean {
  const { upgrade, failedRevision } = cacheNow(cluster)?.status ?? {};
  return upgrade?.step === 'Failed' && failedRevision !== undefined && upgrade.revision !== failedRevision;
}

/** An upgrade has failed, and there is nothing to go back to: etcd was restored, and this version was asked for before all members ran the one before it. */
export const nothingToGoBackTo = (cluster: TestCluster): boolean =>
  failed(cluster) && cacheNow(cluster)?.status?.currentVersion === undefined;

/** An upgrade to what the spec asks for now has failed, whether it stands there or went back. */
const hasGoneWrong = (cluster: TestCluster): boolean =>
  cacheNow(cluster)?.status?.observedGeneration === cacheNow(cluster)?.metadata.generation &&
  (failed(cluster) || said(cluster, 'Available') === 'True RolledBack');

/** Waits until all run the image for once. A user whose upgrade fails under the faults asks for it again: of the template too, after an older version. */
export async function untilRunning(
  cluster: TestCluster,
  image: string,
  until: (condition: () => boolean) => Promise<void>,
): Promise<void> {
  for (let attempt = 1; !allRun(cluster, image); attempt += 1) {
    await until(() => allRun(cluster, image) || hasGoneWrong(cluster));
    if (allRun(cluster, image)) return;
    const annotations = { 'ordinal.dev/retry': `${cluster.clock.now()} ${attempt}` };
    await caches(cluster).patch('sessions', { type: 'merge', body: { metadata: { annotations } } });
    // It may have failed again before anybody looked.
    const asked = cluster.clock.now();
    await until(() => !hasGoneWrong(cluster) || cluster.clock.now() >= asked + 60_000);
  }
}

/** How long a user looks on when all run the image, in milliseconds: longer than an older version of the operator runs, after which the newer one upgrades once more. */
const looksOnMs = 150_000;

/** Waits until all run the image, and go on to. */
export async function untilAllRun(
  cluster: TestCluster,
  image: string,
  until: (condition: () => boolean) => Promise<void>,
): Promise<void> {
  do {
    await untilRunning(cluster, image, until);
    const seen = cluster.clock.now();
    await until(() => hasGoneWrong(cluster) || cluster.clock.now() >= seen + looksOnMs);
  } while (!allRun(cluster, image));
}

/** Where a history is, for counting how many states faults have met. */
function stateOf(cluster: TestCluster): string {
  const step = cacheNow(cluster)?.status?.upgrade?.step ?? '-';
  const each = members(cluster).map((pod) => {
    const { deletionTimestamp, finalizers = [], name } = pod.metadata;
    const image = pod.spec.containers[0]?.image ?? '';
    return `${name.slice(-1)}${image.slice(image.indexOf(':'))}${isReady(pod) ? '+' : '-'}${deletionTimestamp === undefined ? '' : 'x'}${finalizers.length > 0 ? 'h' : ''}`;
  });
  return `${step} ${setNow(cluster)?.spec.replicas ?? '-'} ${each.join(' ')}`;
}

/** What every scenario begins with. */
export const common = {
  cluster: cacheCluster,
  operator: cacheOperator(),
  olderVersion: olderCacheOperator,
  stateOf,
  givesUp: failsUpgrade,
  maxVirtualMs: 3_600_000,
} as const;

/** A field that the older operator does not know: it wants other members. */
export const podTemplate = { metadata: { annotations: { team: 'web' } } } as const;

/** What users may do to a member at any time without changing where it all ends. */
export const meddling: NonNullable<Scenario['actions']> = {
  'take the finalizers off all members': async (cluster) => {
    const client = cluster.client()(pods).namespace('default');
    for (const { metadata } of members(cluster)) {
      if (metadata.finalizers)
        await client.patch(metadata.name, { type: 'merge', body: { metadata: { finalizers: null } } });
    }
  },
  'scale the StatefulSet to one': async (cluster) => {
    if (!setNow(cluster)) return;
    await cluster
      .client()(statefulSets)
      .namespace('default')
      .patch('sessions', { type: 'merge', body: { spec: { replicas: 1 } } });
  },
  'set the image of the StatefulSet to one that does not work': async (cluster) => {
    if (!setNow(cluster)) return;
    const body = { spec: { template: { spec: { containers: [{ name: 'cache', image: 'cache:broken' }] } } } };
    await cluster.client()(statefulSets).namespace('default').patch('sessions', { type: 'strategic', body });
  },
  'delete the StatefulSet, and leave its pods': async (cluster) => {
    if (!setNow(cluster)) return;
    await cluster.client()(statefulSets).namespace('default').delete('sessions', { propagationPolicy: 'Orphan' });
  },
};

/** A user deletes the StatefulSet with its pods: others serve in their place after a while. */
export async function loseSet(cluster: TestCluster, until: (condition: () => boolean) => Promise<void>): Promise<void> {
  const before = new Set(members(cluster).map(({ metadata }) => metadata.uid));
  const options = { propagationPolicy: 'Background' } as const;
  if (setNow(cluster)) await cluster.client()(statefulSets).namespace('default').delete('sessions', options);
  const isNew = (pod: Pod): boolean => isReady(pod) && !before.has(pod.metadata.uid);
  await until(() => members(cluster).filter(isNew).length === 3);
}
