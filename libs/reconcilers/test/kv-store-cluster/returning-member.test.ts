import { pods } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/simulator';
import { expect, test } from 'vitest';
import { ailing, images, storeNow } from './kv-store-world.ts';
import { change, ready, until } from './store-steps.ts';

const forever = (): Promise<number> => new Promise<number>(() => undefined);

const slow = { command: ['wait'], image: 'example.com/slow:1', deadline: '1h' };

/** An upgrade to 2.0 that has come down to this ordinal: it runs 2.0, and does not get ready. */
async function reaches(ordinal: number, spec: Parameters<typeof ready>[0] = {}): Promise<SimulatedCluster> {
  const cluster = await ready(spec);
  cluster.image('example.com/slow:1', { run: forever });
  cluster.image('my-repo/kvstore:2.0', {
    startsIn: 2_000,
    ready: ({ pod }) => pod !== `orders-${ordinal}`,
    run: forever,
  });
  await change(cluster, { version: '2.0' });
  await until(cluster, () => images(cluster)[ordinal] === '2.0');
  await cluster.advance(20_000);
  return cluster;
}

/** Its node is lost, or a user deletes it. */
async function lose(cluster: SimulatedCluster, name: string): Promise<void> {
  await cluster.client()(pods).namespace('default').delete(name);
  await cluster.advance(60_000);
}

// Found by a reader: it came back as 1.0, on a volume that 2.0 had written.
test.each([
  ['a Job before the first member is added', { upgrade: { beforeFirstPod: slow } }],
  ['canaries are asked for', { upgradeStrategy: 'Canary', canary: { analysis: { job: slow } } }],
  ['it is paused', { upgrade: { paused: true } }],
])('a member that runs what is wanted comes back as that where in the middle %s', async (_what, edit) => {
  const cluster = await reaches(1);
  await change(cluster, edit);
  await cluster.advance(60_000);
  await lose(cluster, 'orders-1');
  expect(images(cluster)).toEqual(['1.0', '2.0', '2.0']);
  expect(storeNow(cluster)?.status?.failure).toBeUndefined();
  cluster.stop();
});

test('a member that follows a canary comes back as it was where the canary has fallen back', async () => {
  const cluster = await ready({ upgradeStrategy: 'Canary' });
  await change(cluster, { version: '2.0' });
  await until(cluster, () => images(cluster)[1] === '2.0');
  ailing.set(cluster, 'orders-2');
  await cluster.advance(60_000);
  expect(storeNow(cluster)?.status?.upgrade).toMatchObject({ step: 'Replacing', pod: 'orders-2' });
  await lose(cluster, 'orders-1');
  expect(images(cluster)).toEqual(['1.0', '2.0', '2.0']);
  cluster.stop();
});

test('the only member that runs what is wanted comes back as that', async () => {
  const cluster = await reaches(2);
  await change(cluster, { upgrade: { beforeFirstPod: slow } });
  await cluster.advance(60_000);
  await lose(cluster, 'orders-2');
  expect(images(cluster)).toEqual(['1.0', '1.0', '2.0']);
  cluster.stop();
});
