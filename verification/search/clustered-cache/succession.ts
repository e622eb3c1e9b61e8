import type { ClusteredCache } from '@ordinal/api';
import type { Pod } from '@ordinal/client';
import { pods } from '@ordinal/client';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { everyFault } from '../faults/faults.ts';
import { Memories } from '../../../libs/reconcilers/test/world/restored.ts';
import type { Searched } from '../engine/searched.ts';
import {
  cache,
  cacheNow,
  caches,
  change,
  isReady,
  members,
} from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { cacheInvariants } from './invariants.ts';
import { common, podTemplate, untilAllRun, untilRunning } from './scenario.ts';
import { allRun, failed } from '../../../libs/reconcilers/test/clustered-cache/upgrade-states.ts';

/** How long the members take to agree on a leader when there is none, and one of them to catch up, in milliseconds; the higher its ordinal, the longer. */
const electionMs = 40_000;
const catchUpMs = 20_000;

/** What members know that do not hand over: who leads, and who has all data. */
interface Succession {
  leader: string | undefined;
  vacantSince: number;
  /** Who led until then. */
  lost: string | undefined;
  /** Until when the followers lag behind, whatever else. */
  lagUntil: number;
  /** Until when no member says who leads. */
  silentUntil: number;
  /** Since when a pod serves, by its UID. */
  readonly readySince: Map<string, number>;
}

/** What was done to the members. */
interface Deeds {
  /** The UID of the last one that led when it was asked to end. */
  ended: string | undefined;
  /** What pods looked like before they were deleted. */
  readonly last: Map<string, Pod>;
  /** The names that the operator took down and whose replacement has not caught up. */
  readonly down: Set<string>;
  /** Likewise those that it has seen to be gone, whichever client took them. */
  readonly gone: Set<string>;
  /** The names that an upgrade gave up when it failed, whose replacement has not caught up: that is not decided a second time. */
  readonly givenUp: Set<string>;
}

const known = new WeakMap<TestCluster, Succession>();

function successionOf(cluster: TestCluster): Succession {
  const succession = known.get(cluster) ?? {
    ...{ leader: 'sessions-2', vacantSince: 0, lost: undefined, lagUntil: 0, silentUntil: 0 },
    readySince: new Map<string, number>(),
  };
  known.set(cluster, succession);
  return succession;
}

/** A restored etcd has members again that the operator has taken down, and whose processes have ended. They go without it. */
const deeds = new Memories<Deeds>(() => ({
  ended: undefined,
  last: new Map(),
  down: new Set(),
  gone: new Set(),
  givenUp: new Set(),
}));

const serving = (cluster: TestCluster, name: string): Pod | undefined =>
  members(cluster).find((pod) => pod.metadata.name === name && isReady(pod));

/** Brings the election up to now: a leader that does not serve leads no more, and after a while the highest does: it is the next to go. */
function elect(cluster: TestCluster): Succession {
  const succession = successionOf(cluster);
  const now = cluster.clock.now();
  if (succession.leader !== undefined && !serving(cluster, succession.leader)) {
    succession.lost = succession.leader;
    succession.leader = undefined;
    succession.vacantSince = now;
  }
  if (succession.leader === undefined && now >= succession.vacantSince + electionMs)
    succession.leader = members(cluster).findLast(isReady)?.metadata.name;
  return succession;
}

/** Another one has led until now: the operator, which asked a short time ago, could not know that it leads no more. */
function justLost(cluster: TestCluster, name: string): boolean {
  const { lost, vacantSince } = successionOf(cluster);
  return lost !== name && cluster.clock.now() - vacantSince < 10_000;
}

function isInSync(cluster: TestCluster, { metadata: { name, uid } }: Pod): boolean {
  const { leader, lagUntil, readySince } = elect(cluster);
  const now = cluster.clock.now();
  return (
    name === leader ||
    (now >= lagUntil && now >= (readySince.get(uid) ?? now) + catchUpMs * (1 + Number(name.slice(-1))))
  );
}

function hasCaughtUp(cluster: TestCluster, name: string): void {
  const { down, gone, givenUp } = deeds.of(cluster);
  for (const names of [down, gone, givenUp]) names.delete(name);
}

/** Whichever client took it down: once the operator has said that it waits for a replacement, it knows. */
function noteWhoIsGone(cluster: TestCluster, { status }: ClusteredCache): void {
  const { step, pod } = status?.upgrade ?? {};
  if (pod !== undefined && (step === 'AwaitingTermination' || step === 'AwaitingReplacement'))
    deeds.of(cluster).gone.add(pod);
}

/** What is wrong with it that a member is gone, and another pod may have its name. */
function freedTooEarly(cluster: TestCluster, name: string): string | undefined {
  const { down, givenUp } = deeds.of(cluster);
  const upgrade = cacheNow(cluster)?.status?.upgrade;
  if (upgrade?.step === 'Failed') givenUp.add(name);
  const underWay = down.has(name) && !givenUp.has(name) && upgrade !== undefined;
  const isVacant = elect(cluster).leader === undefined && !justLost(cluster, name);
  return underWay && isVacant && members(cluster).some(isReady)
    ? `the name of ${name} is free again, and no member leads`
    : undefined;
}

