import { request } from 'node:http';
import { cloudDatabases, monitoredStatefulSets } from '@ordinal/api';
import { secrets, timestamp } from '@ordinal/client';
import { expect, onTestFinished, test } from 'vitest';
import { gatesAskedEveryMs } from '../src/checks/gate-asker.ts';
import type { PlanAnswer } from '../src/console/wire.ts';
import type { Sent } from './console-client.ts';
import { runConsole } from './console-client.ts';
import { pluginWorld } from './plugin-world.ts';
import { cacheNow, changeCache, readyCache, readySet, readyStore, stores, until } from './resources.ts';

const sessions = 'ClusteredCache/shop/sessions';

async function started(flags = '') {
  const world = await pluginWorld();
  onTestFinished(() => world.stop());
  const begin = async () => {
    const console = await runConsole(world, flags);
    onTestFinished(() => console.end().then(() => undefined));
    return console;
  };
  return { ...world, begin };
}

/** Sends what `fetch` would not: the path and the headers as they are. */
function raw(
  origin: string,
  { method = 'GET', path = '/', headers = {} },
): Promise<{ readonly status: number; readonly text: string }> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject);
    sent.end(method === 'POST' ? '{}' : undefined);
  });
}

test('the list and one resource, live, until the user ends it', async () => {
  const { cluster, begin } = await started();
  await readyCache(cluster);
  await readyStore(cluster);
  const { follow, end } = await begin();
  const first = await follow(`/api/live?of=${sessions}`, ({ detail }) => detail !== undefined);
  expect(first.hello).toMatchObject({ namespace: 'shop', canWrite: false });
  expect(first.rows?.rows.map(({ key, tone, ready }) => [key, tone, ready])).toEqual([
    [sessions, 'good', 3],
    ['KVStoreCluster/shop/carts', 'good', 3],
  ]);
  expect(first.detail?.detail?.view.members.map(({ name, state }) => [name, state])).toEqual([
    ['sessions-0', 'ready'],
    ['sessions-1', 'ready'],
    ['sessions-2', 'ready'],
  ]);
  expect(first.detail?.detail?.why.waits).toBe(false);
  await changeCache(cluster, { image: 'cache:2' });
  const steps = follow(
    `/api/live?of=${sessions}`,
    // The rows of a look come after its detail.
    ({ detail, rows: sent }) =>
      detail?.detail?.view.facts.upgrade?.step === 'AwaitingReady' &&
      sent?.rows.some(({ key, tone }) => key === sessions && tone === 'busy') === true,
  );
  await until(cluster, 'an upgrade', () => cacheNow(cluster)?.status?.upgrade?.step === 'AwaitingReady');
  const { detail, rows } = await steps;
  expect(detail?.detail?.view.estimate?.done).toBe(0);
  expect(rows?.rows.find(({ key }) => key === sessions)).toMatchObject({ tone: 'busy', target: 'cache:2' });
  expect(
    (await follow('/api/live?of=ClusteredCache/shop/other', (sent) => sent.detail !== undefined)).detail,
  ).not.toHaveProperty('detail');
  expect(await end()).toBe(0);
});

test('the gates of what is looked at are asked, and asked again', async () => {
  const { cluster, begin } = await started();
  let status = 200;
  cluster.image('cache:moody', { startsIn: 1_000, http: () => status });
  await readyCache(cluster, { image: 'cache:moody' });
  const { follow } = await begin();
  const gate = async (state: string) => {
    const gateOf = ({ detail }: Sent) => detail?.detail?.view.gates[0];
    const sent = await follow(`/api/live?of=${sessions}`, (each) => gateOf(each)?.state === state);
    return gateOf(sent);
  };
  const name = 'ready-for-shutdown';
  const asked = cluster.clock.now();
  expect(await gate('open')).toMatchObject({ name, answer: 'sessions-0: HTTP 200', askedAt: timestamp(asked) });
  status = 503;
  await cluster.advance(gatesAskedEveryMs);
  const again = timestamp(asked + gatesAskedEveryMs);
  expect(await gate('closed')).toMatchObject({ name, answer: 'sessions-0: HTTP 503', askedAt: again });
});

