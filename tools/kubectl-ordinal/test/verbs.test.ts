import { jobs, pods } from '@ordinal/client';
import { expect, onTestFinished, test } from 'vitest';
import { pluginWorld } from './plugin-world.ts';
import {
  cacheNow,
  changeCache,
  changeStore,
  isReady,
  readyCache,
  readyStore,
  store,
  storeNow,
  stores,
  until,
} from './resources.ts';

async function started() {
  const world = await pluginWorld();
  onTestFinished(() => world.stop());
  return world;
}

const writes = (requests: readonly string[]) => requests.filter((line) => !line.startsWith('GET '));
const nothingDone = (err: string) => ({ exitCode: 3, out: '', err: expect.stringContaining(err) as string });

test('override opens the gate that an upgrade waits for; without an answer nothing is written', async () => {
  const { cluster, run, requests } = await started();
  await readyCache(cluster, { image: 'cache:stubborn' });
  expect(await run('override ccache/sessions --yes')).toEqual(
    nothingDone('override would do nothing for ClusteredCache shop/sessions: no gate is closed'),
  );
  await changeCache(cluster, { image: 'cache:2' });
  await until(
    cluster,
    'the gate is closed',
    () => cacheNow(cluster)?.status?.upgrade?.blockedBy?.startsWith('gate ') === true,
  );
  expect(await run('override ccache/sessions')).toEqual(
    nothingDone('there is no terminal to ask at: give --yes; nothing was written'),
  );
  expect(await run('override ccache/sessions', { confirm: () => Promise.resolve(false) })).toEqual(
    nothingDone('not confirmed'),
  );
  expect(writes(requests)).toEqual([]);
  const before = cluster.objects.find(pods, 'shop', 'sessions-2')?.metadata.uid;
  const asked: string[] = [];
  const done = await run('override ccache/sessions', {
    confirm: (question) => Promise.resolve(asked.push(question) > 0),
  });
  expect(done).toMatchObject({
    exitCode: 0,
    out: 'done; kubectl ordinal status ccache/sessions -n shop shows what becomes of it\n',
  });
  expect(done.err).toContain('this opens the gates of sessions-2 for this one time');
  expect(asked).toEqual(['Go on?']);
  await until(cluster, 'the member is replaced', () => {
    const now = cluster.objects.find(pods, 'shop', 'sessions-2')?.metadata.uid;
    return now !== undefined && now !== before;
  });
});

test('promote lets a canary go on, and abort ends an upgrade', async () => {
  const { cluster, run } = await started();
  await readyCache(cluster, { upgrade: { canary: { promotion: 'Manual' } } });
  expect(await run('promote ccache/sessions --yes')).toEqual(nothingDone('there is no upgrade under way'));
  await changeCache(cluster, { image: 'cache:2' });
  await until(cluster, 'it begins', () => cacheNow(cluster)?.status?.upgrade?.step === 'AwaitingReady');
  expect(await run('promote ccache/sessions --yes')).toEqual(
    nothingDone('no canary waits for a promotion: the upgrade is at step AwaitingReady'),
  );
  await until(cluster, 'the canary waits', () => cacheNow(cluster)?.status?.upgrade?.step === 'AwaitingPromotion');
  expect((await run('promote ccache/sessions --yes')).exitCode).toBe(0);
  await until(cluster, 'the end', () => cacheNow(cluster)?.status?.currentVersion === 'cache:2');
  await changeCache(cluster, { image: 'cache:1' });
  await until(cluster, 'it begins', () => cacheNow(cluster)?.status?.upgrade !== undefined);
  const { exitCode, err } = await run('abort ccache/sessions --yes');
  expect({ exitCode, err }).toEqual({
    exitCode: 0,
    err: 'ClusteredCache shop/sessions: this ends the upgrade, which then has failed (Aborted): members stay as they are (onFailure: Stop). A retry takes this back.\n',
  });
  await until(cluster, 'it has failed', () => cacheNow(cluster)?.status?.failure?.reason === 'Aborted');
  // The abort goes with it: what is tried again would be ended at once.
  expect((await run('retry ccache/sessions --yes')).exitCode).toBe(0);
  await until(cluster, 'it is tried again', () => cacheNow(cluster)?.status?.upgrade?.step === 'AwaitingPromotion');
  expect(await run('retry ccache/sessions --yes')).toEqual(nothingDone('nothing has failed'));
});

test('pause and resume', async () => {
  const { cluster, run } = await started();
  await readyStore(cluster);
  expect(await run('resume kvs/carts --yes')).toEqual(nothingDone('it is not paused'));
  expect((await run('pause kvs/carts --yes')).exitCode).toBe(0);
  expect((await run('pause kvs/carts --upgrade --yes')).exitCode).toBe(0);
  expect(await run('pause kvs/carts --yes')).toEqual(nothingDone('it is paused already'));
  await changeStore(cluster, { version: '2.0' });
  await cluster.advance(60_000);
  expect(storeNow(cluster)?.status?.currentVersion).toBe('1.0');
  expect((await run('resume kvs/carts --yes')).exitCode).toBe(0);
  await until(cluster, 'the upgrade', () => storeNow(cluster)?.status?.currentVersion === '2.0');
});