const dataAndRoleAreElsewhere: Invariant = {
  name: 'a member goes only when its data and its role are elsewhere (I5, I6, I8)',
  afterChange: (cluster, { kind, type, object, previous }) => {
    if (kind === 'clusteredcaches.cache.my.domain') noteWhoIsGone(cluster, object as ClusteredCache); // Of this kind.
    if (kind !== 'pods') return undefined;
    const pod = object as Pod; // Of kind pods.
    const { name, uid } = pod.metadata;
    // Before the election notices.
    if (pod.metadata.deletionTimestamp !== undefined && successionOf(cluster).leader === name)
      deeds.of(cluster).ended = uid;
    const { readySince } = elect(cluster);
    const { last } = deeds.of(cluster);
    if (type === 'DELETED') return freedTooEarly(cluster, name);
    if (isReady(pod) && !readySince.has(uid)) readySince.set(uid, cluster.clock.now());
    if (pod.metadata.deletionTimestamp === undefined) last.set(name, pod);
    else if (previous && previous.metadata.deletionTimestamp === undefined) last.set(name, previous as Pod);
    return undefined;
  },
  afterRequest: (cluster, { verb, kind, name = '', status, subresource }) => {
    if (verb !== 'delete' || kind !== 'pods' || status >= 300 || subresource !== undefined) return undefined;
    const { last, down, gone, ended } = deeds.of(cluster);
    const peers = members(cluster).filter((pod) => pod.metadata.name !== name && isReady(pod));
    for (const peer of peers) if (isInSync(cluster, peer)) hasCaughtUp(cluster, peer.metadata.name);
    const others = [...new Set([...down, ...gone])].filter((other) => other !== name);
    down.add(name);
    const target = last.get(name);
    if (!target || !isReady(target)) return undefined;
    // One that has not caught up itself carries nothing.
    if (others.length > 0 && isInSync(cluster, target))
      return `${name} was deleted while ${others.join(', ')} had not caught up`;
    return ended === target.metadata.uid && peers.length > 0 && !peers.some((peer) => isInSync(cluster, peer))
      ? `${name} was deleted while it led and no member had its data`
      : undefined;
  },
};

/** A user deletes the member with the lowest ordinal. */
async function deleteLowest(cluster: TestCluster): Promise<void> {
  if (members(cluster).some(({ metadata }) => metadata.name === 'sessions-0'))
    await cluster.client()(pods).namespace('default').delete('sessions-0', {});
}

const upgradedWhile = (name: string, meanwhile: NonNullable<Searched['scenario']['drive']>): Searched => ({
  oracles: [...cacheInvariants, dataAndRoleAreElsewhere],
  faults: everyFault,
  scenario: {
    ...common,
    name,
    setUp: async (cluster) => {
      const http = (
        { url }: { readonly url: URL },
        { pod }: { readonly pod: string },
      ): number | { status: number; body: string } => {
        if (url.pathname === '/role' && cluster.clock.now() < successionOf(cluster).silentUntil) return 503;
        if (url.pathname === '/role')
          return { status: 200, body: elect(cluster).leader === pod ? 'master' : 'replica' };
        const member = serving(cluster, pod);
        if (url.pathname !== '/sync') return 200;
        if (!member || !isInSync(cluster, member)) return 503;
        // Whoever has asked knows it, even if it falls behind again.
        hasCaughtUp(cluster, pod);
        return 200;
      };
      for (const version of ['1', '2']) cluster.image(`cache:${version}`, { startsIn: 2000, http });
      const role = { leaderValue: 'master', http: { path: '/role' } };
      const sync = { http: { path: '/sync' } };
      await caches(cluster).create(cache({ podTemplate, upgrade: { gates: [], role, sync } }));
    },
    drive: async (cluster, until) => {
      await untilRunning(cluster, 'cache:1', until);
      await until(() => allRun(cluster, 'cache:1') && elect(cluster).leader !== undefined);
      successionOf(cluster).silentUntil = cluster.clock.now() + 30_000;
      successionOf(cluster).lagUntil = cluster.clock.now() + 60_000;
      await change(cluster, { image: 'cache:2' });
      await meanwhile(cluster, until);
      await untilAllRun(cluster, 'cache:2', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:2'),
    actions: { 'delete the member with the lowest ordinal': deleteLowest },
  },
});

/** No member is asked to hand over: the leader goes first, when its followers have caught up, and its name stays reserved until another one leads. */
export const succession = upgradedWhile(
  'an upgrade in which the leader goes first and the members elect another',
  async () => Promise.resolve(),
);

/** The same, and while the first replacement catches up a user deletes a third member: then two have to catch up before the next goes. */
export const thirdIsDeleted = upgradedWhile(
  'an upgrade in which a user deletes a third member while a replacement catches up',
  async (cluster, until) => {
    const isOver = (): boolean => allRun(cluster, 'cache:2') || failed(cluster);
    await until(() => cacheNow(cluster)?.status?.upgrade?.step === 'AwaitingSync' || isOver());
    await deleteLowest(cluster);
  },
);
