import type { TestCluster } from '@ordinal/simulator';
import { everyFault } from '../faults/faults.ts';
import type { Searched } from '../engine/searched.ts';
import {
  cache,
  caches,
  change,
  isOutdated,
  isReady,
  members,
} from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { cacheInvariants } from './invariants.ts';
import { common, podTemplate, untilAllRun, untilRunning } from './scenario.ts';
import { allRun } from '../../../libs/reconcilers/test/clustered-cache/upgrade-states.ts';

/** How long after the first hand-off the member that handed over is elected again, and how long after it the gate stays closed, in milliseconds. */
const electedAgainMs = 5_000;
const closedMs = 20_000;

interface Leadership {
  leader: string;
  /** Who has handed over first, by name, and when. */
  first?: { readonly name: string; readonly at: number };
  /** The member that handed over first has been elected again, which happens once. */
  isRegained: boolean;
  /** Another one was elected because the leader was lost. */
  isDisturbed: boolean;
  /** Until when the leader does not say that it leads. */
  silentUntil: number;
  /** What was wrong with a hand-off, until it is reported. */
  wrong?: string | undefined;
}
const leaderships = new WeakMap<TestCluster, Leadership>();
const leadershipOf = (cluster: TestCluster): Leadership => {
  const known = leaderships.get(cluster) ?? {
    ...{ leader: 'sessions-2', isRegained: false, isDisturbed: false, silentUntil: 0 },
  };
  leaderships.set(cluster, known);
  const { first, isRegained } = known;
  if (first === undefined || isRegained || cluster.clock.now() < first.at + electedAgainMs) return known;
  known.isRegained = true;
  if (members(cluster).some((member) => member.metadata.name === first.name && isReady(member)))
    known.leader = first.name;
  return known;
};

const isClosed = (cluster: TestCluster): boolean => {
  const { first } = leadershipOf(cluster);
  return first !== undefined && cluster.clock.now() < first.at + closedMs;
};

/** The members' own election: where the leader is gone or does not work, another takes over. One that is only asked to end leads on. */
function elect(cluster: TestCluster): void {
  const leadership = leadershipOf(cluster);
  const leader = members(cluster).find(({ metadata }) => metadata.name === leadership.leader);
  if (leader?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True')) return;
  const successor = members(cluster).find(isReady);
  leadership.isDisturbed = true;
  if (successor) leadership.leader = successor.metadata.name;
}

/** Who leads comes last: what is wrong with it that this one is asked to hand over now. A member that is asked to terminate hands over by its preStop, whichever client has asked. */
function beforeItsTurn(cluster: TestCluster, pod: string): string | undefined {
  const isEnding = members(cluster).some(({ metadata }) => metadata.name === pod && metadata.deletionTimestamp);
  if (isEnding) return undefined;
  const others = members(cluster).filter(
    (one) => one.metadata.name !== pod && isReady(one) && isOutdated(cluster, one),
  );
  return others.length === 0
    ? undefined
    : `${pod} was asked to hand over before ${others.map(({ metadata }) => metadata.name).join(', ')} went`;
}

/** A member that leads hands over before it goes; followers go first, also while it does not answer who leads. Elected again before its gate is open, it hands over once more. */
export const leaderLast: Searched = {
  oracles: [
    ...cacheInvariants,
    {
      name: 'a leader is never deleted, and hands over when its turn has come (I5)',
      afterChange: (cluster, { kind }) => {
        if (kind === 'pods') elect(cluster);
        const leadership = leadershipOf(cluster);
        const { wrong } = leadership;
        leadership.wrong = undefined;
        return wrong;
      },
      afterRequest: (cluster, { verb, kind, name, status }) =>
        verb === 'delete' &&
        kind === 'pods' &&
        status < 300 &&
        leadershipOf(cluster).leader === name &&
        members(cluster).filter(isReady).length > 1
          ? `${name} was deleted while it led`
          : undefined,
    },
  ],
  faults: everyFault,
  scenario: {
    ...common,
    name: 'an upgrade in which the leader comes last and hands over',
    setUp: async (cluster) => {
      const http = (
        { url }: { readonly url: URL },
        { pod }: { readonly pod: string },
      ): number | { status: number; body: string } => {
        const leadership = leadershipOf(cluster);
        const isSilent = leadership.leader === pod && cluster.clock.now() < leadership.silentUntil;
        if (url.pathname === '/role' && isSilent) return 503;
        if (url.pathname === '/role') return { status: 200, body: leadership.leader === pod ? 'master' : 'replica' };
        if (url.pathname === '/handoff' && leadership.leader === pod) {
          const successor = members(cluster).find((one) => one.metadata.name !== pod && isReady(one));
          if (!successor) return 503;
          leadership.leader = successor.metadata.name;
          if (!leadership.first && !leadership.isDisturbed) leadership.wrong = beforeItsTurn(cluster, pod);
          leadership.first ??= { name: pod, at: cluster.clock.now() };
        }
        return url.pathname === '/settled' && isClosed(cluster) ? 503 : 200;
      };
      for (const version of ['1', '2']) cluster.image(`cache:${version}`, { startsIn: 2000, http });
      const role = { leaderValue: 'master', http: { path: '/role' } };
      const handoff = { http: { path: '/handoff' } };
      const gates = [{ name: 'settled', http: { path: '/settled' } }];
      await caches(cluster).create(cache({ podTemplate, upgrade: { order: 'LeaderLast', role, handoff, gates } }));
    },
    drive: async (cluster, until) => {
      await untilRunning(cluster, 'cache:1', until);
      // Until now members were coming up, and one after the other led: who was the first to be ready is no part of the scenario.
      Object.assign(leadershipOf(cluster), {
        leader: 'sessions-2',
        isDisturbed: false,
        silentUntil: cluster.clock.now() + 20_000,
      });
      await change(cluster, { image: 'cache:2' });
      await untilAllRun(cluster, 'cache:2', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:2'),
  },
};
