import { services, statefulSets } from '@ordinal/client';
import { cacheSelector } from '@ordinal/constructs';
import type { Scenario } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { bystandersAreLeftAlone, putBystander } from '../../../libs/reconcilers/test/world/bystander.ts';
import { everyFault, everyFaultBut } from '../faults/faults.ts';
import { pass } from '../faults/pass.ts';
import { wasRestored } from '../../../libs/reconcilers/test/world/restored.ts';
import type { Searched } from '../engine/searched.ts';
import { giveNameBack, takeName, takenLimitMs } from '../faults/taken-name.ts';
import {
  cache,
  cacheNow,
  caches,
  change,
  images,
  installImages,
  isSettled,
  members,
  said,
  setNow,
} from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { askedAgain } from './asked-again.ts';
import { bypassed } from './bypassed.ts';
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
import { reduced } from './reduced.ts';
import { refused } from './refused.ts';
import { scaledByHand, scaledPastGates } from './scaled-by-hand.ts';
import { remote } from './remote.ts';
import { leaderLast } from './leadership.ts';
import { succession, thirdIsDeleted } from './succession.ts';
import { silent } from './silent.ts';
import { vacant } from './vacant.ts';
import { common, loseSet, meddling, podTemplate, rollbackFailed, untilAllRun, untilRunning } from './scenario.ts';
import { allRun, failed, rolledBack } from '../../../libs/reconcilers/test/clustered-cache/upgrade-states.ts';

export { bypassed, canaried, drained, held, hooked, jobGated, leaderLast, lone, refused, succession, thirdIsDeleted };

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
      const labels = { app: 'sessions', ...cacheSelector('sessions') };
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
  livesVary: ['clock'],
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
      await until(() => rolledBack(cluster, 'cache:1') || rollbackFailed(cluster));
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
  livesVary: ['clock'],
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
  livesVary: ['clock'],
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
  livesVary: ['clock', 'timeTravel', 'stale', 'twoLeaders'],
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

const childrenLeft = (cluster: TestCluster): string[] =>
  ['services', 'poddisruptionbudgets.policy', 'jobs.batch'].flatMap((kind) =>
    cluster.server.store
      .snapshot(kind)
      .filter(([, { metadata }]) => metadata.ownerReferences)
      .map(([key]) => `${kind} ${key}`),
  );

/** What users and others may take away while a cache is being deleted. */
const tidying: NonNullable<Scenario['actions']> = {
  'delete the StatefulSet, with its pods': async (cluster) => {
    if (setNow(cluster)) await cluster.client()(statefulSets).namespace('default').delete('sessions', {});
  },
  'delete the Services': async (cluster) => {
    for (const { metadata } of cluster.objects.list(services, 'default'))
      await cluster.client()(services).namespace('default').delete(metadata.name);
  },
  'take the finalizers off the cache that is being deleted': async (cluster) => {
    if (cacheNow(cluster)?.metadata.deletionTimestamp !== undefined)
      await caches(cluster).patch('sessions', { type: 'merge', body: { metadata: { finalizers: null } } });
  },
};

/** The cache is deleted while a member is held before a closed gate, when its spec has become invalid. */
export const deletion: Searched = {
  oracles: cacheInvariants,
  faults: everyFault,
  scenario: {
    ...common,
    name: 'a deletion in the middle of an upgrade',
    setUp: async (cluster) => {
      installImages(cluster);
      await caches(cluster).create(cache({ podTemplate, image: 'cache:stubborn' }));
    },
    drive: async (cluster, until) => {
      // After an older version the template is another one, and its upgrade never gets through this image's gate.
      await until(() => allRun(cluster, 'cache:stubborn') || failed(cluster));
      await change(cluster, { image: 'cache:2' });
      // Where a user has deleted all members the upgrade is over before a gate is asked.
      const isOver = (): boolean => failed(cluster) || allRun(cluster, 'cache:2');
      await until(() => cacheNow(cluster)?.status?.upgrade?.step === 'AwaitingGate' || isOver());
      await change(cluster, { image: 'not an image' });
      await until(() => said(cluster, 'Degraded') === 'True InvalidSpec');
      await caches(cluster).delete('sessions');
    },
    isDone: (cluster) =>
      cacheNow(cluster) === undefined && members(cluster).length === 0 && setNow(cluster) === undefined,
    leaks: childrenLeft,
    actions: tidying,
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
];
