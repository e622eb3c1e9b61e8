import { SimulatedCluster } from '@ordinal/simulator';
import { expect, test } from 'vitest';
import { LostOwners } from './lost-owners.ts';

const finalizer = 'example.com/finalizer';

/** An object that a restore brings back, with these finalizers, and that is deleted so long after it. Says whether it counts as lost. */
async function isLost(
  deletedAfterMs: number,
  { pausedMs = 0, finalizers = [], mark = 'uid' }: { pausedMs?: number; finalizers?: string[]; mark?: string } = {},
): Promise<boolean> {
  const cluster = await SimulatedCluster.start({ crds: [], seed: 1, nodes: 0, events: false });
  const operator = cluster.operator('ordinal', () => Promise.resolve({ stop: () => Promise.resolve() }));
  const owners = new LostOwners({ cluster, operator }, finalizer);
  await cluster.advance(1_000);
  cluster.restore(cluster.startedAt);
  if (pausedMs > 0) operator.pause(pausedMs);
  const after = { metadata: { name: 'orders', uid: 'uid', finalizers } } as never;
  owners.note({ after, deleted: false, restored: true }, mark);
  await cluster.advance(deletedAfterMs);
  owners.note({ before: after, after, deleted: true }, mark);
  cluster.stop();
  return owners.has('uid');
}

test('what is deleted without a finalizer right after a restore is lost, and what an operator that ran had time to hold is not', async () => {
  expect(await isLost(5_000)).toBe(true);
  expect(await isLost(15_000)).toBe(false);
  expect(await isLost(5_000, { finalizers: [finalizer] })).toBe(false);
});

test('the time in which the operator is suspended does not count', async () => {
  expect(await isLost(30_000, { pausedMs: 25_000 })).toBe(true);
  expect(await isLost(40_000, { pausedMs: 25_000 })).toBe(false);
});