test('backup makes one by its name, and restore a new cluster of it', async () => {
  const { cluster, run } = await started();
  await readyStore(cluster);
  expect(await run('backup kvs/carts --yes')).toEqual(nothingDone('spec.backup says no Job that makes backups'));
  cluster.image('backups:1', { run: ({ log }) => (log('s3://backups/carts'), 0) });
  const job = { command: ['backup'], image: 'backups:1' };
  await changeStore(cluster, { backup: { job, schedule: { cron: '@daily' }, drill: { check: job, restore: job } } });
  expect(await run('restore kvs/carts --to copy --yes')).toEqual(nothingDone('no backup has succeeded yet'));
  expect((await run('backup kvs/carts --name before-audit --yes')).exitCode).toBe(0);
  await until(cluster, 'the backup', () => storeNow(cluster)?.status?.backups?.[0]?.result === 'Succeeded');
  expect(await run('backup kvs/carts --name before-audit --yes')).toEqual(nothingDone('is asked for already'));
  expect((await run('status kvs/carts')).out).toMatch(
    /└─ backups\n {3}└─ before-audit {2}Succeeded \S+ {2}s3:\/\/backups\/carts\n/,
  );
  for (const wrong of ['', ' --to copy --drill', ' --drill --backup before-audit'])
    expect((await run(`restore kvs/carts${wrong} --yes`)).exitCode).toBe(2);
  const refused = await run('restore kvs/carts --over --yes -o json');
  expect(refused.exitCode).toBe(3);
  expect(JSON.parse(refused.out)).toEqual({
    ...{ verb: 'restore', kind: 'KVStoreCluster', namespace: 'shop', name: 'carts' },
    refuses: 'no restore waits for the permission to write over volumes',
  });
  expect(await run('restore kvs/carts --to copy --backup other --yes')).toEqual(
    nothingDone('there is no backup other that succeeded; there are before-audit'),
  );
  expect(await run('restore kvs/carts --to copy --yes -o json')).toMatchObject({
    exitCode: 0,
    out: expect.stringContaining('"verb": "restore"') as string,
  });
  const copy = await stores(cluster).get('copy');
  expect(copy.spec.restoreFrom).toMatchObject({ backup: 'before-audit', location: 's3://backups/carts' });
  expect(copy.spec.backup?.schedule).toBeUndefined();
  expect((await run('restore kvs/carts --drill --name audit --yes')).exitCode).toBe(0);
  await until(cluster, 'the drill', () => storeNow(cluster)?.status?.drills?.[0]?.result === 'Succeeded');
});

test('restore --over lets a restore write over the volumes of an earlier cluster, and this one alone', async () => {
  const { cluster, run } = await started();
  await readyStore(cluster);
  expect(await run('restore kvs/carts --over --yes')).toEqual(
    nothingDone('no restore waits for the permission to write over volumes'),
  );
  await stores(cluster).delete('carts');
  await until(cluster, 'the deletion', () => storeNow(cluster) === undefined);
  cluster.image('backups:1', { run: () => 0 });
  const job = { command: ['restore'], image: 'backups:1' };
  await stores(cluster).create(store({ restoreFrom: { backup: 'monday', job } }));
  const waits = () =>
    storeNow(cluster)?.status?.conditions?.some(({ message }) => message.includes('an earlier cluster has left')) ===
    true;
  await until(cluster, 'it waits', waits);
  await cluster.advance(60_000);
  expect(cluster.objects.list(jobs, 'shop')).toEqual([]);
  const { exitCode, err } = await run('restore kvs/carts --over --yes');
  expect({ exitCode, err }).toEqual({
    exitCode: 0,
    err: 'KVStoreCluster shop/carts: this restores over the volumes that are there: what they hold is lost.\n',
  });
  expect(storeNow(cluster)?.metadata.annotations?.['ordinal.dev/restore-over']).toBe(storeNow(cluster)?.metadata.uid);
  await until(cluster, 'it is restored', () => isReady(storeNow(cluster)));
  expect(cluster.objects.list(jobs, 'shop').map(({ status }) => status?.succeeded)).toEqual([1]);
});

test('release is another name of override, and help says when the exit code is 4', async () => {
  const { cluster, run } = await started();
  await readyCache(cluster);
  expect((await run('release ccache/sessions --yes')).err).toBe((await run('override ccache/sessions --yes')).err);
  expect((await run('--help')).out).toContain('an invariant is broken under a fault');
});
