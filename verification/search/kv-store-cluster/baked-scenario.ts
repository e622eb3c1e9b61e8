import type { KVStoreCluster } from '@ordinal/api';
import { statefulSets } from '@ordinal/client';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import type { Searched } from '../engine/searched.ts';
import { kvStoreInvariants } from './invariants.ts';
import { storeNow } from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';
import { meddling, patient, searched, setUp } from './scenario.ts';
import { allRun, change } from '../../../libs/reconcilers/test/kv-store-cluster/cluster-states.ts';

const kind = 'kvstoreclusters.kvstore.example.com';

/** Steps that wait for time or for a person. */
const waiting: ReadonlySet<string> = new Set(['Baking', 'AwaitingPromotion', 'Paused']);

const lastWait = new WeakMap<TestCluster, number>();

/** How far a clock may be off before a deadline by it means nothing, in milliseconds. */
const tolerableMs = 60_000;

/** The failure was reported by a clock that is right, and that clock was right when the start of the deadline was recorded. */
function isByRightClock(
  { failure, upgrade }: KVStoreCluster['status'] = {},
  { clock, startedAt }: TestCluster,
): boolean {
  const reported = Date.parse(failure?.at ?? '');
  const noted = Date.parse(upgrade?.lastProgressAt ?? failure?.at ?? '');
  return Math.abs(reported - clock.now()) < tolerableMs && noted > startedAt - tolerableMs;
}

/** An upgrade that has waited for time has the whole of its deadline after that (I19). Of histories with a deadline of this length. */
const waitsDoNotCount = (deadlineMs: number): Invariant => ({
  name: 'time that an upgrade has to wait is not held against it (I19)',
  afterChange: (cluster, change) => {
    if (change.kind !== kind || change.type !== 'MODIFIED') return undefined;
    const [now, before] = [change.object as KVStoreCluster, change.previous as KVStoreCluster | undefined];
    const at = cluster.clock.now();
    if (waiting.has(before?.status?.upgrade?.step ?? '')) lastWait.set(cluster, at);
    const { failure } = now.status ?? {};
    if (failure?.reason !== 'ProgressDeadlineExceeded' || before?.status?.failure !== undefined) return undefined;
    const isReported = isByRightClock(now.status, cluster);
    const since = at - (lastWait.get(cluster) ?? -Infinity);
    return isReported && since < deadlineMs
      ? `it has failed ${Math.round(since / 1000)} s after it had waited: ${failure.message}`
      : undefined;
  },
});

const hasFailed = (cluster: TestCluster): boolean => storeNow(cluster)?.status?.phase === 'Failed';

/** A user deletes the StatefulSet, and leaves its pods. */
async function loseSet(cluster: TestCluster): Promise<void> {
  if (cluster.objects.find(statefulSets, 'default', 'orders'))
    await cluster.client()(statefulSets).namespace('default').delete('orders', { propagationPolicy: 'Orphan' });
}

/** A canary bakes for longer than a step may take, and is judged then, also when its StatefulSet is lost meanwhile: no member follows it before (S0.9). Where it fails all the same, a user asks for a retry with more patience. */
export const baked: Searched = {
  // Where the clock jumps it may fail, or be done sooner.
  livesVary: ['clock'],
  ...searched({
    name: 'a canary that bakes for longer than a step may take',
    setUp: setUp({
      upgradeStrategy: 'Canary',
      port: 6379,
      upgrade: { progressDeadline: '15m' },
      canary: { bake: '20m', analysis: { http: { path: '/good' } } },
    }),
    drive: async (cluster, until) => {
      await until(() => allRun(cluster, '1.0'));
      await change(cluster, { version: '2.0' });
      const isOver = (): boolean => allRun(cluster, '2.0') || hasFailed(cluster);
      await until(() => storeNow(cluster)?.status?.upgrade?.step === 'Baking' || isOver());
      await loseSet(cluster);
      await until(isOver);
      if (!allRun(cluster, '2.0')) await change(cluster, { version: '3.0', upgrade: patient });
    },
    isDone: (cluster) => allRun(cluster, '2.0') || allRun(cluster, '3.0'),
    // Longer than it bakes: where an older version ends when all is done, the newer one begins an upgrade of its own.
    quietMs: 1_500_000,
    actions: meddling,
  }),
  oracles: [...kvStoreInvariants, waitsDoNotCount(900_000)],
};