test('plan and what-if answer as the commands do, and nothing but reads is sent; what-if reads no Secrets', async () => {
  const { cluster, begin, requests } = await started();
  await readyCache(cluster);
  await readySet(cluster);
  const { ask } = await begin();
  expect(await ask(`/api/plan?of=${sessions}`)).toMatchObject({
    status: 200,
    json: { kind: 'ClusteredCache', steps: [] },
  });
  const { json } = await ask(`/api/manifest?of=${sessions}`);
  const { text } = json as { readonly text: string };
  expect(text).toContain('image: cache:1');
  expect(text).not.toContain('status');
  const manifest = text.replace('cache:1', 'cache:2');
  expect(await ask('/api/what-if', { manifest, faults: 0 })).toMatchObject({
    status: 200,
    json: { ending: 'done', longestOutage: { member: 'sessions-2' } },
  });
  expect(await ask('/api/what-if', { manifest: 'kind: Secret', faults: 0 })).toMatchObject({ status: 422 });
  expect(await ask('/api/what-if', { manifest, faults: 1e9 })).toMatchObject({ status: 422 });
  expect(await ask('/api/what-if', { faults: 0 })).toMatchObject({
    status: 422,
    json: { error: 'manifest has to be a string' },
  });
  expect(requests.filter((line) => !line.startsWith('GET '))).toEqual([]);
  expect(requests.filter((line) => line.includes('secrets'))).toEqual([]);
});

test('a plan reads the names of Secrets, and those that the resource names; the page gets no value of them', async () => {
  const { cluster, begin, requests } = await started();
  await readySet(cluster);
  const other = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'other' },
    stringData: { a: 'planted' },
  } as const;
  await cluster.client()(secrets).namespace('shop').create(other);
  const sets = cluster.client()(monitoredStatefulSets).namespace('shop');
  await sets.patch('ledger', { type: 'merge', body: { spec: { statefulSetSpec: { replicas: 4 } } } });
  const spec = { engine: 'postgres', size: 'small' } as const;
  const database = {
    apiVersion: 'db.example.com/v1',
    kind: 'CloudDatabase',
    metadata: { name: 'orders' },
    spec,
  } as const;
  await cluster.client()(cloudDatabases).namespace('shop').create(database);
  const { ask } = await begin();
  const planned = async (key: string) => {
    const { status, json } = await ask(`/api/plan?of=${key}`);
    expect(status).toBe(200);
    expect(Object.keys(json as object)).not.toContain('writes');
    expect(JSON.stringify(json)).not.toContain('planted');
    return (json as PlanAnswer).steps.filter(({ kind }) => kind === 'action').map(({ what }) => what);
  };
  expect(await planned('MonitoredStatefulSet/shop/ledger')).toContain('apply StatefulSet shop/ledger');
  expect(await planned('CloudDatabase/shop/orders')).toContain('create Secret shop/orders-connection');
  const ofSecrets = requests.filter((line) => line.includes('/secrets')).map((line) => line.split('?')[0]);
  const all = 'GET /api/v1/namespaces/shop/secrets';
  expect([...new Set(ofSecrets)].sort()).toEqual([all, `${all}/monitor`]);
  expect(requests.filter((line) => !line.startsWith('GET '))).toEqual([]);
});

test('a resource that is paused waits, and its line says so', async () => {
  const { cluster, begin } = await started();
  await readyCache(cluster, { upgrade: { paused: true } });
  await readyStore(cluster);
  await readySet(cluster);
  const body = { metadata: { annotations: { 'ordinal.dev/paused': 'true' } } };
  await stores(cluster).patch('carts', { type: 'merge', body });
  const { follow } = await begin();
  const { rows, detail } = await follow('/api/live?of=KVStoreCluster/shop/carts', (sent) => sent.detail !== undefined);
  expect(rows?.rows.map(({ name, paused, tone }) => [name, paused, tone])).toEqual([
    ['sessions', 'upgrades', 'good'],
    ['carts', 'all', 'waits'],
    ['ledger', undefined, 'good'],
  ]);
  expect(rows?.rows[1]?.says).toContain('is paused');
  expect(detail?.detail?.view.paused).toBe('all');
});

