import type { SimulatedCluster } from '@ordinal/simulator';
import { describe, expect, test } from 'vitest';
import { failing, kvStoreWorld, store, storeNow } from './kv-store-world.ts';
import { annotate, change, condition, jobsFor, stores, until } from './store-steps.ts';

const minute = 60_000;
const base = { job: { command: ['backup'] }, onDelete: 'Skip', schedule: { cron: '@hourly' } } as const;

async function scheduled(backup: object) {
  const world = await kvStoreWorld();
  await stores(world.cluster).create(store({ replicas: 1 }));
  await until(world.cluster, () => storeNow(world.cluster)?.status?.phase === 'Ready');
  await change(world.cluster, { backup: { ...base, ...backup } });
  return world;
}

const hours = (cluster: SimulatedCluster): readonly string[] =>
  (storeNow(cluster)?.status?.backups ?? []).map(({ name }) => name.replace(/^orders-\d{8}T/, '').slice(0, 2));

const variable = (cluster: SimulatedCluster, name: string): readonly (string | undefined)[] =>
  jobsFor(cluster, 'Prune').map(
    ({ spec }) => spec?.template.spec?.containers[0]?.env?.find((one) => one.name === name)?.value,
  );

describe('retention', () => {
  test('by count: a Job removes what exceeds it, the oldest first, and then its record goes', async () => {
    const { cluster, events } = await scheduled({ retention: { count: 2 }, prune: { command: ['prune'] } });
    await annotate(cluster, { 'ordinal.dev/backup': 'mine' });
    await cluster.advance(4 * 60 * minute + 10 * minute);
    const kept = storeNow(cluster)?.status?.backups ?? [];
    expect(kept.map(({ name }) => name === 'mine')).toEqual([true, false, false]);
    const pruned = events.filter(({ reason }) => reason === 'BackupPruned').map(({ note }) => note.split(':')[0]);
    expect(pruned).toHaveLength(2);
    expect(pruned).toEqual([...pruned].sort());
    const [name] = variable(cluster, 'ORDINAL_BACKUP_NAME');
    expect(pruned).toContain(name);
    expect(variable(cluster, 'ORDINAL_BACKUP_LOCATION')[0]).toBe(`made ${name}`);
    cluster.stop();
  });

  test('a Job that fails keeps the record, is reported and tried again', async () => {
    const { cluster, events } = await scheduled({
      retention: { count: 1 },
      prune: { command: ['broken'], retries: 0 },
    });
    failing.set(cluster, 'broken');
    await until(cluster, () => events.some(({ reason }) => reason === 'PruneFailed'));
    expect(events.filter(({ reason }) => reason === 'PruneFailed')).toHaveLength(1);
    const all = hours(cluster);
    await cluster.advance(10 * minute);
    expect(hours(cluster)).toEqual(all);
    failing.delete(cluster);
    failing.set(cluster, 'nothing');
    await until(cluster, () => hours(cluster).length === 1);
    expect(hours(cluster)).toEqual(all.slice(-1));
    cluster.stop();
  });

  test('nothing goes while no backup succeeds, whatever the age', async () => {
    const { cluster } = await scheduled({ retention: { age: '90m' }, prune: { command: ['prune'] } });
    await cluster.advance(3 * 60 * minute + 10 * minute);
    const kept = hours(cluster);
    expect(kept).toHaveLength(2);
    await change(cluster, { backup: { job: { command: ['fail'], retries: 0 } } });
    await cluster.advance(2 * 60 * minute);
    expect(hours(cluster).slice(0, 2)).toEqual(kept);
    await change(cluster, { backup: { job: { command: ['backup'] } } });
    await cluster.advance(65 * minute);
    // The last failure is younger than the age.
    expect(storeNow(cluster)?.status?.backups?.map(({ result }) => result)).toEqual(['Failed', 'Succeeded']);
    cluster.stop();
  });

  test('without a Job only the record goes, and that is said', async () => {
    const { cluster, events } = await scheduled({ retention: { count: 1 } });
    await cluster.advance(3 * 60 * minute + 10 * minute);
    expect(hours(cluster)).toHaveLength(1);
    expect(jobsFor(cluster, 'Prune')).toEqual([]);
    expect(events.filter(({ reason }) => reason === 'BackupForgotten')[0]?.note).toContain(
      'what is stored stays (made ',
    );
    cluster.stop();
  });

  test('more than the status can list is refused', async () => {
    const { cluster } = await scheduled({ retention: { age: '60h' } });
    await cluster.advance(1_000);
    expect(condition(cluster, 'Ready')?.message).toContain(
      'spec.backup.retention.age: it would keep more than 50 backups',
    );
    await change(cluster, { backup: { retention: { count: 50 } } });
    await cluster.advance(1_000);
    expect(condition(cluster, 'Ready')?.status).toBe('True');
    cluster.stop();
  });
});
