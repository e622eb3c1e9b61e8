import { cloudDatabases } from '@ordinal/api';
import { persistentVolumeClaims, pods, storageClasses } from '@ordinal/client';
import { expect, onTestFinished, test } from 'vitest';
import { AssumedDatabases } from '../src/what-if/databases.ts';
import type { PluginWorldOptions } from './plugin-world.ts';
import { pluginWorld } from './plugin-world.ts';
import {
  cacheNow,
  changeCache,
  changeStore,
  isReady,
  readyCache,
  readySet,
  readyStore,
  storeNow,
  stores,
  until,
} from './resources.ts';

async function started(options: PluginWorldOptions = {}) {
  const world = await pluginWorld(options);
  onTestFinished(() => world.stop());
  const { run } = world;
  /** The lines of a status that are like this, without the tree; ages and what is different in each run are left out. */
  const lines = async (reference: string, pattern: RegExp): Promise<readonly string[]> => {
    const { out } = await run(`status ${reference}`);
    return out
      .split('\n')
      .map((line) =>
        line
          .replace(/^[│├└─ ]+/, '')
          .replace(/\b(\d+m)?\d+s\b */, 'AGE ')
          .trim(),
      )
      .map((line) => line.replace(/revision \S+/, 'revision R').replace(/-[0-9a-f]{10}\b/, '-#'))
      .filter((line) => pattern.test(line));
  };
  return { ...world, lines };
}

test('the volume of each member: its size, whether it is bound, and what it is to grow to', async () => {
  const { cluster, lines } = await started();
  const expandable = { provisioner: 'example.com/volumes', allowVolumeExpansion: true };
  await cluster
    .client()(storageClasses)
    .cluster()
    .create({ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'elastic' }, ...expandable });
  await readyStore(cluster, { replicas: 1, storage: { className: 'elastic', size: '1Gi' } });
  expect(await lines('kvs/carts', /data-/)).toEqual(['carts-0  1.0  ready AGE revision R  data-carts-0 1Gi Bound']);
  // Not carried out yet: no time passes meanwhile.
  await cluster
    .client()(persistentVolumeClaims)
    .namespace('shop')
    .patch('data-carts-0', { type: 'merge', body: { spec: { resources: { requests: { storage: '2Gi' } } } } });
  expect(await lines('kvs/carts', /data-/)).toEqual([expect.stringMatching(/ {2}data-carts-0 1Gi → 2Gi Bound$/)]);
  await cluster.advance(1_000);
  expect(await lines('kvs/carts', /data-/)).toEqual([expect.stringMatching(/ {2}data-carts-0 2Gi Bound$/)]);
});

test('the role of each member, as its pod is labelled', async () => {
  const { cluster, lines } = await started();
  await readyCache(cluster, { upgrade: { role: { label: 'role', leaderValue: 'primary' } } });
  for (const [ordinal, role] of ['replica', 'primary'].entries())
    await cluster
      .client()(pods)
      .namespace('shop')
      .patch(`sessions-${ordinal}`, { type: 'merge', body: { metadata: { labels: { role } } } });
  expect(await lines('ccache/sessions', /^sessions-\d/)).toEqual([
    'sessions-0  replica  1  ready AGE revision R',
    'sessions-1  primary  1  ready AGE revision R',
    'sessions-2           1  ready AGE revision R',
  ]);
});

test('a Job of the resource: what it is for, that it runs, and how it ended', async () => {
  const { cluster, lines } = await started();
  cluster.image('check:1', {
    run: async ({ clock }) => (await new Promise<void>((ends) => clock.after(30_000, ends)), 0),
  });
  cluster.image('check:2', { run: () => 1 });
  await readyCache(cluster);
  const change = (image: string, check: string) =>
    changeCache(cluster, { image, upgrade: { beforeFirstPod: { image: check, command: ['check'] } } });
  const jobLines = () => lines('ccache/sessions', /^sessions-before-upgrade/);
  await change('cache:2', 'check:1');
  await until(cluster, 'it runs', () => cacheNow(cluster)?.status?.upgrade !== undefined);
  await cluster.advance(5_000);
  expect(await jobLines()).toEqual(['sessions-before-upgrade-#  BeforeUpgrade  running AGE']);
  await until(cluster, 'the upgrade', () => cacheNow(cluster)?.status?.currentVersion === 'cache:2');
  expect(await jobLines()).toEqual(['sessions-before-upgrade-#  BeforeUpgrade  succeeded AGE']);
  await change('cache:1', 'check:2');
  await until(cluster, 'it fails', () => cacheNow(cluster)?.status?.failure !== undefined);
  expect(await jobLines()).toEqual(['sessions-before-upgrade-#  BeforeUpgrade  failed AGE']);
});