test('a verb is carried out with --write only, and only as it was confirmed', async () => {
  const { cluster, begin, requests } = await started('--write');
  await readyCache(cluster);
  const { ask, follow } = await begin();
  const { detail } = await follow(`/api/live?of=${sessions}`, (sent) => sent.detail !== undefined);
  const pause = detail?.detail?.actions.find(({ verb }) => verb === 'pause');
  expect(pause?.command).toBe('kubectl ordinal pause ccache/sessions -n shop');
  const asked = { key: sessions, verb: 'pause', does: pause?.does ?? '' };
  expect(await ask('/api/act', { ...asked, does: 'something else' })).toMatchObject({ status: 409 });
  expect(await ask('/api/act', { ...asked, verb: 'delete' })).toMatchObject({ status: 409 });
  expect(await ask('/api/act', { ...asked, key: 'Secret/shop/monitor' })).toMatchObject({ status: 404 });
  expect(requests.filter((line) => !line.startsWith('GET '))).toEqual([]);
  expect(await ask('/api/act', asked)).toMatchObject({ status: 200 });
  expect(cacheNow(cluster)?.metadata.annotations?.['ordinal.dev/paused']).toBe('true');
  expect(await ask('/api/act', asked)).toMatchObject({ status: 409 });
});

test('without --write nothing is written', async () => {
  const { cluster, begin, requests } = await started();
  await readyCache(cluster);
  const { ask } = await begin();
  const does = 'stops all work on it but its deletion: upgrades, backups, repairs';
  expect(await ask('/api/act', { key: sessions, verb: 'pause', does })).toMatchObject({ status: 403 });
  expect(requests.filter((line) => !line.startsWith('GET '))).toEqual([]);
});

test('strangers get nothing: by a wrong token, another host, another origin, or another path', async () => {
  const { cluster, begin, requests } = await started('--write');
  await readyCache(cluster);
  const { origin, token } = await begin();
  const right = { authorization: `Bearer ${token}` };
  const status = async (asked: Parameters<typeof raw>[1]) => (await raw(origin, asked)).status;
  const before = requests.length;
  expect(await status({ path: '/api/live' })).toBe(401);
  expect(await status({ path: '/api/live', headers: { authorization: 'Bearer AAAA' } })).toBe(401);
  expect(await status({ path: `/api/live?token=${token}`, headers: { cookie: `token=${token}` } })).toBe(401);
  expect(await status({ path: '/api/live', headers: { ...right, host: 'evil.example' } })).toBe(403);
  const json = { ...right, 'content-type': 'application/json' };
  expect(await status({ method: 'POST', path: '/api/act', headers: { ...json, origin: 'https://evil.example' } })).toBe(
    403,
  );
  expect(await status({ method: 'OPTIONS', path: '/api/act', headers: { origin: 'https://evil.example' } })).toBe(403);
  expect(await status({ method: 'POST', path: '/api/act', headers: { ...right, 'content-type': 'text/plain' } })).toBe(
    415,
  );
  for (const path of [
    '/api/v1/secrets',
    '/api/../api/v1/namespaces/shop/secrets',
    '/api/plan?of=Secret/shop/monitor',
    '/api/manifest?of=ClusteredCache/shop/..%2f..%2fsecrets',
    '/api/manifest?of=../../../etc/passwd',
    '//evil.example/api/v1/secrets',
    '/package.json',
    '/..%2f..%2fpackage.json',
    '/.%2e/.%2e/etc/passwd',
  ])
    expect([path, await status({ path, headers: right })]).toEqual([path, 404]);
  const page = await raw(origin, {});
  expect(page.status).toBe(200);
  expect(page.text).not.toContain(token);
  expect(requests.slice(before).filter((line) => !line.includes('watch='))).toEqual([]);
});
