import { kvStoreClusters } from '@ordinal/api';
import { watchInvariants } from '@ordinal/explorer';
import type { SimulatedCluster } from '@ordinal/simulator';
import { describe, expect, test } from 'vitest';
import { kvStoreClusterMetrics } from '../../../libs/reconcilers/src/kv-store-cluster/index.ts';
import { conditionIn, operators, published } from '../../../libs/reconcilers/test/world/published.ts';
import { storeJobsAreVisible } from './invariants.ts';
import {
  failing,
  kvStoreWorld,
  store,
  storeNow,
} from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';
import { annotate, change, stores, until } from '../../../libs/reconcilers/test/kv-store-cluster/store-steps.ts';

const minute = 60_000;

type Spec = NonNullable<Parameters<typeof store>[0]>;

/** A Job of a store that fails. */
interface Failing {
  readonly spec: Spec;
  /** What the Job runs that fails. */
  readonly command: string;
  /** What has the Job run. */
  readonly begin?: (cluster: SimulatedCluster) => Promise<unknown>;
  readonly type: 'JobFailed' | 'Scaled';
  readonly reason: string;
  readonly gauge: string;
}

const job = (command: string) => ({ command: [command], retries: 0 });
const backup = { job: job('backup') };
const drill = { check: job('check'), restore: job('restore') };
const remove = (cluster: SimulatedCluster) => stores(cluster).delete('orders');

async function drilled(cluster: SimulatedCluster): Promise<void> {
  await annotate(cluster, { 'ordinal.dev/backup': 'monday' });
  await until(cluster, () => storeNow(cluster)?.status?.lastBackup?.name === 'monday');
  await annotate(cluster, { 'ordinal.dev/restore-drill': 'first' });
}

const failures: Readonly<Record<string, Failing>> = {
  'before an upgrade': {
    spec: { upgrade: { beforeFirstPod: job('migrate') } },
    ...{ command: 'migrate', begin: (cluster) => change(cluster, { version: '2.0' }) },
    ...{ type: 'JobFailed', reason: 'BeforeUpgradeFailed', gauge: 'upgrade_failed' },
  },
  'before a reduction': {
    spec: { scaleDown: { before: job('move') } },
    ...{ command: 'move', begin: (cluster) => change(cluster, { replicas: 2 }) },
    ...{ type: 'Scaled', reason: 'ScaleDownFailed', gauge: 'reduction_failed' },
  },
  'before a deletion': {
    ...{ spec: { delete: { before: job('release') } }, command: 'release', begin: remove },
    ...{ type: 'JobFailed', reason: 'BeforeDeleteFailed', gauge: 'job_failed' },
  },
  'of a final backup': {
    ...{ spec: { backup }, command: 'backup', begin: remove },
    ...{ type: 'JobFailed', reason: 'FinalBackupFailed', gauge: 'job_failed' },
  },
  'of a backup that a user asks for': {
    spec: { backup },
    ...{ command: 'backup', begin: (cluster) => annotate(cluster, { 'ordinal.dev/backup': 'monday' }) },
    ...{ type: 'JobFailed', reason: 'BackupFailed', gauge: 'backup_failed' },
  },
  'of a backup of the schedule': {
    ...{ spec: { backup: { ...backup, schedule: { cron: '0 6 * * *' } } }, command: 'backup' },
    ...{ type: 'JobFailed', reason: 'BackupFailed', gauge: 'backup_failed' },
  },
  'that restores': {
    ...{ spec: { restoreFrom: { backup: 'monday', job: job('restore') } }, command: 'restore' },
    ...{ type: 'JobFailed', reason: 'RestoreFailed', gauge: 'job_failed' },
  },
  'of the check of a restore drill': {
    ...{ spec: { backup: { ...backup, drill } }, command: 'check', begin: drilled },
    ...{ type: 'JobFailed', reason: 'RestoreDrillFailed', gauge: 'drill_failed' },
  },
  'that prunes': {
    spec: { backup: { ...backup, schedule: { cron: '*/10 * * * *' }, retention: { count: 1 }, prune: job('prune') } },
    ...{ command: 'prune', type: 'JobFailed', reason: 'PruneFailed', gauge: 'job_failed' },
  },
};

describe('a Job of a store fails', () => {
  test.each(Object.entries(failures))(
    '%s: condition, event and gauge say so within a minute, and for as long as it lasts',
    async (_which, { spec, command, begin, type, reason, gauge }) => {
      const { cluster, events } = await kvStoreWorld();
      const watch = watchInvariants(cluster, [storeJobsAreVisible], operators);
      failing.set(cluster, command);
      await stores(cluster).create(store(spec));
      const now = () => storeNow(cluster);
      const shown = () => conditionIn(now()?.status?.conditions, type);
      const fails = () => shown()?.reason === reason;
      if (begin) {
        await until(cluster, () => now()?.status?.phase === 'Ready');
        await begin(cluster);
      }
      await until(cluster, fails);
      const since = shown()?.lastTransitionTime;
      await cluster.advance(3_000);
      const { message = '' } = shown() ?? {};
      expect(message).toMatch(
        /^the (Job|restore drill) .* failed.*: kubectl annotate -n default kvs orders ordinal.dev/s,
      );
      const samples = kvStoreClusterMetrics(cluster.objects.list(kvStoreClusters), cluster.clock.now());
      expect(samples.filter(({ name, value }) => name.endsWith(`_${gauge}`) && value === 1)).not.toEqual([]);
      const event = type === 'JobFailed' ? 'JobFailed' : reason;
      const [first] = published(events, event);
      expect(message).toContain(first?.note);
      const [from, before] = [cluster.clock.now(), published(events, event).length];
      await cluster.advance(3 * 60 * minute);
      const repeated = published(events, event).slice(before);
      expect(repeated.length).toBeGreaterThanOrEqual(4);
      expect(repeated.length).toBeLessThanOrEqual(40);
      expect(Math.max(...repeated.map(({ at }) => at))).toBeGreaterThan(from + 120 * minute);
      expect([since, watch.violations]).toEqual([expect.any(String), []]);
      cluster.stop();
    },
  );

  test('a failure that is over shows no more', async () => {
    const { cluster } = await kvStoreWorld();
    failing.set(cluster, 'backup');
    await stores(cluster).create(store({ backup }));
    await until(cluster, () => storeNow(cluster)?.status?.phase === 'Ready');
    await annotate(cluster, { 'ordinal.dev/backup': 'monday' });
    const shown = () => conditionIn(storeNow(cluster)?.status?.conditions, 'JobFailed');
    await until(cluster, () => shown() !== undefined);
    failing.delete(cluster);
    await annotate(cluster, { 'ordinal.dev/backup': 'tuesday' });
    await until(cluster, () => storeNow(cluster)?.status?.lastBackup?.name === 'tuesday');
    await cluster.advance(5_000);
    expect(shown()).toBeUndefined();
    cluster.stop();
  });
});
