import { statefulSets } from '@ordinal/client';
import type { Pod, StatefulSet } from '@ordinal/client';
import { templateHashAnnotation } from '@ordinal/constructs';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { openGatesAnnotation } from '../../../libs/reconcilers/src/annotations.ts';
import { everyFault } from '../faults/faults.ts';
import type { Searched } from '../engine/searched.ts';
import {
  cache,
  cacheNow,
  caches,
  change,
  images,
  isReady,
  isSettled,
  members,
} from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { cacheInvariants } from './invariants.ts';
import { common, podTemplate, untilAllRun, untilRunning } from './scenario.ts';

/** What the members of a world with every guard know. Gates open and never close again within one phase. */
interface Guards {
  /** Until when the gates are closed: the candidate's own, and the one that the member with the lowest ordinal keeps for its peers. */
  closedUntil: number;
  /** Until when the member with the lowest ordinal is not ready. */
  ailingUntil: number;
  /** The UIDs of those that have handed over. */
  readonly handedOver: Set<string>;
  /** What serving members looked like last. */
  readonly last: Map<string, Pod>;
}

const known = new WeakMap<TestCluster, Guards>();

function guardsOf(cluster: TestCluster): Guards {
  const guards = known.get(cluster) ?? {
    closedUntil: 0,
    ailingUntil: 0,
    handedOver: new Set<string>(),
    last: new Map<string, Pod>(),
  };
  known.set(cluster, guards);
  return guards;
}

const areClosed = (cluster: TestCluster): boolean => cluster.clock.now() < guardsOf(cluster).closedUntil;

/** From which template it was made: an older operator makes another one of the same image. */
const revisionOf = ({ metadata }: Pod): string | undefined => metadata.annotations?.[templateHashAnnotation];

const ordinalOf = ({ metadata: { name } }: Pod): number => Number(name.slice(name.lastIndexOf('-') + 1));

/** Closes the gates for so long. */
function close(cluster: TestCluster, forMs: number): void {
  guardsOf(cluster).closedUntil = cluster.clock.now() + forMs;
}

/** Whether a user has opened the gates of this very member by an override. The override leaves out its hand-off as well. */
const isOpened = (cluster: TestCluster, { metadata: { uid } }: Pod): boolean =>
  cacheNow(cluster)?.metadata.annotations?.[openGatesAnnotation] === uid;

/** What is wrong with taking this serving member down now. */
function wrongWith(cluster: TestCluster, target: Pod): string | undefined {
  const { name, uid } = target.metadata;
  const opened = isOpened(cluster, target);
  if (!opened && !guardsOf(cluster).handedOver.has(uid)) return `${name} was deleted and had not handed over`;
  if (!opened && areClosed(cluster)) return `${name} was deleted while a gate was closed`;
  const higher = members(cluster).find(
    (one) => isReady(one) && ordinalOf(one) > ordinalOf(target) && revisionOf(one) === revisionOf(target),
  );
  return higher && `${name} was deleted before ${higher.metadata.name}, which runs the same`;
}

const guardsAreKept: Invariant = {
  name: 'a member goes down when its turn has come and every gate is open (S0.1)',
  afterChange: (cluster, { kind, type, object, previous }) => {
    if (kind === 'pods' && type !== 'DELETED') {
      const pod = object as Pod; // Of kind pods.
      const before = previous as Pod | undefined;
      const { last } = guardsOf(cluster);
      if (pod.metadata.deletionTimestamp === undefined) last.set(pod.metadata.name, pod);
      else if (before && before.metadata.deletionTimestamp === undefined) last.set(pod.metadata.name, before);
    }
    return undefined;
  },
  afterRequest: (cluster, { verb, kind, name = '', status, subresource }) => {
    if (verb !== 'delete' || kind !== 'pods' || status >= 300 || subresource !== undefined) return undefined;
    if (cacheNow(cluster)?.spec.upgrade?.paused === true) return `${name} was deleted while the upgrade was paused`;
    const target = guardsOf(cluster).last.get(name);
    return target && isReady(target) ? wrongWith(cluster, target) : undefined;
  },
};

