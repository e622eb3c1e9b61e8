import { clusteredCaches } from '@ordinal/api';
import type { SimulatedCluster } from '@ordinal/simulator';
import { test } from 'vitest';
import { creationWrites, liveThrough } from '../writes/life.ts';
import type { Step } from '../writes/life.ts';
import {
  cache,
  cacheNow,
  caches,
  cacheWorld,
  change,
  isReady,
  isSettled,
  members,
  reaches,
  said,
} from './cache-world.ts';

const life: readonly Step[] = [
  {
    step: 'creation',
    act: (cluster) => caches(cluster).create(cache()),
    isOver: isSettled,
    writes: creationWrites(clusteredCaches),
    // It begins; a member exists; all do; one is ready; all are.
    statuses: 5,
  },
  { step: 'nothing', act: (cluster) => cluster.advance(3_600_000), isOver: isSettled, writes: {}, statuses: 0 },
  {
    step: 'growth by one',
    act: (cluster) => change(cluster, { replicas: 4 }),
    isOver: (cluster) => isSettled(cluster) && members(cluster).length === 4,
    writes: { 'apply statefulsets': 1 },
    // It begins; the set is taken up; the member exists; it is ready.
    statuses: 4,
  },
  {
    step: 'shrinkage by one',
    act: (cluster) => change(cluster, { replicas: 3 }),
    isOver: (cluster) => isSettled(cluster) && members(cluster).length === 3,
    writes: { 'apply statefulsets': 1 },
    // Who leaves is said before it does; the set is taken up; the member ends; all is done.
    statuses: 4,
  },
  {
    step: 'upgrade of three',
    act: (cluster) => change(cluster, { image: 'cache:2' }),
    isOver: (cluster) => isSettled(cluster) && cacheNow(cluster)?.status?.currentVersion === 'cache:2',
    // The template once; each member is held, deleted by UID, and released.
    writes: { 'apply statefulsets': 1, 'delete pods': 3, 'patch pods': 6 },
    // It begins; for each member: held, taken down (said before it is done), ends, is missing, is not ready; all is done.
    statuses: 2 + 5 * 3,
  },
  {
    step: 'rollback of a first member that never gets ready',
    act: (cluster) => change(cluster, { image: 'cache:broken', upgrade: { onFailure: 'Rollback' } }),
    isOver: (cluster) => said(cluster, 'Available') === 'True RolledBack',
    // The template, and the one before. One member is held, deleted and released; when it is broken it is deleted without a hold: it serves no client.
    writes: { 'apply statefulsets': 2, 'delete pods': 2, 'patch pods': 2 },
    // Forward as in an upgrade until the member is not ready (6); failed; back again: begins, replaced, ends, is missing, is not ready; done.
    statuses: 13,
  },
  {
    step: 'failure that stops',
    act: (cluster) => change(cluster, { image: 'cache:missing', upgrade: { onFailure: 'Stop' } }),
    isOver: (cluster) => said(cluster, 'Available') === 'False UpgradeFailed',
    // The template, and what ran before back.
    writes: { 'apply statefulsets': 2, 'delete pods': 1, 'patch pods': 2 },
    // The spec has changed back and forth (2); forward as in an upgrade; failed.
    statuses: 8,
  },
  {
    step: 'deletion',
    act: (cluster) => caches(cluster).delete('sessions'),
    isOver: (cluster) => cacheNow(cluster) === undefined && members(cluster).length === 0,
    // The finalizer goes; no member was held. The garbage collector does the rest.
    writes: { 'patch clusteredcaches': 1 },
    statuses: 0,
  },
];

/** Who leads among the members of a cluster whose images know hand-offs. */
const leaders = new WeakMap<SimulatedCluster, string>();

/** Images whose members say who leads, hand over, and have caught up at once. */
function installLeading(cluster: SimulatedCluster): void {
  leaders.set(cluster, 'sessions-2');
  for (const version of ['1', '2', '3'])
    cluster.image(`cache:${version}`, {
      startsIn: 2000,
      http: ({ url }, { pod }) => {
        if (url.pathname === '/role') return { status: 200, body: leaders.get(cluster) === pod ? 'master' : 'replica' };
        if (url.pathname === '/handoff' && leaders.get(cluster) === pod)
          leaders.set(
            cluster,
            members(cluster).find((one) => one.metadata.name !== pod && isReady(one))?.metadata.name ?? pod,
          );
        return 200;
      },
    });
}

/** What a gate that asks by a Job runs: it says yes after a second. */
const asking = { spec: { containers: [{ name: 'ask', image: 'cache:1' }] } };

/** A life whose members lead, hand over and are asked about by Jobs. */
const led: readonly Step[] = [
  {
    step: 'creation',
    act: async (cluster) => {
      installLeading(cluster);
      await caches(cluster).create(
        cache({
          upgrade: {
            order: 'LeaderLast',
            role: { leaderValue: 'master', http: { path: '/role' } },
            handoff: { http: { path: '/handoff' } },
            sync: { http: { path: '/sync' } },
            gates: [{ name: 'settled', http: { path: '/settled' } }],
          },
        }),
      );
    },
    isOver: isSettled,
    writes: creationWrites(clusteredCaches),
    statuses: 5,
  },
  {
    step: 'upgrade, the leader last',
    act: (cluster) => change(cluster, { image: 'cache:2' }),
    isOver: (cluster) => isSettled(cluster) && cacheNow(cluster)?.status?.currentVersion === 'cache:2',
    writes: { 'apply statefulsets': 1, 'delete pods': 3, 'patch pods': 6 },
    // As without a leader; and each member has handed over.
    statuses: 2 + 6 * 3,
  },
  {
    step: 'upgrade that is changed in the middle',
    act: async (cluster) => {
      await change(cluster, { image: 'cache:1' });
      await reaches(cluster, () => members(cluster).some(({ spec }) => spec.containers[0]?.image === 'cache:1'));
      await cluster.advance(1000); // While it starts nothing is written.
      await change(cluster, { image: 'cache:3' });
    },
    isOver: (cluster) => isSettled(cluster) && cacheNow(cluster)?.status?.currentVersion === 'cache:3',
    // The template twice; the member that had been replaced, and all three.
    writes: { 'apply statefulsets': 2, 'delete pods': 4, 'patch pods': 8 },
    // It begins twice; the first member is back before it is missed, and is not ready when it begins again; then all three; all is done.
    statuses: 2 + 5 + 1 + 6 * 3 + 1,
  },
  {
    step: 'gates that are Jobs',
    act: (cluster) =>
      change(cluster, {
        image: 'cache:2',
        upgrade: { gates: [{ name: 'asked', job: { template: { template: asking } } }] },
      }),
    isOver: (cluster) => isSettled(cluster) && cacheNow(cluster)?.status?.currentVersion === 'cache:2',
    // A Job for each member.
    writes: { 'apply statefulsets': 1, 'create jobs': 3, 'delete pods': 3, 'patch pods': 6 },
    // As above; and each member waits for its Job, and for the controller that runs it.
    statuses: 2 + 8 * 3,
  },
];

test.each([
  ['', life],
  [' with leaders and Jobs', led],
])(
  'each step of a life%s costs the least that it takes, and no write is in vain',
  async (_which, steps) => liveThrough(steps, await cacheWorld(), clusteredCaches),
  60_000,
);
