import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { gracePeriodMs } from '../loopback-set.ts';
import type { SetOptions } from '../loopback-set.ts';
import { MemberSet, missing } from './members.ts';

const reason = missing === undefined ? 'with real servers' : `no ${missing} here`;
const sets: MemberSet[] = [];
const three = [0, 1, 2];

function setOf(options: SetOptions = {}): MemberSet {
  const set = new MemberSet(options);
  sets.push(set);
  return set;
}

let shared: MemberSet | undefined;
let rows = 0;

/** The set of three that an earlier test has left as it was, or a new one. */
async function serving(): Promise<MemberSet> {
  const left = shared;
  // One that is not left whole is not taken again.
  shared = undefined;
  if (left) return left;
  const set = setOf();
  set.start(three);
  await set.settled();
  await set.ask(0, 'create database shop; create table shop.orders (number int primary key)');
  rows = 0;
  return set;
}

/** Adds a row by one of the members. */
async function write(set: MemberSet, ordinal: number): Promise<void> {
  rows += 1;
  expect(await set.ask(ordinal, `insert into shop.orders values (${String(rows)})`)).toBe('');
}

/** Who is in the cluster as a member has seen it last. */
const viewOf = (set: MemberSet, ordinal: number): string => readFileSync(set.onVolume(ordinal, 'view'), 'utf8').trim();

/** Every row is at each of these. */
async function haveAll(set: MemberSet, ordinals: readonly number[] = three): Promise<void> {
  for (const ordinal of ordinals) expect(await set.ask(ordinal, 'select count(*) from shop.orders')).toBe(String(rows));
}

afterAll(async () => {
  await Promise.all(sets.splice(0).map((set) => set.remove()));
});

