import { pods } from '@ordinal/client';
import type { TestCluster } from '@ordinal/simulator';
import { retryAnnotation } from '../../../libs/reconcilers/src/annotations.ts';
import { everyFault } from '../faults/faults.ts';
import { pass } from '../faults/pass.ts';
import type { Searched } from '../engine/searched.ts';
import {
  cache,
  cacheNow,
  caches,
  change,
  installImages,
  isReady,
  members,
} from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { cacheInvariants } from './invariants.ts';
import { common, podTemplate, untilAllRun, untilRunning } from './scenario.ts';
import { allRun, failed } from '../../../libs/reconcilers/test/clustered-cache/upgrade-states.ts';

/** A member is lost, as with its node: another one comes in its place. */
async function lose(
  cluster: TestCluster,
  name: string,
  until: (condition: () => boolean) => Promise<void>,
): Promise<void> {
  const before = members(cluster).find(({ metadata }) => metadata.name === name)?.metadata.uid;
  if (before !== undefined) await cluster.client()(pods).namespace('default').delete(name);
  await until(() => members(cluster).some((pod) => pod.metadata.name === name && pod.metadata.uid !== before));
}

/** An upgrade to an image that can't be pulled fails and stops; healthy members and the failed one are lost after it, and come back as what ran. It is tried again, fails again, and is corrected. */
export const lostAfterFailure: Searched = {
  oracles: cacheInvariants,
  faults: everyFault,
  scenario: {
    ...common,
    maxVirtualMs: 10_800_000,
    name: 'members that are lost when an upgrade has failed and stopped',
    setUp: async (cluster) => {
      installImages(cluster);
      await caches(cluster).create(cache({ podTemplate, upgrade: { progressDeadline: '5m' } }));
    },
    drive: async (cluster, until) => {
      await untilAllRun(cluster, 'cache:1', until);
      await change(cluster, { image: 'cache:missing' });
      await until(() => failed(cluster));
      await pass(cluster, until, 360_000);
      for (const name of ['sessions-0', 'sessions-1', 'sessions-2']) await lose(cluster, name, until);
      await until(() => members(cluster).filter(isReady).length === 3 || !failed(cluster));
      const annotations = { [retryAnnotation]: 'once more' };
      await caches(cluster).patch('sessions', { type: 'merge', body: { metadata: { annotations } } });
      const asked = cluster.clock.now();
      const hasFailedAgain = (): boolean => failed(cluster) && cacheNow(cluster)?.status?.retryToken === 'once more';
      await until(() => hasFailedAgain() || cluster.clock.now() >= asked + 1_200_000);
      await pass(cluster, until, 360_000);
      await lose(cluster, 'sessions-1', until);
      await change(cluster, { image: 'cache:2' });
      await untilRunning(cluster, 'cache:2', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:2'),
  },
};