test('what is outside: the registration of a set, and a database with its address; one that is not made yet', async () => {
  const { cluster, lines } = await started({
    providers: new AssumedDatabases([], [{ secret: '', account: 'nowhere' }]).accounts,
  });
  await readySet(cluster);
  expect(await lines('mss/ledger', /^registration/)).toEqual(['registration assumed-1 at https://monitor.example']);
  const databases = cluster.client()(cloudDatabases).namespace('shop');
  await databases.create({
    ...{ apiVersion: 'db.example.com/v1', kind: 'CloudDatabase', metadata: { name: 'orders' } },
    spec: { engine: 'postgres', size: 'small' },
  });
  expect(await lines('cdb/orders', /^postgres database /)).toEqual([]);
  const now = () => cluster.objects.find(cloudDatabases, 'shop', 'orders');
  await until(cluster, 'it is announced', () => now()?.status?.external !== undefined);
  const announced = await lines('cdb/orders', /^postgres database /);
  await until(cluster, 'it is ready', () => isReady(now()));
  const uid = now()?.metadata.uid ?? 'none';
  expect([...announced, ...(await lines('cdb/orders', /^postgres database /))]).toEqual([
    'postgres database (not made yet) at nowhere',
    `postgres database assumed-${uid}-1 at assumed.example.com:5432`,
  ]);
});

test('a set without upgrade: the revision of each member is that of the StatefulSet', async () => {
  const { cluster, run } = await started();
  await readySet(cluster);
  const { out } = await run('status mss/ledger');
  expect(out.match(/revision ledger-[0-9a-z]+/g)).toHaveLength(3);
});

test('the upgrade of a store says when it fails; one that is paused says so, and counts nothing down', async () => {
  const { cluster, lines } = await started();
  await readyStore(cluster);
  await changeStore(cluster, { version: 'missing' });
  await until(cluster, 'the upgrade', () => storeNow(cluster)?.status?.upgrade?.lastProgressAt !== undefined);
  await cluster.advance(60_000);
  expect(await lines('kvs/carts', /fails in/)).toEqual(['fails in AGE unless something moves']);
  const body = { metadata: { annotations: { 'ordinal.dev/paused': 'true' } } };
  await stores(cluster).patch('carts', { type: 'merge', body });
  expect(await lines('kvs/carts', /fails in|paused;/)).toEqual([
    'paused; to go on: kubectl ordinal resume kvs/carts -n shop',
  ]);
});

test('gates say now what they say: members are asked by GET', async () => {
  const { cluster, lines, requests } = await started();
  await readyCache(cluster);
  expect(await lines('ccache/sessions', /^ready-for/)).toEqual([
    'ready-for-shutdown (Peers)  open: sessions-0: HTTP 200, asked AGE ago',
  ]);
  await changeCache(cluster, {
    upgrade: { gates: [{ name: 'drained', target: 'Self', exec: { command: ['true'] } }] },
  });
  await cluster.advance(5_000);
  expect(await lines('ccache/sessions', /^drained|^ready-for/)).toEqual(['drained (Self)  open or not asked']);
  expect(requests.filter((request) => !request.startsWith('GET '))).toEqual([]);
});

test('--watch asks gates again, and says how old their last answer is', async () => {
  const { cluster, run } = await started();
  let status = 200;
  cluster.image('cache:moody', { startsIn: 1_000, http: () => status });
  await readyCache(cluster, { image: 'cache:moody' });
  const ending = new AbortController();
  let out = '';
  const more = { interrupted: ending.signal, out: (text: string) => void (out += text) };
  const watching = run('status ccache/sessions --watch', more);
  const drawn = async (text: string): Promise<void> => {
    while (!out.includes(text)) await new Promise((resolve) => setTimeout(resolve, 50));
  };
  await drawn('ready-for-shutdown (Peers)  open: sessions-0: HTTP 200, asked 0s ago');
  await cluster.advance(5_000);
  await drawn('open: sessions-0: HTTP 200, asked 5s ago');
  status = 503;
  await cluster.advance(5_000);
  await drawn('closed: sessions-0: HTTP 503, asked 0s ago');
  ending.abort();
  expect((await watching).exitCode).toBe(0);
});

test('what is paused is said in the line of each resource, and in its tree', async () => {
  const { cluster, lines, run } = await started();
  await readyCache(cluster, { upgrade: { paused: true } });
  await readyStore(cluster);
  await stores(cluster).patch('carts', {
    type: 'merge',
    body: { metadata: { annotations: { 'ordinal.dev/paused': 'true' } } },
  });
  expect((await run('status')).out.split('\n')).toEqual([
    'ClusteredCache shop/sessions  AllMembersReady  upgrades paused  cache:1  3/3 ready',
    'KVStoreCluster shop/carts  Ready  paused  1.0  3/3 ready',
    '',
  ]);
  expect(await lines('ccache/sessions', /paused;/)).toEqual([
    'upgrades paused; to go on: kubectl ordinal resume ccache/sessions -n shop',
  ]);
});
