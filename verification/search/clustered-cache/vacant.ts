import { allow, deny, readReview, reviewReply } from '@ordinal/runtime/webhooks';
import type { TestCluster } from '@ordinal/simulator';
import { everyFault } from '../faults/faults.ts';
import { pass } from '../faults/pass.ts';
import type { Searched } from '../engine/searched.ts';
import {
  cache,
  caches,
  change,
  installImages,
  isReady,
  members,
} from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { registerForeignWebhook } from '../../../libs/reconcilers/test/clustered-cache/foreign-webhook.ts';
import { cacheInvariants } from './invariants.ts';
import { common, podTemplate, untilAllRun, untilRunning } from './scenario.ts';
import { allRun, failed } from '../../../libs/reconcilers/test/clustered-cache/upgrade-states.ts';

/** Worlds in which the members elect no leader: the one that led leads no more. */
const undecided = new WeakSet<TestCluster>();

/** Worlds in which they elect one again whenever the one that led goes. */
const electing = new WeakSet<TestCluster>();

function leads(cluster: TestCluster, pod: string): boolean {
  if (undecided.has(cluster)) return false;
  if (!electing.has(cluster)) return pod === 'sessions-2';
  const [leader] = members(cluster).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return pod === leader?.metadata.name;
}

/** Worlds in which the operator may not write pods: held members can't be released when the upgrade fails. */
const guarded = new WeakSet<TestCluster>();
const guard = 'https://guard.example';

/** A policy by which no operator can write pods while they are guarded. */
async function registerGuard(cluster: TestCluster): Promise<void> {
  cluster.external(guard, ({ body }) => {
    const { uid, userInfo } = readReview(body);
    const isRefused = guarded.has(cluster) && userInfo.username?.includes('operator') === true;
    const verdict = isRefused ? deny('pods are not to be written now', { code: 403, reason: 'Forbidden' }) : allow();
    return { status: 200, body: JSON.stringify(reviewReply(uid, verdict)) };
  });
  const rule = { apiGroups: [''], operations: ['UPDATE'], resources: ['pods'] };
  await registerForeignWebhook(cluster, { name: 'pods.guard.example', url: guard, rule });
}

/** The leader goes, and its members agree on no other one before the deadline: the upgrade fails, and the name is free again, as soon as the operator may remove the finalizer. */
export const vacant: Searched = {
  oracles: cacheInvariants,
  faults: everyFault,
  scenario: {
    ...common,
    maxVirtualMs: 7_200_000,
    name: 'an upgrade that fails because no member leads any more',
    setUp: async (cluster) => {
      installImages(cluster);
      await registerGuard(cluster);
      const http = ({ url }: { readonly url: URL }, { pod }: { readonly pod: string }) =>
        url.pathname === '/role' ? { status: 200, body: leads(cluster, pod) ? 'master' : 'replica' } : 200;
      for (const version of ['1', '2']) cluster.image(`cache:${version}`, { startsIn: 2000, http });
      const role = { leaderValue: 'master', http: { path: '/role' } };
      await caches(cluster).create(cache({ podTemplate, upgrade: { gates: [], role, progressDeadline: '5m' } }));
    },
    drive: async (cluster, until) => {
      await untilRunning(cluster, 'cache:1', until);
      await change(cluster, { image: 'cache:2' });
      const isUnderWay = (): boolean =>
        members(cluster).some(({ metadata }) => metadata.deletionTimestamp !== undefined);
      await until(() => isUnderWay() || failed(cluster) || allRun(cluster, 'cache:2'));
      undecided.add(cluster);
      guarded.add(cluster);
      await until(() => failed(cluster) || allRun(cluster, 'cache:2'));
      await pass(cluster, until, 20_000);
      guarded.delete(cluster);
      await until(() => members(cluster).filter(isReady).length === 3);
      electing.add(cluster);
      undecided.delete(cluster);
      await untilAllRun(cluster, 'cache:2', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:2'),
  },
};
