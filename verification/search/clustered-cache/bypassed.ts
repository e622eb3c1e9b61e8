import type { ClusteredCache } from '@ordinal/api';
import type { Pod } from '@ordinal/client';
import { pods } from '@ordinal/client';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { preTerminateHook } from '../../../libs/reconcilers/src/clustered-cache/names.ts';
import { everyFault } from '../faults/faults.ts';
import type { Searched } from '../engine/searched.ts';
import {
  cache,
  cacheNow,
  caches,
  change,
  isReady,
  members,
} from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { Memories } from '../../../libs/reconcilers/test/world/restored.ts';
import { closeGate, installGatedImages, openGate } from './gate.ts';
import { cacheInvariants } from './invariants.ts';
import { common, podTemplate, untilAllRun, untilRunning } from './scenario.ts';
import { allRun, failed } from '../../../libs/reconcilers/test/clustered-cache/upgrade-states.ts';

/** What a user did past the gate, and what was reported, in one history. */
interface Bypasses {
  /** Names of members. A member whose finalizer the operator removed at the same time does not count. */
  readonly done: Set<string>;
  readonly reported: Set<string>;
}

const bypasses = new Memories((): Bypasses => ({ done: new Set(), reported: new Set() }));

const isReported = (cluster: TestCluster, pod: string): boolean =>
  [...bypasses.of(cluster).reported].some((message) => message.includes(pod));

const bypassesAreReported: Invariant = {
  name: 'a bypassed gate is reported (seed 000)',
  afterChange: (cluster, { kind, object }) => {
    if (kind !== 'clusteredcaches.cache.my.domain') return undefined;
    const { status } = object as ClusteredCache; // Of this kind.
    const found = status?.conditions?.find(({ type }) => type === 'GateBypassed');
    if (found?.status === 'True') bypasses.of(cluster).reported.add(found.message);
    return undefined;
  },
  afterRequest: (cluster, { verb, kind, name = '', status }) => {
    // It wanted to let the member go, had said so, and found the finalizer changed: the user was a moment earlier.
    if (verb === 'patch' && kind === 'pods' && status === 422) bypasses.of(cluster).done.delete(name);
    return undefined;
  },
  atEnd: (cluster) => [...bypasses.of(cluster).done].find((pod) => !isReported(cluster, pod)),
};

/** The member that the operator holds, and says that it does. */
function heldIn(cluster: TestCluster): Pod | undefined {
  const { held = [] } = cacheNow(cluster)?.status?.upgrade ?? {};
  return members(cluster).find(
    ({ metadata }) =>
      metadata.deletionTimestamp === undefined &&
      metadata.finalizers?.includes(preTerminateHook) &&
      held.some(({ podUID, deleting }) => podUID === metadata.uid && deleting !== true),
  );
}

type Until = (condition: () => boolean) => Promise<void>;

/** As the administrator of the seed does it. */
const release = (cluster: TestCluster, { metadata: { name } }: Pod) =>
  cluster
    .client()(pods)
    .namespace('default')
    .patch(name, { type: 'merge', body: { metadata: { finalizers: null } } });

const remove = (cluster: TestCluster, { metadata: { name, uid } }: Pod, by: { gracePeriodSeconds?: number } = {}) =>
  cluster
    .client()(pods)
    .namespace('default')
    .delete(name, { preconditions: { uid }, ...by });

/** Nothing is held, and nothing will be: the upgrade has ended, or it is paused and every member serves. */
const getsOnWithout = (cluster: TestCluster): boolean =>
  failed(cluster) ||
  allRun(cluster, 'cache:2') ||
  (cacheNow(cluster)?.status?.upgrade?.step === 'Paused' && members(cluster).every(isReady));

/** Waits until a member is held, and does this to it; nothing where the upgrade gets on without. */
async function bypass(cluster: TestCluster, until: Until, act: (pod: Pod) => Promise<unknown>): Promise<void> {
  await until(() => heldIn(cluster) !== undefined || getsOnWithout(cluster));
  const pod = heldIn(cluster);
  if (!pod) return;
  const { name, uid } = pod.metadata;
  bypasses.of(cluster).done.add(name);
  await act(pod);
  const isBack = (): boolean => members(cluster).some(({ metadata }) => metadata.name === name && metadata.uid !== uid);
  await until(
    () =>
      (isReported(cluster, name) || !bypasses.of(cluster).done.has(name)) &&
      (isBack() || members(cluster).every(isReady)),
  );
}

/** Before a closed gate, users take members down that the operator holds: by force and with their finalizer off while the upgrade is paused, and by a deletion alone. */
export const bypassed: Searched = {
  oracles: [...cacheInvariants, bypassesAreReported],
  faults: everyFault,
  scenario: {
    ...common,
    maxVirtualMs: 7_200_000,
    name: 'an upgrade whose gates users go past',
    setUp: async (cluster) => {
      installGatedImages(cluster);
      await caches(cluster).create(cache({ podTemplate }));
    },
    drive: async (cluster, until) => {
      await untilRunning(cluster, 'cache:1', until);
      // Not before: members that an older operator has made are replaced first.
      closeGate(cluster);
      await change(cluster, { image: 'cache:2' });
      await until(() => heldIn(cluster) !== undefined || failed(cluster) || allRun(cluster, 'cache:2'));
      await change(cluster, { upgrade: { paused: true } });
      await until(() => cacheNow(cluster)?.status?.upgrade?.step === 'Paused' || failed(cluster));
      await bypass(cluster, until, async (pod) => {
        await release(cluster, pod);
        await remove(cluster, pod, { gracePeriodSeconds: 0 });
      });
      await change(cluster, { upgrade: { paused: false } });
      await bypass(cluster, until, (pod) => remove(cluster, pod));
      await bypass(cluster, until, (pod) => release(cluster, pod));
      openGate(cluster);
      await untilAllRun(cluster, 'cache:2', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:2'),
  },
};
