import type { Pod } from '@ordinal/client';
import { pods, statefulSets } from '@ordinal/client';
import type { TestCluster } from '@ordinal/simulator';
import { pausedAnnotation } from '../../../libs/reconcilers/src/annotations.ts';
import { preTerminateHook } from '../../../libs/reconcilers/src/clustered-cache/names.ts';
import { everyFault } from '../faults/faults.ts';
import type { Searched } from '../engine/searched.ts';
import {
  cache,
  caches,
  change,
  isReady,
  members,
  setNow,
} from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { closeGate, installGatedImages, openGate } from './gate.ts';
import { cacheInvariants } from './invariants.ts';
import { common, podTemplate, untilAllRun, untilRunning } from './scenario.ts';
import { allRun, failed } from '../../../libs/reconcilers/test/clustered-cache/upgrade-states.ts';

const heldIn = (cluster: TestCluster): Pod | undefined =>
  members(cluster).find(({ metadata }) => metadata.finalizers?.includes(preTerminateHook));

const isBack = (cluster: TestCluster, { metadata: { name, uid } }: Pod): boolean =>
  members(cluster).some((pod) => pod.metadata.name === name && pod.metadata.uid !== uid && isReady(pod));

const pause = (cluster: TestCluster, value: 'true' | null) =>
  caches(cluster).patch('sessions', {
    type: 'merge',
    body: { metadata: { annotations: { [pausedAnnotation]: value } } },
  });

type Until = (condition: () => boolean) => Promise<void>;

/** While the operator is paused, a user deletes the member that it holds: it goes, and comes back. */
async function loseHeld(cluster: TestCluster, until: Until): Promise<void> {
  const pod = heldIn(cluster);
  if (!pod) return;
  await pause(cluster, 'true');
  const { name } = pod.metadata;
  if (members(cluster).some(({ metadata }) => metadata.uid === pod.metadata.uid))
    await cluster.client()(pods).namespace('default').delete(name);
  await until(() => isBack(cluster, pod));
  await pause(cluster, null);
}

/** A label of members that a user has taken out of their set. */
const takenOut = { app: 'debugged' };

/**
 * A user takes the held member out of its set, to look into it, and deletes it when it is released. It is known by its label: where a restore of etcd has
 * taken that back, the user may take out the next pod of this name when they ask again.
 */
async function takeOutHeld(cluster: TestCluster, until: Until): Promise<void> {
  const pod = heldIn(cluster);
  if (!pod) return;
  const { name } = pod.metadata;
  const client = cluster.client()(pods).namespace('default');
  await client.patch(name, { type: 'merge', body: { metadata: { labels: takenOut } } });
  const left = (): Pod | undefined => {
    const found = cluster.objects.find(pods, 'default', name);
    return found?.metadata.labels?.['app'] === takenOut.app ? found : undefined;
  };
  await until(() => !left()?.metadata.finalizers?.includes(preTerminateHook));
  if (left()) await client.delete(name);
  await until(() => isBack(cluster, pod));
}

/**
 * A member is held before a closed gate: it is deleted while the cache is paused, the next one is taken out by its labels, and then the StatefulSet is deleted with
 * all its pods.
 */
export const held: Searched = {
  oracles: cacheInvariants,
  faults: everyFault,
  scenario: {
    ...common,
    maxVirtualMs: 7_200_000,
    name: 'an upgrade that is held, while its members are lost',
    setUp: async (cluster) => {
      installGatedImages(cluster);
      await caches(cluster).create(cache({ podTemplate }));
    },
    drive: async (cluster, until) => {
      await untilRunning(cluster, 'cache:1', until);
      // Not before: members that an older operator has made are replaced first.
      closeGate(cluster);
      await change(cluster, { image: 'cache:2' });
      await until(() => heldIn(cluster) !== undefined || failed(cluster));
      await loseHeld(cluster, until);
      await until(() => heldIn(cluster) !== undefined || failed(cluster) || allRun(cluster, 'cache:2'));
      await takeOutHeld(cluster, until);
      await until(() => heldIn(cluster) !== undefined || failed(cluster) || allRun(cluster, 'cache:2'));
      if (setNow(cluster))
        await cluster
          .client()(statefulSets)
          .namespace('default')
          .delete('sessions', { propagationPolicy: 'Background' });
      await untilAllRun(cluster, 'cache:2', async (condition) => {
        const from = cluster.clock.now();
        await until(() => condition() || cluster.clock.now() >= from + 120_000);
        openGate(cluster);
        await until(condition);
      });
    },
    isDone: (cluster) => allRun(cluster, 'cache:2'),
  },
};
