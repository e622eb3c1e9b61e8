import { cacheSelector } from '@ordinal/constructs';
import type { TestCluster } from '@ordinal/simulator';
import { bystandersAreLeftAlone, putBystander } from '../../../libs/reconcilers/test/world/bystander.ts';
import { everyFault, everyFaultBut } from '../faults/faults.ts';
import { pass } from '../faults/pass.ts';
import { wasRestored } from '../../../libs/reconcilers/test/world/restored.ts';
import type { Searched } from '../engine/searched.ts';
import {
  cache,
  caches,
  change,
  images,
  installImages,
  said,
} from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { adopted } from './adopted.ts';
import { askedAgain } from './asked-again.ts';
import { bypassed } from './bypassed.ts';
import { deletion } from './deleted.ts';
import { drained } from './drained.ts';
import { followersOnly } from './followers.ts';
import { forged } from './forged.ts';
import { canaried } from './canaried.ts';
import { closeGate, installGatedImages, isGateClosed, openGate } from './gate.ts';
import { goingBack } from './going-back.ts';
import { guarded } from './guards.ts';
import { held } from './held.ts';
import { cacheInvariants, gateIsKept } from './invariants.ts';
import { hooked } from './hooked.ts';
import { jobGated } from './job-gated.ts';
import { lone } from './lone.ts';
import { lostAfterFailure } from './lost-after-failure.ts';
import { overtaken } from './overtaken.ts';
import { reduced } from './reduced.ts';
import { refused } from './refused.ts';
import { scale, scaledUpgrade } from './scaled.ts';
import { scaledByHand, scaledPastGates } from './scaled-by-hand.ts';
import { remote } from './remote.ts';
import { leaderLast } from './leadership.ts';
import { succession, thirdIsDeleted } from './succession.ts';
import { several, severalFailing, severalResized } from './several.ts';
import { silent } from './silent.ts';
import { vacant } from './vacant.ts';
import { common, loseSet, meddling, podTemplate, rollbackFailed, untilAllRun, untilRunning } from './scenario.ts';
import { allRun, failed, rolledBack } from '../../../libs/reconcilers/test/clustered-cache/upgrade-states.ts';

export {
  bypassed,
  canaried,
  deletion,
  drained,
  held,
  hooked,
  jobGated,
  leaderLast,
  lone,
  refused,
  scale,
  scaledUpgrade,
  succession,
  thirdIsDeleted,
};