const shrinksThroughItsGates: Invariant = {
  name: 'members that leave for good go one by one and through their gates (S0.1, I8)',
  afterChange: (cluster, { kind, type, object, previous }) => {
    if (kind !== statefulSets.plural + '.apps' || type !== 'MODIFIED') return undefined;
    const [now, before] = [object, previous].map((set) => (set as StatefulSet | undefined)?.spec.replicas ?? 1);
    if (now === undefined || before === undefined || now >= before) return undefined;
    if (now < before - 1) return `the StatefulSet shrank from ${before} to ${now} at once`;
    const leaving = members(cluster).find((pod) => ordinalOf(pod) === now && isReady(pod));
    if (!leaving || isOpened(cluster, leaving)) return undefined;
    if (areClosed(cluster)) return `${leaving.metadata.name} was released while a gate was closed`;
    return guardsOf(cluster).handedOver.has(leaving.metadata.uid)
      ? undefined
      : `${leaving.metadata.name} was released and had not handed over`;
  },
};

const uidOf = (cluster: TestCluster, pod: string): string | undefined =>
  members(cluster).find(({ metadata }) => metadata.name === pod)?.metadata.uid;

/** Paused at first, while a member is not ready; then each member hands over and waits for its gates, one of which a user opens by an override; then two leave for good in the same way. */
export const guarded: Searched = {
  oracles: [...cacheInvariants, guardsAreKept, shrinksThroughItsGates],
  faults: everyFault,
  scenario: {
    ...common,
    name: 'an upgrade that is paused and guarded, and shrinkage through the same gates',
    setUp: async (cluster) => {
      const http = ({ url }: { readonly url: URL }, { pod }: { readonly pod: string }): number => {
        const guards = guardsOf(cluster);
        const uid = uidOf(cluster, pod);
        if (url.pathname === '/handoff' && uid !== undefined) guards.handedOver.add(uid);
        if (!areClosed(cluster)) return 200;
        // Closed at one of the peers only: asking the candidate, or another one, is no answer.
        if (url.pathname === '/peers') return pod === 'sessions-0' ? 503 : 200;
        return url.pathname === '/self' && pod === 'sessions-0' ? 503 : 200;
      };
      const ready = ({ pod }: { readonly pod: string }): boolean =>
        pod !== 'sessions-0' || cluster.clock.now() >= guardsOf(cluster).ailingUntil;
      for (const version of ['1', '2']) cluster.image(`cache:${version}`, { startsIn: 2000, http, ready });
      const gates = [
        { name: 'self', target: 'Self', http: { path: '/self' } },
        { name: 'peers', target: 'Peers', http: { path: '/peers' } },
      ] as const;
      await caches(cluster).create(
        cache({ podTemplate, upgrade: { gates: [...gates], handoff: { http: { path: '/handoff' } } } }),
      );
    },
    drive: async (cluster, until) => {
      await untilRunning(cluster, 'cache:1', until);
      await change(cluster, { image: 'cache:2', upgrade: { paused: true } });
      const paused = cluster.clock.now();
      guardsOf(cluster).ailingUntil = paused + 60_000;
      await until(() => cluster.clock.now() >= paused + 90_000);
      close(cluster, 120_000);
      const last = uidOf(cluster, 'sessions-2') ?? '';
      const annotations = { [openGatesAnnotation]: last };
      await caches(cluster).patch('sessions', {
        type: 'merge',
        body: { metadata: { annotations }, spec: { upgrade: { paused: false } } },
      });
      await untilAllRun(cluster, 'cache:2', until);
      close(cluster, 60_000);
      await change(cluster, { replicas: 1 });
      await untilAllRun(cluster, 'cache:2', until);
    },
    isDone: (cluster) => isSettled(cluster) && images(cluster).length === 1,
  },
};
