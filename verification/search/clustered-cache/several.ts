import type { Pod } from '@ordinal/client';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { everyFault } from '../faults/faults.ts';
import type { Searched } from '../engine/searched.ts';
import {
  cache,
  cacheNow,
  caches,
  change,
  images,
  isReady,
  members,
} from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { allRun, failed, rolledBack } from '../../../libs/reconcilers/test/clustered-cache/upgrade-states.ts';
import { Memories } from '../../../libs/reconcilers/test/world/restored.ts';
import { cacheInvariants } from './invariants.ts';
import {
  common,
  meddling,
  nothingToGoBackTo,
  podTemplate,
  rollbackFailed,
  untilAllRun,
  untilRunning,
} from './scenario.ts';

/** What the members of this world know: who leads, whose gate is closed, and since when each does not serve. */
interface World {
  leader: string;
  readonly closed: Set<string>;
  readonly last: Map<string, Pod>;
  readonly since: Map<string, number>;
  /** Those that the operator has taken down and that have not come back, and whether they led. */
  readonly taken: Map<string, 'leader' | 'follower'>;
}

const worlds = new Memories((): World => ({
  leader: 'sessions-4',
  closed: new Set(),
  last: new Map(),
  since: new Map(),
  taken: new Map(),
}));

/** Who leads: another one takes over when the leader does not serve. */
function leaderOf(cluster: TestCluster): string {
  const world = worlds.of(cluster);
  const serving = members(cluster).filter(isReady);
  const [first] = serving;
  if (first && !serving.some(({ metadata }) => metadata.name === world.leader)) world.leader = first.metadata.name;
  return world.leader;
}

/** How long a member has to be down until the operator must have seen it, in milliseconds: longer than any watch lags. */
const seenAfterMs = 120_000;

/** Whether a member has left for good: it is not wanted any more, and has ended. */
function hasLeft(cluster: TestCluster, name: string): boolean {
  const { replicas = 0 } = cacheNow(cluster)?.spec ?? {};
  const ordinal = Number(name.slice(name.lastIndexOf('-') + 1));
  return ordinal >= replicas && !members(cluster).some(({ metadata }) => metadata.name === name);
}

/** The members that do not serve, and have not for so long that the operator has seen it. */
const longDown = (cluster: TestCluster, except: string): readonly string[] =>
  [...worlds.of(cluster).since]
    .filter(([name, since]) => name !== except && cluster.clock.now() - since > seenAfterMs)
    .map(([name]) => name)
    .filter((name) => !hasLeft(cluster, name));

/** A serving member is deleted only while fewer others do not serve than may be, whichever client took them down; a leader only while all others have come back. */
const neverMoreThanMayBe: Invariant = {
  name: 'never more members are down than maxUnavailable, and a leader goes alone (I5, I8)',
  afterChange: (cluster, { kind, type, object, previous }) => {
    if (kind !== 'pods') return undefined;
    const { last, since, taken } = worlds.of(cluster);
    const pod = object as Pod; // Of kind pods.
    const { name } = pod.metadata;
    if (type !== 'DELETED' && isReady(pod)) {
      last.set(name, pod);
      since.delete(name);
      taken.delete(name);
    } else if (!since.has(name)) since.set(name, cluster.clock.now());
    if (previous && type !== 'DELETED' && pod.metadata.deletionTimestamp === undefined) last.set(name, pod);
    return undefined;
  },
  afterRequest: (cluster, { verb, kind, name = '', status, subresource }) => {
    if (verb !== 'delete' || kind !== 'pods' || status >= 300 || subresource) return undefined;
    const { closed, last, leader, taken } = worlds.of(cluster);
    const target = last.get(name);
    if (!target || !isReady(target)) return undefined;
    if (closed.has(name)) return `${name} was deleted while its gate was closed`;
    const { maxUnavailable = 1, role } = cacheNow(cluster)?.spec.upgrade ?? {};
    const others = longDown(cluster, name);
    if (others.length >= Number(maxUnavailable)) return `${name} was deleted while ${others.join(', ')} were down`;
    if (role === undefined) return undefined;
    const beside = [...taken].filter(([other]) => other !== name);
    const leads = name === leader;
    taken.set(name, leads ? 'leader' : 'follower');
    const isBesideLeader = beside.some(([, as]) => as === 'leader');
    return beside.length > 0 && (leads || isBesideLeader)
      ? `${name} (${leads ? 'the leader' : 'a follower'}) was deleted while ${beside.join('; ')} had not come back`
      : undefined;
  },
};

