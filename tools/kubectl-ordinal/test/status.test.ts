import { stripVTControlCharacters } from 'node:util';
import { clusteredCaches } from '@ordinal/api';
import { expect, onTestFinished, test } from 'vitest';
import { cache, cacheNow, caches, changeCache, isReady, readyCache, readyStore, until } from './resources.ts';
import { pluginWorld } from './plugin-world.ts';

async function started() {
  const world = await pluginWorld();
  onTestFinished(() => world.stop());
  return world;
}

const waitsAtGate = (cluster: Parameters<typeof cacheNow>[0]) => () =>
  cacheNow(cluster)?.status?.upgrade?.blockedBy?.startsWith('gate ') === true;

test('the tree of a cache that waits at a gate: the step, what it waits for, the members and the gate', async () => {
  const { cluster, run } = await started();
  await readyCache(cluster, { image: 'cache:stubborn' });
  await changeCache(cluster, { image: 'cache:2' });
  await until(cluster, 'the gate is closed', waitsAtGate(cluster));
  const { exitCode, out } = await run('status ccache/sessions');
  expect(exitCode).toBe(0);
  const revision = cacheNow(cluster)?.status?.currentRevision ?? 'none';
  expect(
    out
      .split('\n')
      .map((line) => line.replace(/\d+m?\d*s\b/g, 'T').replaceAll(revision, 'REVISION'))
      .filter((line) => !line.includes('data-')),
  ).toMatchInlineSnapshot(`
    [
      "ClusteredCache shop/sessions  Upgrading  cache:stubborn → cache:2  3/3 ready",
      "├─ upgrade  AwaitingGate sessions-2 for T, 0 of 3 updated",
      "│  ├─ ──────────────────────── 0 %",
      "│  ├─ waits for gate ready-for-shutdown: sessions-0: HTTP 503",
      "│  ├─ to go on all the same: kubectl ordinal override ccache/sessions -n shop",
      "│  └─ fails in T unless something moves",
      "├─ conditions",
      "│  ├─ Available    True    Upgrading: 3 of 3 members are ready T",
      "│  ├─ Ready        False   AwaitingGate: sessions-2 may not go down yet: gate ready-for-shutdown: sessions-0: HTTP 503 T",
      "│  ├─ Progressing  True    AwaitingGate: sessions-2 may not go down yet: gate ready-for-shutdown: sessions-0: HTTP 503 T",
      "│  ├─ Degraded     False   AsWanted T",
      "│  └─ Upgrading    True    Upgrading: 0 of 3 members run cache:2 T",
      "├─ StatefulSet sessions  3/3 ready",
      "│  ├─ sessions-0  stubborn  ready T        revision REVISION",
      "│  ├─ sessions-1  stubborn  ready T        revision REVISION",
      "│  └─ sessions-2  stubborn  ready T        revision REVISION",
      "└─ gates",
      "   └─ ready-for-shutdown (Peers)  closed: sessions-0: HTTP 503, for T",
      "",
    ]
  `);
});

test('all resources of a namespace, a line for each, and as data', async () => {
  const { cluster, run } = await started();
  await readyCache(cluster);
  await readyStore(cluster);
  const { out } = await run('status');
  expect(out.split('\n')).toEqual([
    'ClusteredCache shop/sessions  AllMembersReady  cache:1  3/3 ready',
    'KVStoreCluster shop/carts  Ready  1.0  3/3 ready',
    '',
  ]);
  const data = JSON.parse((await run('status -A -o json')).out) as readonly {
    readonly name: string;
    readonly members: readonly unknown[];
  }[];
  expect(data.map(({ name, members }) => [name, members.length])).toEqual([
    ['sessions', 3],
    ['carts', 3],
  ]);
  expect((await run('status -n default')).out).toBe(
    'there are no resources of Ordinal here; -A shows all namespaces\n',
  );
});

