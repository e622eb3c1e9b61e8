import { everyFault } from '../faults/faults.ts';
import type { Searched } from '../engine/searched.ts';
import { giveNameBack, takeName, takenLimitMs } from '../faults/taken-name.ts';
import {
  cache,
  caches,
  change,
  images,
  installImages,
  isSettled,
  members,
} from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { cacheInvariants } from './invariants.ts';
import { common, meddling, podTemplate, untilAllRun, untilRunning } from './scenario.ts';
import { allRun, failed } from '../../../libs/reconcilers/test/clustered-cache/upgrade-states.ts';

/** The name is taken for a while; then the cache grows and shrinks again. */
export const scale: Searched = {
  oracles: cacheInvariants,
  faults: everyFault,
  scenario: {
    ...common,
    maxVirtualMs: takenLimitMs,
    name: 'growth and shrinkage',
    setUp: async (cluster) => {
      installImages(cluster);
      await takeName(cluster, 'sessions');
      await caches(cluster).create(cache({ podTemplate, replicas: 2 }));
    },
    drive: async (cluster, until) => {
      await giveNameBack(cluster, until, 'sessions');
      await untilRunning(cluster, 'cache:1', until);
      await change(cluster, { replicas: 4 });
      await untilRunning(cluster, 'cache:1', until);
      await change(cluster, { replicas: 1 });
      await untilAllRun(cluster, 'cache:1', until);
    },
    isDone: (cluster) => isSettled(cluster) && members(cluster).length === 1,
    actions: meddling,
  },
};

/** The cache grows, and shrinks further than it was, while its members are replaced. */
export const scaledUpgrade: Searched = {
  oracles: cacheInvariants,
  faults: everyFault,
  // Where the StatefulSet is seen as it was, with the template and the size of then, a member that has left for good comes once more, and leaves again.
  livesVary: ['timeTravel', 'stale', 'twoLeaders'],
  scenario: {
    ...common,
    name: 'an upgrade during which the cache is scaled',
    setUp: async (cluster) => {
      installImages(cluster);
      await caches(cluster).create(cache({ podTemplate }));
    },
    drive: async (cluster, until) => {
      await untilRunning(cluster, 'cache:1', until);
      await change(cluster, { image: 'cache:2' });
      await until(() => images(cluster).includes('cache:2') || failed(cluster));
      await change(cluster, { replicas: 4 });
      await until(() => images(cluster).length === 4 || failed(cluster));
      await change(cluster, { replicas: 2 });
      await untilAllRun(cluster, 'cache:2', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:2') && members(cluster).length === 2,
  },
};