/** Three members come up, and are upgraded, beside a pod that looks like one of them. */
export const upgrade: Searched = {
  oracles: [...cacheInvariants, bystandersAreLeftAlone('sessions-9')],
  faults: everyFault,
  scenario: {
    ...common,
    // One that gets on only by its deadline, member after member, has gone wrong (S0.2).
    maxVirtualMs: 1_800_000,
    name: 'an upgrade of three members',
    setUp: async (cluster) => {
      installGatedImages(cluster);
      // The gate that a cache has by default is not asked.
      closeGate(cluster);
      const labels = { app: 'sessions', ...cacheSelector({ name: 'sessions' }) };
      await putBystander(cluster, { name: 'sessions-9', labels, isControlled: true });
      await caches(cluster).create(cache({ podTemplate, upgrade: { gates: [] } }));
    },
    drive: async (cluster, until) => {
      await untilRunning(cluster, 'cache:1', until);
      await change(cluster, { image: 'cache:2' });
      await untilAllRun(cluster, 'cache:2', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:2'),
    actions: meddling,
  },
};

/** A gate is closed for five minutes; no member may go down before. */
export const closedGate: Searched = {
  oracles: [...cacheInvariants, gateIsKept(isGateClosed)],
  // These take members down by themselves, whatever the gate says.
  faults: everyFaultBut('pod', 'node', 'oldVersion'),
  scenario: {
    ...common,
    name: 'an upgrade whose gate opens late',
    setUp: async (cluster) => {
      installGatedImages(cluster);
      closeGate(cluster);
      await caches(cluster).create(cache({ podTemplate }));
    },
    drive: async (cluster, until) => {
      await untilRunning(cluster, 'cache:1', until);
      await change(cluster, { image: 'cache:2' });
      const from = cluster.clock.now();
      await until(() => cluster.clock.now() >= from + 300_000);
      openGate(cluster);
      await untilAllRun(cluster, 'cache:2', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:2'),
  },
};

/** Failures are to stop from now on, and whatever asked for a retry is forgotten: neither asks for what has failed. */
async function changeItsMind(cluster: TestCluster, until: (isTrue: () => boolean) => Promise<void>): Promise<void> {
  await change(cluster, { upgrade: { onFailure: 'Stop' } });
  const annotations = { 'ordinal.dev/retry': null };
  await caches(cluster).patch('sessions', { type: 'merge', body: { metadata: { annotations } } });
  await pass(cluster, until, 120_000);
  await change(cluster, { upgrade: { onFailure: 'Rollback' } });
}

/** An upgrade to an image that never gets ready is rolled back, and stays so whatever becomes of `onFailure`; then another one works. A third is replaced in the middle by one that fails: it goes back to what all ran, and stays there when the StatefulSet is lost. */
export const rollback: Searched = {
  oracles: cacheInvariants,
  faults: everyFault,
  scenario: {
    ...common,
    name: 'an upgrade that fails, is rolled back, and is followed by another',
    setUp: async (cluster) => {
      installImages(cluster);
      await caches(cluster).create(cache({ podTemplate, upgrade: { onFailure: 'Rollback', progressDeadline: '5m' } }));
    },
    drive: async (cluster, until) => {
      await untilRunning(cluster, 'cache:1', until);
      await change(cluster, { image: 'cache:broken' });
      // Where a restored etcd has lost that the cache was complete, the broken one is the first, and there is nothing to go back to.
      const isFirst = (): boolean => wasRestored(cluster) && images(cluster).every((image) => image === 'cache:broken');
      await until(() => rolledBack(cluster, 'cache:1') || rollbackFailed(cluster) || isFirst());
      await changeItsMind(cluster, until);
      await change(cluster, { image: 'cache:2' });
      await untilAllRun(cluster, 'cache:2', until);
      // Where a restore of etcd has taken back that the broken one is asked for, the third may have come to its end: it is what comes back then.
      const isBack = (): boolean =>
        rolledBack(cluster, 'cache:2') ||
        (wasRestored(cluster) && rolledBack(cluster, 'cache:3')) ||
        rollbackFailed(cluster);
      await change(cluster, { image: 'cache:3' });
      await until(() => images(cluster).includes('cache:3') || isBack());
      // Where a clock jumps, the third has failed already.
      if (!isBack()) await change(cluster, { image: 'cache:broken' });
      await until(isBack);
      // What comes back is what ran, not what has failed.
      await loseSet(cluster, until);
      await change(cluster, { image: 'cache:2' });
      await untilAllRun(cluster, 'cache:2', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:2'),
    actions: meddling,
  },
};

/** An upgrade fails and stops, also when it could go on; the spec is changed to something that works. */
export const stop: Searched = {
  oracles: cacheInvariants,
  faults: everyFault,
  scenario: {
    ...common,
    name: 'an upgrade that fails and stops, until the spec changes',
    setUp: async (cluster) => {
      installImages(cluster);
      await caches(cluster).create(cache({ podTemplate, upgrade: { progressDeadline: '5m' } }));
    },
    drive: async (cluster, until) => {
      await untilAllRun(cluster, 'cache:1', until);
      await change(cluster, { image: 'cache:missing' });
      await until(() => said(cluster, 'Available') === 'False UpgradeFailed');
      // What blocked it is over: it stays failed all the same until a user asks for a retry.
      cluster.image('cache:missing', { startsIn: 2000, http: () => 200 });
      await pass(cluster, until, 600_000);
      await change(cluster, { image: 'cache:2' });
      await untilAllRun(cluster, 'cache:2', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:2'),
  },
};

/** The spec changes twice in the middle, the second time back to where it was. */
export const reverted: Searched = {
  oracles: cacheInvariants,
  faults: everyFault,
  scenario: {
    ...common,
    name: 'an upgrade that is changed and reverted in the middle',
    setUp: async (cluster) => {
      installImages(cluster);
      await caches(cluster).create(cache({ podTemplate }));
    },
    drive: async (cluster, until) => {
      await untilRunning(cluster, 'cache:1', until);
      await change(cluster, { image: 'cache:2' });
      await until(() => images(cluster).includes('cache:2') || failed(cluster));
      await change(cluster, { image: 'cache:broken' });
      await until(() => images(cluster).includes('cache:broken') || failed(cluster));
      await change(cluster, { image: 'cache:1' });
      await untilAllRun(cluster, 'cache:1', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:1'),
  },
};

/** Every scenario of ClusteredCache. */
export const cacheScenarios: readonly Searched[] = [
  upgrade,
  closedGate,
  rollback,
  stop,
  reverted,
  scale,
  scaledUpgrade,
  deletion,
  leaderLast,
  guarded,
  drained,
  succession,
  thirdIsDeleted,
  jobGated,
  lone,
  held,
  refused,
  vacant,
  silent,
  bypassed,
  reduced,
];

/** Those that came after the ones of KVStoreCluster: a search names a scenario by its number, and what is kept of one is of these numbers. */
export const laterCacheScenarios: readonly Searched[] = [
  goingBack,
  remote,
  askedAgain,
  forged,
  lostAfterFailure,
  followersOnly,
  scaledByHand,
  scaledPastGates,
  hooked,
  canaried,
  several,
  severalFailing,
  severalResized,
  adopted,
  overtaken,
];
