import { statefulSets } from '@ordinal/client';
import { everyFaultBut } from '../faults/faults.ts';
import { pass } from '../faults/pass.ts';
import type { Searched } from '../engine/searched.ts';
import { cache, caches, change, members, setNow } from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { closeGate, installGatedImages, isGateClosed, openGate } from './gate.ts';
import { cacheInvariants, gateIsKept } from './invariants.ts';
import { common, podTemplate, untilAllRun, untilRunning } from './scenario.ts';
import { allRun } from '../../../libs/reconcilers/test/clustered-cache/upgrade-states.ts';

/** A cache waits for its gate to become smaller; meanwhile a user deletes its StatefulSet, and leaves the pods. */
export const reduced: Searched = {
  oracles: [...cacheInvariants, gateIsKept(isGateClosed)],
  // These take members down by themselves, whatever the gate says.
  faults: everyFaultBut('pod', 'node', 'oldVersion'),
  scenario: {
    ...common,
    name: 'a reduction that waits for its gate while its StatefulSet is lost',
    setUp: async (cluster) => {
      installGatedImages(cluster);
      await caches(cluster).create(cache({ podTemplate, replicas: 4 }));
    },
    drive: async (cluster, until) => {
      await untilRunning(cluster, 'cache:1', until);
      closeGate(cluster);
      await change(cluster, { replicas: 2 });
      await pass(cluster, until, 30_000);
      await cluster.client()(statefulSets).namespace('default').delete('sessions', { propagationPolicy: 'Orphan' });
      await until(() => setNow(cluster) !== undefined);
      await pass(cluster, until, 60_000);
      openGate(cluster);
      await untilAllRun(cluster, 'cache:1', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:1') && members(cluster).length === 2,
  },
};
