import { expect, test } from 'vitest';
import { failing, kvStoreWorld, store, storeNow, untilPhase } from './kv-store-world.ts';
import { annotate, stores, until } from './store-steps.ts';

test('each failure of a final backup is counted and reported once, also over a restart of the operator', async () => {
  const { cluster, operator, events, failures } = await kvStoreWorld();
  const job = { command: ['backup'], retries: 0 };
  await stores(cluster).create(store({ backup: { job, onDelete: 'Required' } }));
  await untilPhase(cluster, 'Ready');
  failing.set(cluster, 'backup');
  await stores(cluster).delete('orders');
  const attempts = () => storeNow(cluster)?.status?.hooks?.find(({ purpose }) => purpose === 'FinalBackup')?.attempts;
  const reported = () => events.filter(({ reason }) => reason === 'FinalBackupFailed').length;
  await until(cluster, () => attempts() === 1);
  for (const team of ['a', 'b', 'c']) {
    await annotate(cluster, { team });
    await cluster.advance(5_000);
  }
  operator.restart(1_000);
  await cluster.advance(10_000);
  expect([attempts(), failures, reported()]).toEqual([1, ['FinalBackupFailed'], 1]);
  await until(cluster, () => attempts() === 2);
  await cluster.advance(30_000);
  expect([failures.length, reported()]).toEqual([2, 2]);
  failing.delete(cluster);
  await until(cluster, () => storeNow(cluster) === undefined);
  expect(failures).toHaveLength(2);
  cluster.stop();
});
