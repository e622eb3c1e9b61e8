import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { everyFault } from '../faults/faults.ts';
import type { Searched } from '../engine/searched.ts';
import {
  cache,
  caches,
  change,
  installImages,
  isOutdated,
  isReady,
  members,
} from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { cacheInvariants } from './invariants.ts';
import { common, podTemplate, untilAllRun, untilRunning } from './scenario.ts';
import { allRun } from '../../../libs/reconcilers/test/clustered-cache/upgrade-states.ts';

/** Who leads: always the highest that serves. In the first seconds of an upgrade it does not say so. */
interface Leadership {
  leader: string;
  /** Another member leads than at first. */
  isDisturbed: boolean;
  silentUntil: number;
}

const known = new WeakMap<TestCluster, Leadership>();

function leadershipOf(cluster: TestCluster): Leadership {
  const leadership = known.get(cluster) ?? { leader: 'sessions-2', isDisturbed: false, silentUntil: 0 };
  known.set(cluster, leadership);
  const serving = members(cluster).filter(isReady);
  if (serving.some(({ metadata }) => metadata.name === leadership.leader)) return leadership;
  const successor = serving.at(-1);
  if (!successor) return leadership;
  leadership.leader = successor.metadata.name;
  leadership.isDisturbed = true;
  return leadership;
}

const leaderComesLast: Invariant = {
  name: 'who leads comes last (seed 000)',
  afterRequest: (cluster, { verb, kind, name, status, subresource }) => {
    if (verb !== 'delete' || kind !== 'pods' || status >= 300 || subresource !== undefined) return undefined;
    const { leader, isDisturbed } = known.get(cluster) ?? leadershipOf(cluster);
    const others = members(cluster).filter(
      (one) => one.metadata.name !== name && isReady(one) && isOutdated(cluster, one),
    );
    // Who is out of order, as on a node that is lost, comes before all others. One that was deleted just now is terminating already.
    const deleted = members(cluster).find(({ metadata }) => metadata.name === name);
    const isOutOfOrder = deleted?.status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is !== 'True');
    return name === leader && !isDisturbed && isOutOfOrder !== true && others.length > 0
      ? `${name} was deleted before ${others.map(({ metadata }) => metadata.name).join(', ')}`
      : undefined;
  },
};

/** The leader comes last also where it does not answer when the first member is chosen, and no member hands over. */
export const silent: Searched = {
  oracles: [...cacheInvariants, leaderComesLast],
  faults: everyFault,
  scenario: {
    ...common,
    name: 'an upgrade in which the leader comes last and is silent at first',
    setUp: async (cluster) => {
      installImages(cluster);
      const http = ({ url }: { readonly url: URL }, { pod }: { readonly pod: string }) => {
        if (url.pathname !== '/role') return 200;
        const { leader, silentUntil } = leadershipOf(cluster);
        if (leader === pod && cluster.clock.now() < silentUntil) return 503;
        return { status: 200, body: leader === pod ? 'master' : 'replica' };
      };
      for (const version of ['1', '2']) cluster.image(`cache:${version}`, { startsIn: 2000, http });
      const role = { leaderValue: 'master', http: { path: '/role' } };
      await caches(cluster).create(cache({ podTemplate, upgrade: { gates: [], order: 'LeaderLast', role } }));
    },
    drive: async (cluster, until) => {
      await untilRunning(cluster, 'cache:1', until);
      leadershipOf(cluster).silentUntil = cluster.clock.now() + 20_000;
      await change(cluster, { image: 'cache:2' });
      await untilAllRun(cluster, 'cache:2', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:2'),
  },
};
