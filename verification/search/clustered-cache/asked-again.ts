import { everyFault } from '../faults/faults.ts';
import { pass } from '../faults/pass.ts';
import type { Searched } from '../engine/searched.ts';
import { cache, caches, change } from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { closeGate, installGatedImages, openGate } from './gate.ts';
import { cacheInvariants } from './invariants.ts';
import { common, podTemplate, untilAllRun, untilRunning } from './scenario.ts';
import { allRun, failed } from '../../../libs/reconcilers/test/clustered-cache/upgrade-states.ts';

/** An upgrade fails at a gate and stops. When all is quiet, a user asks for a retry, and only the annotation shows that (S0.21). */
export const askedAgain: Searched = {
  oracles: cacheInvariants,
  faults: everyFault,
  scenario: {
    ...common,
    name: 'an upgrade that fails at a gate, and is asked for again when all is quiet',
    setUp: async (cluster) => {
      installGatedImages(cluster);
      await caches(cluster).create(cache({ podTemplate, upgrade: { progressDeadline: '5m', onFailure: 'Stop' } }));
    },
    drive: async (cluster, until) => {
      await untilRunning(cluster, 'cache:1', until);
      closeGate(cluster);
      await change(cluster, { image: 'cache:2' });
      await until(() => failed(cluster) || allRun(cluster, 'cache:2'));
      openGate(cluster);
      await pass(cluster, until, 600_000);
      await untilAllRun(cluster, 'cache:2', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:2'),
  },
};
