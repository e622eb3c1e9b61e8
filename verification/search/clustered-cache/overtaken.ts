import { pods } from '@ordinal/client';
import { everyFault } from '../faults/faults.ts';
import { pass } from '../faults/pass.ts';
import type { Searched } from '../engine/searched.ts';
import {
  cache,
  caches,
  change,
  images,
  installImages,
} from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { allRun } from '../../../libs/reconcilers/test/clustered-cache/upgrade-states.ts';
import { cacheInvariants } from './invariants.ts';
import { common, meddling, podTemplate, untilAllRun, untilRunning } from './scenario.ts';

const migrate = 'example.com/migrate:1';

/** A third version, before which a Job comes, is asked for while the second is half done and paused, and a member that runs the second is deleted: there is no Job yet, and it comes back as what it ran. */
export const overtaken: Searched = {
  oracles: cacheInvariants,
  faults: everyFault,
  scenario: {
    ...common,
    name: 'an upgrade that is paused in the middle, and that another version with a Job overtakes',
    setUp: async (cluster) => {
      installImages(cluster);
      cluster.image(migrate, { startsIn: 1000, run: () => 0 });
      await caches(cluster).create(cache({ podTemplate }));
    },
    drive: async (cluster, until) => {
      await untilRunning(cluster, 'cache:1', until);
      await change(cluster, { image: 'cache:2' });
      await until(() => images(cluster).includes('cache:2'));
      await change(cluster, { upgrade: { paused: true } });
      await pass(cluster, until, 30_000);
      const beforeFirstPod = { image: migrate, command: ['migrate'] };
      await change(cluster, { image: 'cache:3', upgrade: { beforeFirstPod } });
      await pass(cluster, until, 30_000);
      if (cluster.objects.find(pods, 'default', 'sessions-2'))
        await cluster.client()(pods).namespace('default').delete('sessions-2');
      await pass(cluster, until, 60_000);
      await change(cluster, { upgrade: { paused: false } });
      await untilAllRun(cluster, 'cache:3', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:3') && images(cluster).length === 3,
    actions: meddling,
  },
};