const upgrade = { gates: [{ name: 'self', target: 'Self', http: { path: '/self' } }], maxUnavailable: 2 } as const;

function installServers(cluster: TestCluster): void {
  const http = ({ url }: { readonly url: URL }, { pod }: { readonly pod: string }) => {
    if (url.pathname === '/role') return { status: 200, body: pod === leaderOf(cluster) ? 'leader' : 'follower' };
    return worlds.of(cluster).closed.has(pod) ? 503 : 200;
  };
  for (const version of ['1', '2', '3']) cluster.image(`cache:${version}`, { startsIn: 20_000, http });
  cluster.image('cache:broken', { startsIn: 1000, ready: false });
}

/** Five members, of which two may be unavailable; the gate of one opens late, and the highest leads. */
export const several: Searched = {
  oracles: [...cacheInvariants, neverMoreThanMayBe],
  faults: everyFault,
  scenario: {
    ...common,
    maxVirtualMs: 7_200_000,
    name: 'an upgrade of five members of which two may be unavailable',
    setUp: async (cluster) => {
      installServers(cluster);
      const role = { http: { path: '/role' } };
      await caches(cluster).create(cache({ replicas: 5, podTemplate, upgrade: { ...upgrade, role } }));
    },
    drive: async (cluster, until) => {
      await untilRunning(cluster, 'cache:1', until);
      const { closed } = worlds.of(cluster);
      closed.add('sessions-2');
      await change(cluster, { image: 'cache:2' });
      const from = cluster.clock.now();
      await until(() => cluster.clock.now() >= from + 150_000 || failed(cluster));
      closed.clear();
      await untilAllRun(cluster, 'cache:2', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:2'),
    actions: meddling,
  },
};

/** What never gets ready takes two of five members, and goes back; then another one works. How many it takes until then depends on who is down by a fault. */
export const severalFailing: Searched = {
  oracles: [...cacheInvariants, neverMoreThanMayBe],
  faults: everyFault,
  livesVary: everyFault,
  scenario: {
    ...common,
    maxVirtualMs: 7_200_000,
    name: 'an upgrade of two members at a time that never get ready, and go back',
    setUp: async (cluster) => {
      installServers(cluster);
      const failing = { onFailure: 'Rollback', progressDeadline: '5m' } as const;
      await caches(cluster).create(cache({ replicas: 5, podTemplate, upgrade: { ...upgrade, ...failing } }));
    },
    drive: async (cluster, until) => {
      await untilRunning(cluster, 'cache:1', until);
      await change(cluster, { image: 'cache:broken' });
      await until(() => rolledBack(cluster, 'cache:1') || rollbackFailed(cluster) || nothingToGoBackTo(cluster));
      await change(cluster, { image: 'cache:3' });
      await untilAllRun(cluster, 'cache:3', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:3'),
  },
};

/** Followers go two at a time, the leader last and alone; the set is paused, made smaller and larger on the way. */
export const severalResized: Searched = {
  oracles: [...cacheInvariants, neverMoreThanMayBe],
  faults: everyFault,
  scenario: {
    ...common,
    maxVirtualMs: 7_200_000,
    name: 'an upgrade with two members at a time, the leader last, paused and made smaller on the way',
    setUp: async (cluster) => {
      installServers(cluster);
      const role = { http: { path: '/role' } };
      const spec = { replicas: 5, podTemplate, upgrade: { ...upgrade, role, order: 'LeaderLast' as const } };
      await caches(cluster).create(cache(spec));
    },
    drive: async (cluster, until) => {
      await untilRunning(cluster, 'cache:1', until);
      await change(cluster, { image: 'cache:2' });
      await until(() => images(cluster).includes('cache:2') || failed(cluster));
      await change(cluster, { upgrade: { paused: true } });
      const from = cluster.clock.now();
      await until(() => cluster.clock.now() >= from + 90_000);
      await change(cluster, { replicas: 4, upgrade: { paused: false } });
      await untilAllRun(cluster, 'cache:2', until);
      await change(cluster, { replicas: 5, image: 'cache:3' });
      await untilAllRun(cluster, 'cache:3', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:3') && images(cluster).length === 5,
  },
};