// Each wait has a limit of its own. On a busy machine, many short ones come to minutes.
describe.skipIf(missing !== undefined)(`the members’ scripts of Galera (${reason})`, { timeout: 900_000 }, () => {
  test('members without data are ready one after the other, then the first one founds the cluster that the others join; one that waits ends at SIGTERM', async () => {
    const set = setOf();
    for (const ordinal of [0, 1]) {
      set.start([ordinal]);
      await set.answers(ordinal, 'ready.sh', { code: 0 });
      expect(set.hasData(ordinal)).toBe(false);
    }
    expect(await set.stop(1)).toBeLessThan(gracePeriodMs);
    set.silence(true);
    await set.says('the name server does not answer', () => set.start([1, 2]));
    set.silence(true);
    expect(set.hasData(0)).toBe(false);
    set.silence(false);
    await set.settled();
    expect(set.log.split('founds the first cluster')).toHaveLength(2);
    for (const ordinal of three) {
      await set.answers(ordinal, 'ready.sh', { code: 0 });
      expect(await set.run(ordinal, 'quorum.sh')).toEqual({ code: 0, output: '' });
    }
    expect(await set.ask(2, "show variables like 'max_connections'")).toContain('40');
    expect(
      await set.ask(0, "select user, host from mysql.global_priv where user not like 'mariadb%' order by 1, 2"),
    ).toBe('member\tlocalhost\nroot\t%\nroot\tlocalhost');
    await set.ask(0, 'create database shop; create table shop.orders (number int primary key)');
    rows = 0;
    await write(set, 2);
    shared = set;
  });

  test('while a member is away no other one may go, and it comes back with what it has missed', async () => {
    const set = await serving();
    await set.stop(2);
    expect(await set.run(0, 'quorum.sh')).toEqual({ code: 1, output: 'shop-2 has no pod' });
    const refused = await set.run(0, 'leave.sh', { ORDINAL_CLUSTER: 'shop', ORDINAL_TARGET_REPLICAS: '3', TRIES: '1' });
    expect(refused).toEqual({ code: 1, output: 'shop-2 has no pod' });
    await write(set, 0);
    set.start([2]);
    await set.settled();
    await haveAll(set);
    shared = set;
  });

  test('after a stop of all, one after the other, the member that has the most founds the cluster, and only when all have said what they have', async () => {
    const set = await serving();
    for (const ordinal of [0, 2]) {
      await set.stop(ordinal);
      await write(set, 1);
    }
    await set.stop(1);
    set.start([0]);
    await set.answers(0, 'ready.sh', { code: 0 });
    await set.says('2: waits: shop-1 has no pod', () => set.start([2]));
    await set.answers(2, 'ready.sh', { code: 0 });
    expect(await set.states([0, 2])).toEqual(['waits', 'waits']);
    await set.says('1: founds the cluster again', () => set.start([1]));
    await set.settled();
    await haveAll(set);
    shared = set;
  });

  test('after a crash of all at once each finds out what it has, and one founds the cluster', async () => {
    const set = await serving();
    await write(set, 1);
    await Promise.all(three.map((ordinal) => set.crash(ordinal)));
    expect(three.map((ordinal) => set.saved(ordinal, 'seqno'))).toEqual(['-1', '-1', '-1']);
    const { length } = set.log;
    set.start(three);
    await set.settled();
    expect(set.log.slice(length).split('founds the cluster again')).toHaveLength(2);
    await haveAll(set);
    shared = set;
  });

  test('a member whose volume is lost founds nothing beside a cluster and copies another one, which may not go meanwhile', async () => {
    const set = await serving();
    await set.stop(0);
    set.loseVolume(0);
    await set.says('0: joins the cluster', () => set.start([0]));
    await expect.poll(() => set.states([1, 2]), { timeout: 120_000, interval: 100 }).toContain('donor');
    expect(await set.run(0, 'ready.sh')).toMatchObject({ code: 1 });
    expect(await set.run(1, 'quorum.sh')).toMatchObject({ code: 1, output: expect.stringContaining('is not in sync') });
    await set.settled();
    await haveAll(set);
    shared = set;
  });

  test('a member that has lost the majority takes no writes, and finds out with those that crashed who has the most', async () => {
    const set = await serving();
    await Promise.all([1, 2].map((ordinal) => set.crash(ordinal)));
    await set.answers(0, 'ready.sh', { code: 1, output: 'nonprimary' });
    const { length } = set.log;
    set.start([1]);
    // One is not enough: the other may have more.
    await set.says('1: waits: shop-0 is nonprimary', () => undefined);
    expect((await set.state(0))[0]).toBe('nonprimary');
    set.start([2]);
    // The container of the member starts again.
    await expect.poll(() => set.runs(0), { timeout: 120_000 }).toBe(false);
    set.start([0]);
    await set.settled();
    expect(set.log.slice(length).split('founds the cluster again')).toHaveLength(2);
    await haveAll(set);
    shared = set;
  });

  test('after a crash of all no cluster is founded without a member that may have had more, unless a user says so', async () => {
    const set = await serving();
    await Promise.all(three.map((ordinal) => set.crash(ordinal)));
    set.loseVolume(2);
    await set.says('waits: shop-2 has no data any more, and may have had more', () => set.start(three));
    expect(await set.states(three)).toEqual(['waits', 'waits', 'blank']);
    await set.answers(0, 'ready.sh', { code: 1, output: 'waits: ' });
    for (const ordinal of [0, 1]) set.found(ordinal);
    await set.settled();
    await haveAll(set);
    shared = set;
  });

  test('a server that is older than its data is not started with it: the data goes aside, and is copied from one that is not newer', async () => {
    const set = await serving();
    await set.stop(2);
    writeFileSync(set.onVolume(2, 'version'), '99.1\n');
    await set.says('2: its data is of 99.1, newer than 10.11: it goes aside', () => set.start([2]));
    await set.settled();
    await haveAll(set);
    await set.stopAll();
    writeFileSync(set.onVolume(2, 'version'), '99.1\n');
    set.loseVolume(0);
    set.loseVolume(1);
    await set.says('2: waits: its data is of 99.1, newer than 10.11: put that image back', () => set.start(three));
    expect(await set.states(three)).toEqual(['blank', 'blank', 'waits']);
    await set.stop(2);
    writeFileSync(set.onVolume(2, 'version'), '10.11\n');
    set.found(2);
    set.start([2]);
    await set.settled();
    await haveAll(set);
    shared = set;
  });

  test('a member with data of another cluster does not join, and loses nothing', async () => {
    const set = await serving();
    await set.stop(1);
    const state = set.onVolume(1, 'mysql/grastate.dat');
    const other = '11111111-2222-3333-4444-555555555555';
    writeFileSync(state, `# GALERA saved state\nversion: 2.1\nuuid:    ${other}\nseqno:   7\nsafe_to_bootstrap: 1\n`);
    await set.says(`1: waits: its data is of the cluster ${other}`, () => set.start([1]));
    expect(set.hasData(1)).toBe(true);
    await set.stop(1);
    rmSync(set.onVolume(1, 'mysql'), { recursive: true });
    set.start([1]);
    await set.settled();
    await haveAll(set);
    shared = set;
  });

  test('a set grows, and shrinks when those that stay are in step', async () => {
    const set = await serving();
    set.start([3]);
    await set.settled();
    await haveAll(set, [0, 1, 2, 3]);
    const reduction = { ORDINAL_CLUSTER: 'shop', ORDINAL_REPLICAS: '4', ORDINAL_TARGET_REPLICAS: '3' };
    expect(await set.run(0, 'leave.sh', reduction)).toEqual({ code: 0, output: '' });
    await set.stop(3);
    await set.settled();
    await write(set, 1);
    for (const ordinal of three) await expect.poll(() => viewOf(set, ordinal), { timeout: 60_000 }).toBe('0,1,2');
    // Those that leave after it do not wait for it, nor do those that stay after a stop of all.
    expect(await set.run(1, 'quorum.sh')).toEqual({ code: 0, output: '' });
    await set.stopAll();
    set.start(three);
    await set.settled();
    await haveAll(set);
    shared = set;
  });

  test('members wait for one more than declared that was in the cluster with one of them, and has gone on without them', async () => {
    const set = await serving();
    set.start([3]);
    await set.settled();
    for (const ordinal of three) await expect.poll(() => viewOf(set, ordinal), { timeout: 60_000 }).toBe('0,1,2,3');
    // One after the other: each leaves a majority.
    for (const ordinal of three) {
      await set.stop(ordinal);
      await set.settled();
    }
    await write(set, 3);
    await set.stop(3);
    // Of the three this one has the most. What it has on record is of before: the others know better.
    writeFileSync(set.onVolume(2, 'view'), '0,1,2\n');
    await set.says('2: waits: shop-3 has no pod', () => set.start(three));
    // Its pod is made when theirs are ready.
    for (const ordinal of three) await set.answers(ordinal, 'ready.sh', { code: 0 });
    await set.says('3: founds the cluster again', () => set.start([3]));
    await set.settled();
    await haveAll(set, [0, 1, 2, 3]);
    await set.stop(3);
    await set.settled();
    shared = set;
  });

  test('a backup of a member in sync becomes the data of a new cluster', async () => {
    const set = await serving();
    const job = { ORDINAL_CLUSTER: 'shop', ORDINAL_NAMESPACE: 'ns', ORDINAL_BACKUP_NAME: 'one', ORDINAL_REPLICAS: '3' };
    const folder = `${set.backups}/ns/shop/one`;
    expect(await set.run(0, 'backup.sh', job)).toEqual({ code: 0, output: folder });
    await set.stopAll();
    const copy = setOf({ environment: { CLAIMS: '', ORDINAL_BACKUP_LOCATION: folder } });
    for (const ordinal of three) await copy.run(ordinal, 'state.sh');
    expect(await copy.run(0, 'restore.sh', { CLAIMS: copy.claims })).toEqual({ code: 0, output: 'restored' });
    copy.start(three);
    await copy.settled();
    await haveAll(copy);
    expect(copy.log).not.toContain('founds the first cluster');
    const without = await copy.run(0, 'restore.sh', { CLAIMS: copy.claims, ORDINAL_BACKUP_LOCATION: `${folder}-not` });
    expect(without).toMatchObject({ code: 1, output: expect.stringContaining('is no whole backup') });
    await copy.stopAll();
  });

  test('a set of one is founded, and starts again with its data', async () => {
    const set = setOf({ replicas: 1 });
    set.start([0]);
    await set.settled();
    await set.crash(0);
    set.start([0]);
    await set.settled();
    expect(await set.run(0, 'quorum.sh')).toEqual({ code: 0, output: '' });
  });
});
