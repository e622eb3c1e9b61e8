import { jobs, pods } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/simulator';
import { expect, test } from 'vitest';
import { kvStoreWorld, store, storeNow, untilPhase } from './kv-store-world.ts';
import { atWork, change, jobsFor, stores, until } from './store-steps.ts';

const spec = {
  backup: { job: { command: ['backup'] } },
  upgrade: { beforeFirstPod: { command: ['linger'], deadline: '6h' } },
} as const;

/** Who was writing when the final backup was made. */
function writingThen(cluster: SimulatedCluster): readonly string[] {
  const writing: string[] = [];
  cluster.server.store.subscribe(({ kind, before, after }) => {
    const isBackup = kind === 'jobs.batch' && after.metadata.labels?.['ordinal.dev/purpose'] === 'FinalBackup';
    if (isBackup && before === undefined) writing.push(...atWork(cluster, 'BeforeUpgrade'));
  });
  return writing;
}

// Found by a reader: the Job wrote on beside the final backup.
test.each([
  ['is ended before the final backup begins', []],
  ['is ended before it also where the operator restarts, and sees what was before it', [jobs, pods]],
])('a Job that writes while its cluster is deleted %s', async (_what, unseen) => {
  const { cluster, operator } = await kvStoreWorld();
  await stores(cluster).create(store(spec));
  await untilPhase(cluster, 'Ready');
  await cluster.advance(60_000);
  await change(cluster, { version: '2.0' });
  await until(cluster, () => atWork(cluster, 'BeforeUpgrade').length === 1);
  const writing = writingThen(cluster);
  for (const { plural } of unseen) operator.travelBack(plural, 10_000, 30_000);
  if (unseen.length > 0) operator.restart();
  await stores(cluster).delete('orders');
  await until(cluster, () => storeNow(cluster) === undefined);
  expect(writing).toEqual([]);
  expect([storeNow(cluster), jobsFor(cluster, 'BeforeUpgrade')]).toEqual([undefined, []]);
  expect(jobsFor(cluster, 'FinalBackup')).toHaveLength(1);
  cluster.stop();
});