test('--watch draws each change, and ends when the user does', async () => {
  const { cluster, run } = await started();
  await readyCache(cluster);
  const ending = new AbortController();
  let out = '';
  const watching = run('status ccache/sessions --watch', {
    interrupted: ending.signal,
    out: (text) => void (out += text),
  });
  const drawn = async (text: string): Promise<void> => {
    while (!out.includes(text)) await new Promise((resolve) => setTimeout(resolve, 50));
  };
  await drawn('AllMembersReady');
  await changeCache(cluster, { image: 'cache:2' });
  await until(cluster, 'an upgrade', () => cacheNow(cluster)?.status?.upgrade?.step === 'AwaitingReady');
  await drawn('AwaitingReady');
  await until(cluster, 'its end', () => cacheNow(cluster)?.status?.currentVersion === 'cache:2');
  await drawn('cache:2  3/3 ready');
  ending.abort();
  expect((await watching).exitCode).toBe(0);
});

test('what is wrong with the command line, or not there, is said with its exit code', async () => {
  const { run } = await started();
  expect(await run('status pod/x')).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining('there is no kind "pod" here: use ccache, kvs, mss, cdb'),
  });
  expect(await run('status ccache/x')).toMatchObject({
    exitCode: 1,
    err: 'kubectl ordinal: there is no ClusteredCache x in namespace shop\n',
  });
  expect(await run('status --outptu json')).toMatchObject({ exitCode: 2 });
  expect(await run('__complete why ccache')).toMatchObject({ out: 'ccache/\n:6\n' });
});

test('--watch with --output prints what is shown as data, at first and after each change', async () => {
  const { cluster, run } = await started();
  await readyCache(cluster);
  const ending = new AbortController();
  let out = '';
  const more = { interrupted: ending.signal, out: (text: string) => void (out += text) };
  const watching = run('status ccache/sessions --watch -o json', more);
  const printed = async (text: string): Promise<void> => {
    while (!out.includes(text)) await new Promise((resolve) => setTimeout(resolve, 50));
  };
  await printed('"version": "cache:1"');
  await changeCache(cluster, { image: 'cache:2' });
  await until(cluster, 'the upgrade', () => cacheNow(cluster)?.status?.currentVersion === 'cache:2');
  await printed('"version": "cache:2"');
  ending.abort();
  expect((await watching).exitCode).toBe(0);
  const all = out.split(/^(?=\{$)/m).map((text) => JSON.parse(text) as { readonly name: string });
  expect(all.length).toBeGreaterThan(1);
  expect(all.every(({ name }) => name === 'sessions')).toBe(true);
});

test('at a terminal that is too low, what waits is above what does not, and the others are counted', async () => {
  const { cluster, run } = await started();
  await readyStore(cluster);
  await readyCache(cluster, { image: 'cache:stubborn' });
  for (const name of ['a', 'b', 'c']) await caches(cluster).create({ ...cache(), metadata: { name } });
  const areReady = () => cluster.objects.list(clusteredCaches, 'shop').every(isReady);
  await until(cluster, 'all', areReady);
  await changeCache(cluster, { image: 'cache:2' });
  await until(cluster, 'the gate is closed', waitsAtGate(cluster));
  const ending = new AbortController();
  let out = '';
  const terminal = { isTerminal: true, rows: 5, interrupted: ending.signal };
  const watching = run('status --watch', { ...terminal, out: (text: string) => void (out += text) });
  while (!out.includes('more')) await new Promise((resolve) => setTimeout(resolve, 50));
  ending.abort();
  await watching;
  const lines = stripVTControlCharacters(out).split('\n').slice(0, 4);
  expect(lines[0]).toContain('ClusteredCache shop/sessions  Upgrading');
  expect(lines[1]).toBe('  waits for gate ready-for-shutdown: sessions-0: HTTP 503');
  expect(lines[2]).toContain('ClusteredCache shop/a');
  expect(lines[3]).toBe('and 3 more; status KIND/NAME shows one');
});

test('console --output json prints its address as data', async () => {
  const { run } = await started();
  const { exitCode, out } = await run('console -o json', { interrupted: AbortSignal.abort() });
  expect(exitCode).toBe(0);
  expect(JSON.parse(out)).toEqual({ url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:/) as string });
});
