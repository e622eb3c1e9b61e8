import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { openGatesAnnotation } from '../../../libs/reconcilers/src/annotations.ts';
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
import { cacheInvariants } from './invariants.ts';
import { common, podTemplate, untilAllRun, untilRunning } from './scenario.ts';
import { allRun, failed } from '../../../libs/reconcilers/test/clustered-cache/upgrade-states.ts';

/** How long a member whose gates were opened by hand may keep its name when it has ended, in milliseconds: an election, and an outage with the pause after it. */
const freeWithinMs = 300_000;

const endedSince = new WeakMap<TestCluster, Map<string, number>>();

/** A member whose gates were opened by hand has ended, and comes back: it does not wait for the deadline of the upgrade. */
const overridesFree: Invariant = {
  name: 'a member whose gates were opened by hand frees its name when it has ended',
  afterChange: (cluster) => {
    const since = endedSince.get(cluster) ?? new Map<string, number>();
    endedSince.set(cluster, since);
    const now = cluster.clock.now();
    const opened = cacheNow(cluster)?.metadata.annotations?.[openGatesAnnotation];
    const kept = members(cluster).find(
      (pod) =>
        pod.metadata.uid === opened &&
        pod.metadata.deletionTimestamp !== undefined &&
        pod.metadata.finalizers?.includes(preTerminateHook) &&
        pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'False'),
    );
    const peers = members(cluster).filter((pod) => pod !== kept);
    // Peers that are not there, or do not serve, are waited for.
    if (!kept || peers.length < 2 || !peers.every(isReady)) {
      since.clear();
      return undefined;
    }
    const from = since.get(kept.metadata.uid) ?? now;
    since.set(kept.metadata.uid, from);
    return now - from > freeWithinMs
      ? `${kept.metadata.name} has kept its name for ${(now - from) / 1000} s`
      : undefined;
  },
};

/** The command that the status shows for a member which has handed over, and leads all the same; undefined while there is none. */
function command(cluster: TestCluster): string | undefined {
  const { step, blockedBy, release } = cacheNow(cluster)?.status?.upgrade ?? {};
  return step === 'HandingOff' && blockedBy !== undefined && release !== undefined ? release : undefined;
}

/** Only one member ever leads: it hands over, and no other one takes over. The user runs the command that the status shows. */
export const followersOnly: Searched = {
  oracles: [...cacheInvariants, overridesFree],
  faults: everyFault,
  scenario: {
    ...common,
    maxVirtualMs: 7_200_000,
    name: 'an upgrade with followers only, where no member takes over from the leader',
    setUp: async (cluster) => {
      const http = ({ url }: { readonly url: URL }, { pod }: { readonly pod: string }) =>
        url.pathname === '/role' ? { status: 200, body: pod === 'sessions-2' ? 'master' : 'replica' } : 200;
      for (const version of ['1', '2']) cluster.image(`cache:${version}`, { startsIn: 2000, http });
      const role = { leaderValue: 'master', http: { path: '/role' } };
      const handoff = { http: { path: '/handoff' } };
      await caches(cluster).create(cache({ podTemplate, upgrade: { gates: [], order: 'LeaderLast', role, handoff } }));
    },
    drive: async (cluster, until) => {
      const byHand = async (condition: () => boolean): Promise<void> => {
        do {
          await until(() => condition() || failed(cluster) || command(cluster) !== undefined);
          const uid = /open-gates=(\S+)/.exec(command(cluster) ?? '')?.[1];
          if (uid === undefined) return until(condition);
          const annotations = { [openGatesAnnotation]: uid };
          await caches(cluster).patch('sessions', { type: 'merge', body: { metadata: { annotations } } });
          await until(() => condition() || failed(cluster) || command(cluster)?.includes(uid) !== true);
        } while (!condition() && !failed(cluster));
      };
      await untilRunning(cluster, 'cache:1', byHand);
      await change(cluster, { image: 'cache:2' });
      await untilAllRun(cluster, 'cache:2', byHand);
    },
    isDone: (cluster) => allRun(cluster, 'cache:2'),
  },
};
