import type { TestCluster } from '@ordinal/simulator';
import { everyFault } from '../faults/faults.ts';
import type { Searched } from '../engine/searched.ts';
import {
  cache,
  cacheNow,
  caches,
  change,
  images,
  installImages,
  members,
  setNow,
} from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { cacheInvariants } from './invariants.ts';
import { common, podTemplate, rollbackFailed, untilRunning } from './scenario.ts';
import { rolledBack } from '../../../libs/reconcilers/test/clustered-cache/upgrade-states.ts';

const failedRevision = (cluster: TestCluster): string | undefined => cacheNow(cluster)?.status?.failedRevision;

/** All four run what ran before. */
const isBack = (cluster: TestCluster): boolean => rolledBack(cluster, 'cache:1') && images(cluster).length === 4;

/** A failed upgrade goes back while the cache grows; another one, which makes it smaller as well, fails too, and the cache is deleted while that goes back. */
export const goingBack: Searched = {
  oracles: cacheInvariants,
  faults: everyFault,
  scenario: {
    ...common,
    maxVirtualMs: 7_200_000,
    name: 'growth during a rollback, and a deletion during another one',
    setUp: async (cluster) => {
      installImages(cluster);
      await caches(cluster).create(cache({ podTemplate, upgrade: { onFailure: 'Rollback', progressDeadline: '5m' } }));
    },
    drive: async (cluster, until) => {
      await untilRunning(cluster, 'cache:1', until);
      await change(cluster, { image: 'cache:broken' });
      await until(() => failedRevision(cluster) !== undefined);
      await change(cluster, { replicas: 4 });
      await until(() => isBack(cluster) || rollbackFailed(cluster));
      const before = failedRevision(cluster);
      await change(cluster, { image: 'cache:missing', replicas: 2 });
      await until(() => failedRevision(cluster) !== undefined && failedRevision(cluster) !== before);
      // The member that does not work has been replaced, and is not back yet.
      const isReplaced = (): boolean => images(cluster).length === 2 && !images(cluster).includes('cache:missing');
      await until(() => isReplaced() || rollbackFailed(cluster));
      await caches(cluster).delete('sessions');
    },
    isDone: (cluster) =>
      cacheNow(cluster) === undefined && members(cluster).length === 0 && setNow(cluster) === undefined,
  },
};
