import type { Client, WatchEvent } from '@ordinal/client';
import { configMaps, createClient } from '@ordinal/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { OperatorEnvironment } from '../index.ts';
import { SimulatedCluster } from '../index.ts';
import { create, object } from '../../test/objects.ts';

let cluster: SimulatedCluster;
let seen: string[];

beforeEach(async () => {
  seen = [];
  cluster = await SimulatedCluster.start({ events: false, nodes: 0, controllers: false });
});
afterEach(() => cluster.stop());

const follow = async (client: Client): Promise<void> => {
  for (;;) {
    try {
      const { items, resourceVersion } = await client(configMaps).namespace('default').list();
      seen.push(`list ${items.map(({ metadata }) => metadata.name).join()}`);
      for await (const { type, object: item } of client(configMaps).namespace('default').watch({ resourceVersion }))
        seen.push(describe({ type, object: item }));
    } catch {
      seen.push('lost');
    }
  }
};
const describe = ({
  type,
  object: item,
}: Pick<WatchEvent<{ readonly metadata: { readonly name: string } }>, 'type' | 'object'>): string =>
  `${type} ${item.metadata.name}`;
const start = (act: (client: Client, environment: OperatorEnvironment) => Promise<unknown>) =>
  cluster.operator('operator', (environment) => {
    const { transport, clock, random } = environment;
    void act(createClient({ transport, clock, random }), environment);
    return Promise.resolve({ stop: () => Promise.resolve() });
  });
const map = (name: string) => create(cluster, configMaps, object('v1 ConfigMap', name));
const write = (client: Client, name: string) =>
  client(configMaps)
    .namespace('default')
    .create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } }, { timeoutMs: 20_000 });
const exists = (name: string) => cluster.objects.find(configMaps, 'default', name) !== undefined;

test('events reach it in order, a moment after they happened', async () => {
  start(follow);
  await cluster.advance(100);
  await map('a');
  await map('b');
  expect(seen).toEqual(['list ']);
  await cluster.advance(100);
  expect(seen).toEqual(['list ', 'ADDED a', 'ADDED b']);
});

test('its cache grows stale while events are held up', async () => {
  const operator = start(follow);
  await cluster.advance(100);
  const release = operator.holdEvents('configmaps');
  await map('a');
  await cluster.advance(60_000);
  expect(seen).toEqual(['list ']);
  release();
  await cluster.advance(100);
  expect(seen).toEqual(['list ', 'ADDED a']);
});

test('what happens before its watch expires is never seen', async () => {
  const operator = start(follow);
  await cluster.advance(100);
  operator.holdEvents('configmaps');
  await map('a');
  await cluster.client()(configMaps).namespace('default').delete('a');
  await map('b');
  operator.expireEvents('configmaps');
  await cluster.advance(1000);
  expect(seen).toEqual(['list ', 'lost', 'list b']);
});

test('after a crash nothing reaches it, its timers are gone, and what it had not sent was not done', async () => {
  const operator = start(async (client, { clock, incarnation }) => {
    if (incarnation > 1) return;
    clock.after(5000, () => seen.push('timer'));
    await write(client, 'a');
    seen.push('reply');
  });
  operator.hook({ after: ({ kind }) => (kind === 'write' ? { crash: true } : undefined) });
  await cluster.advance(60_000);
  expect(exists('a')).toBe(true);
  expect(seen).toEqual([]);
  expect(operator.isRunning).toBe(false);
  operator.start();
  await cluster.advance(1000);
  expect([operator.incarnations, operator.isRunning]).toEqual([2, true]);
});

test('a crash before a write leaves nothing behind', async () => {
  const operator = start((client) => write(client, 'a'));
  operator.hook({ before: ({ kind, number }) => (kind === 'write' && number === 1 ? { crash: true } : undefined) });
  await cluster.advance(60_000);
  expect(exists('a')).toBe(false);
});

test('a lost reply is a failure to it, although the write was carried out', async () => {
  const operator = start(async (client) => {
    try {
      await write(client, 'a');
    } catch (error) {
      seen.push((error as Error).message);
    }
  });
  operator.hook({ after: ({ kind, number }) => (kind === 'write' && number === 1 ? { lose: true } : undefined) });
  await cluster.advance(60_000);
  expect(exists('a')).toBe(true);
  expect(seen).toHaveLength(1);
});

test('while it is paused it notices nothing, and goes on afterwards', async () => {
  const operator = start(follow);
  await cluster.advance(100);
  operator.pause(60_000);
  await map('a');
  await cluster.advance(50_000);
  expect(seen).toEqual(['list ']);
  await cluster.advance(20_000);
  expect(seen).toEqual(['list ', 'ADDED a']);
});

test('after a restart it can be shown the past, until the past is over', async () => {
  const operator = start(follow);
  await cluster.advance(10_000);
  await map('a');
  await cluster.advance(1000);
  operator.travelBack('configmaps', 5000, 20_000);
  operator.restart(100);
  await cluster.advance(10_000);
  expect(seen).toEqual(['list ', 'ADDED a', 'list ']);
  await cluster.advance(20_000);
  expect(seen.at(-1)).toBe('ADDED a');
});

test('the past is over when etcd is restored: every API server starts again then', async () => {
  const operator = start(follow);
  await cluster.advance(10_000);
  await map('a');
  await cluster.advance(1000);
  operator.travelBack('configmaps', 5000, 60_000);
  cluster.restore(cluster.clock.now());
  operator.restart(100);
  await cluster.advance(1000);
  expect(seen.at(-1)).toBe('list a');
});

test('an endpoint that it serves is gone with it', async () => {
  const operator = start((_, { serve }) => {
    serve('https://webhooks.operators.svc', () => 200);
    return Promise.resolve();
  });
  await cluster.advance(10);
  expect(await cluster.play(async () => (await cluster.http('https://webhooks.operators.svc/')).status)).toBe(200);
  operator.crash();
  await expect(cluster.play(() => cluster.http('https://webhooks.operators.svc/'))).rejects.toThrow('fetch failed');
});
