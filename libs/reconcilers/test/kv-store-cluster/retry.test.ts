import type { SimulatedCluster } from '@ordinal/simulator';
import { describe, expect, test } from 'vitest';
import { failing, images, storeNow, untilPhase } from './kv-store-world.ts';
import { allRun, jobHasFailed } from './cluster-states.ts';
import { annotate, change, condition, jobsFor, ready, stores, until } from './store-steps.ts';

const retryAnnotation = 'ordinal.dev/retry';
const command = `kubectl annotate -n default kvs orders ${retryAnnotation}="$(date +%s)" --overwrite`;

/** An upgrade to 2.0 whose migration has failed, rolled back. */
async function failedMigration(): Promise<SimulatedCluster> {
  const cluster = await ready({ upgrade: { beforeFirstPod: { command: ['migrate', 'fail'], retries: 0 } } });
  await change(cluster, { version: '2.0' });
  expect(await untilPhase(cluster, 'Failed')).toBe('Failed');
  await cluster.advance(60_000);
  return cluster;
}

describe('an upgrade whose Job before the first member has failed', () => {
  test('is tried again when the command is corrected', async () => {
    const cluster = await failedMigration();
    await change(cluster, { upgrade: { beforeFirstPod: { command: ['migrate'] } } });
    await until(cluster, () => allRun(cluster, '2.0'));
    expect(images(cluster)).toEqual(['2.0', '2.0', '2.0']);
    expect(storeNow(cluster)?.status?.failedRevision).toBeUndefined();
    expect(jobsFor(cluster, 'BeforeUpgrade')).toHaveLength(2);
    cluster.stop();
  });

  test('goes on without the Job when that is taken out of the spec', async () => {
    const cluster = await failedMigration();
    await change(cluster, { upgrade: { beforeFirstPod: null } });
    await until(cluster, () => allRun(cluster, '2.0'));
    expect(images(cluster)).toEqual(['2.0', '2.0', '2.0']);
    cluster.stop();
  });

  test('is not tried again when something else of the spec changes', async () => {
    const cluster = await failedMigration();
    await change(cluster, { upgrade: { progressDeadline: '20m' } });
    await cluster.advance(900_000);
    expect(images(cluster)).toEqual(['1.0', '1.0', '1.0']);
    expect(jobsFor(cluster, 'BeforeUpgrade')).toHaveLength(1);
    cluster.stop();
  });

  test('says with which command it is tried again', async () => {
    const cluster = await failedMigration();
    expect(condition(cluster, 'Progressing')?.message).toContain(command);
    cluster.stop();
  });
});

describe('the annotation for a retry', () => {
  test('has a failed upgrade tried again, once for each value', async () => {
    const cluster = await failedMigration();
    const last = () => storeNow(cluster)?.status?.hooks?.find(({ purpose }) => purpose === 'BeforeUpgrade');
    const first = last()?.job;
    await annotate(cluster, { [retryAnnotation]: '1' });
    await until(cluster, () => last()?.job !== first && last()?.result === 'Failed');
    const second = last()?.job;
    await cluster.advance(900_000);
    expect(last()?.job).toBe(second);
    expect(storeNow(cluster)?.status).toMatchObject({ phase: 'Failed', retryToken: '1' });
    await annotate(cluster, { [retryAnnotation]: null });
    await cluster.advance(900_000);
    expect(last()?.job).toBe(second);
    await annotate(cluster, { [retryAnnotation]: '2' });
    await until(cluster, () => last()?.job !== second);
    expect([first, second]).not.toContain(last()?.job);
    cluster.stop();
  });

  test('has an upgrade tried again that the deadline has ended', async () => {
    const cluster = await ready();
    cluster.image('my-repo/kvstore:2.0', { startsIn: 1_000, ready: false });
    await change(cluster, { version: '2.0' });
    await untilPhase(cluster, 'Failed');
    cluster.image('my-repo/kvstore:2.0', { startsIn: 1_000 });
    await cluster.advance(1_800_000);
    expect(images(cluster)).toEqual(['1.0', '1.0', '1.0']);
    await annotate(cluster, { [retryAnnotation]: 'again' });
    await until(cluster, () => allRun(cluster, '2.0'));
    expect(images(cluster)).toEqual(['2.0', '2.0', '2.0']);
    cluster.stop();
  });

  test('asks for nothing where it stood there before anything failed', async () => {
    const cluster = await ready({ upgrade: { beforeFirstPod: { command: ['migrate', 'fail'], retries: 0 } } });
    await annotate(cluster, { [retryAnnotation]: 'early' });
    await cluster.advance(60_000);
    await change(cluster, { version: '2.0' });
    await untilPhase(cluster, 'Failed');
    await cluster.advance(900_000);
    expect(jobsFor(cluster, 'BeforeUpgrade')).toHaveLength(1);
    cluster.stop();
  });

  test('has the Job of a reduction tried again', async () => {
    const cluster = await ready({ scaleDown: { before: { command: ['move'], retries: 0 } } });
    failing.set(cluster, 'move');
    await change(cluster, { replicas: 2 });
    await until(cluster, () => jobHasFailed(cluster, 'BeforeScaleDown'));
    failing.delete(cluster);
    await cluster.advance(900_000);
    expect(images(cluster)).toHaveLength(3);
    expect(condition(cluster, 'Scaled')?.message).toContain(command);
    await annotate(cluster, { [retryAnnotation]: '1' });
    await until(cluster, () => images(cluster).length === 2);
    expect(images(cluster)).toHaveLength(2);
    cluster.stop();
  });

  test('has a failed backup tried again under its name', async () => {
    const cluster = await ready({ backup: { job: { command: ['backup'], retries: 0 } } });
    failing.set(cluster, 'backup');
    await annotate(cluster, { 'ordinal.dev/backup': 'monday' });
    await until(cluster, () => jobHasFailed(cluster, 'Backup'));
    failing.delete(cluster);
    await cluster.advance(900_000);
    expect(storeNow(cluster)?.status?.lastBackup).toBeUndefined();
    await annotate(cluster, { [retryAnnotation]: '1' });
    await until(cluster, () => storeNow(cluster)?.status?.lastBackup !== undefined);
    expect(storeNow(cluster)?.status?.lastBackup).toMatchObject({ name: 'monday' });
    cluster.stop();
  });

  test('does not wait for the pause between two tries in a deletion', async () => {
    const cluster = await ready({ delete: { before: { command: ['release'], retries: 0 } } });
    failing.set(cluster, 'release');
    await stores(cluster).delete('orders');
    await cluster.advance(2_400_000);
    failing.delete(cluster);
    expect(condition(cluster, 'Progressing')?.message).toContain(command);
    await annotate(cluster, { [retryAnnotation]: '1' });
    const asked = cluster.clock.now();
    await until(cluster, () => storeNow(cluster) === undefined);
    expect(cluster.clock.now() - asked).toBeLessThan(120_000);
    cluster.stop();
  });
});

test('the Job before a deletion is tried again at once when its command is corrected', async () => {
  const cluster = await ready({ delete: { before: { command: ['release', 'fail'], retries: 0 } } });
  await stores(cluster).delete('orders');
  await cluster.advance(2_400_000);
  await change(cluster, { delete: { before: { command: ['release'] } } });
  const asked = cluster.clock.now();
  await until(cluster, () => storeNow(cluster) === undefined);
  expect(cluster.clock.now() - asked).toBeLessThan(120_000);
  cluster.stop();
});
