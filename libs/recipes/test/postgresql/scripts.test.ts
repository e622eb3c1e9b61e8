import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { Load } from './load.ts';
import { MemberSet, missing } from './members.ts';
import type { SetOptions } from '../loopback-set.ts';

const reason = missing === undefined ? 'with real servers' : `no ${missing} here`;
const sets: MemberSet[] = [];
const three = [0, 1, 2];

function setOf(options: SetOptions = {}): MemberSet {
  const set = new MemberSet(options);
  sets.push(set);
  return set;
}

/** A set of three that serves, with a table. */
async function serving(options: SetOptions = {}): Promise<MemberSet> {
  const set = setOf(options);
  set.start(three);
  await set.ask(await set.settled(), 'create table kept (word text)');
  return set;
}

const keep = (set: MemberSet, leader: number, word: string): Promise<string> =>
  set.ask(leader, `insert into kept values ('${word}')`);
const kept = (set: MemberSet, ordinal: number): Promise<string> =>
  set.ask(ordinal, "select string_agg(word, ' ' order by word) from kept");

afterEach(async () => {
  await Promise.all(sets.splice(0).map((set) => set.remove()));
});

describe.skipIf(missing !== undefined)(`the members’ scripts of PostgreSQL (${reason})`, { timeout: 400_000 }, () => {
  test('members without data are ready one after the other, and then the first one founds a cluster that the others copy', async () => {
    const set = setOf();
    for (const ordinal of [0, 1]) {
      set.start([ordinal]);
      await set.answers(ordinal, 'ready.sh', { code: 0 });
      expect(set.hasData(ordinal)).toBe(false);
    }
    set.start([2]);
    expect(await set.settled()).toBe(0);
    for (const ordinal of three) await set.answers(ordinal, 'ready.sh', { code: 0 });
    expect((await set.run(0, 'role.sh')).output).toBe('primary');
    expect((await set.run(1, 'role.sh')).output).toBe('standby');
    expect(await set.ask(0, 'show synchronous_standby_names')).toBe('ANY 1 ("shop-1", "shop-2")');
  });

  test('one that leads hands over under load, no acknowledged write is lost, and it follows the new one without a new copy', async () => {
    const set = await serving();
    const copies = (): number => set.log.split('copies the data').length;
    const before = copies();
    const load = await Load.begin(set, 0);
    await load.more(200);
    expect(await set.run(1, 'handoff.sh')).toEqual({ code: 0, output: '' });
    expect((await set.run(0, 'role.sh')).output).toBe('primary');
    for (let leader = 0, turn = 0; turn < 2; turn += 1) {
      expect(await set.run(leader, 'handoff.sh')).toEqual({ code: 0, output: '' });
      await load.more(200);
      const next = await set.settled();
      expect(next).not.toBe(leader);
      leader = next;
    }
    expect(await load.end(0)).toBe(0);
    expect(set.log).not.toContain('pg_rewind');
    expect(copies()).toBe(before);
  });

  test('one that leads hands over although another standby has stopped to take what it sends', async () => {
    const set = await serving();
    await set.ask(0, "alter system set wal_sender_timeout = '10min'");
    await set.ask(0, 'select pg_reload_conf()');
    const receiver = Number(await set.ask(2, 'select pid from pg_stat_wal_receiver'));
    process.kill(receiver, 'SIGSTOP');
    try {
      await keep(set, 0, 'early');
      expect(await set.run(0, 'handoff.sh')).toEqual({ code: 0, output: '' });
      expect((await set.run(1, 'role.sh')).output).toBe('primary');
      // It follows the new one while the other standby still takes nothing.
      await set.answers(0, 'role.sh', { code: 0, output: 'standby' });
    } finally {
      process.kill(receiver, 'SIGCONT');
    }
    expect(await set.settled()).toBe(1);
    expect(await kept(set, 0)).toBe('early');
  });

  test('when one that leads crashes under load the others elect one of them, and the former one comes back as its standby', async () => {
    const set = await serving();
    const load = await Load.begin(set, 0);
    await load.more(200);
    await set.crash(0);
    await load.more(200);
    const leader = await set.settled();
    expect(leader).not.toBe(0);
    set.start([0]);
    expect(await set.settled()).toBe(leader);
    await load.more(50);
    expect(await load.end(0)).toBe(0);
    expect(set.log).toContain(`0: shop-${String(leader)} leads now`);
  });

  test('one that does not answer for a while and goes on acknowledges nothing, and leads no more', async () => {
    const set = await serving({ environment: { FAILOVER: '3' } });
    const load = await Load.begin(set, 0);
    await load.more(200);
    set.freeze(0, 'SIGSTOP');
    await load.more(200);
    set.freeze(0, 'SIGCONT');
    const late = await set.askWith('options=-cstatement_timeout=0', 0, "insert into kept values ('late')");
    expect(late.code).not.toBe(0);
    const leader = await set.settled();
    expect(leader).not.toBe(0);
    expect(await load.end(0)).toBe(0);
    expect(await kept(set, 0)).toBe('');
  });

  test('a server that crashes and comes back at once leads again', async () => {
    const set = await serving();
    await keep(set, 0, 'early');
    await set.crash(0, { keepsPod: true });
    set.start([0]);
    expect(await set.settled()).toBe(0);
    expect(await kept(set, 1)).toBe('early');
  });

  test('a standby whose volume is lost copies the data, and so does one that led', async () => {
    const set = await serving();
    await keep(set, 0, 'early');
    await set.stop(1);
    set.loseVolume(1);
    set.start([1]);
    expect(await set.settled()).toBe(0);
    expect(await kept(set, 1)).toBe('early');
    await set.crash(0);
    set.loseVolume(0);
    set.start([0]);
    expect(await set.settled()).not.toBe(0);
    expect(await kept(set, 0)).toBe('early');
  });

  test('after a stop of all members the one that led last leads, ready one after the other, and no cluster is founded', async () => {
    const set = await serving();
    await set.run(0, 'handoff.sh');
    const leader = await set.settled();
    await keep(set, leader, 'early');
    await set.stopAll();
    set.loseVolume(0);
    set.start([0]);
    await set.answers(0, 'ready.sh', { code: 0 });
    await sleep(3000);
    expect(set.hasData(0)).toBe(false);
    set.start([1]);
    await set.answers(1, 'ready.sh', { code: 0 });
    set.start([2]);
    expect(await set.settled()).toBe(leader);
    expect(await kept(set, 0)).toBe('early');
  });

  test('where two of three are missing, the third one neither leads nor loses anything', async () => {
    const set = await serving({ environment: { FAILOVER: '2' } });
    await keep(set, 0, 'early');
    await Promise.all([set.crash(0), set.crash(1)]);
    set.loseVolume(1);
    set.start([1]);
    await sleep(8000);
    expect((await set.states()).get(2)?.[1]).toBe('standby');
    expect(set.hasData(1)).toBe(false);
    set.start([0]);
    expect(await set.settled()).toBe(0);
    expect(await kept(set, 2)).toBe('early');
  });

  test('a member without data that waits, and one with data that waits, end at SIGTERM', async () => {
    const set = await serving();
    await set.stopAll();
    set.start([0]);
    await sleep(3000);
    expect((await set.run(0, 'role.sh')).code).toBe(1);
    expect(await set.stop(0)).toBeLessThan(5000);
    set.loseVolume(0);
    set.start([0]);
    await sleep(2000);
    expect(await set.stop(0)).toBeLessThan(5000);
  });

  test('data of another major version is not started', async () => {
    const set = await serving();
    await set.stop(2);
    const file = join(set.claims, '2/pgdata/PG_VERSION');
    const version = readFileSync(file, 'utf8');
    writeFileSync(file, '13\n');
    set.start([2]);
    await expect.poll(() => set.runs(2), { timeout: 20_000 }).toBe(false);
    expect(set.log).toContain(`the data is of PostgreSQL 13, and this is ${version.trim()}`);
  });

  test('a set grows from one member, and those that leave are counted on no more', async () => {
    const set = setOf({ replicas: 1 });
    set.start([0]);
    expect(await set.settled()).toBe(0);
    await set.ask(0, 'create table kept (word text)');
    set.declare(3);
    set.start([1, 2]);
    expect(await set.settled()).toBe(0);
    await keep(set, 0, 'early');
    expect(await kept(set, 2)).toBe('early');
    const reduction = { ORDINAL_CLUSTER: 'shop', ORDINAL_REPLICAS: '3', ORDINAL_TARGET_REPLICAS: '2', TRIES: '20' };
    const early = await set.run(1, 'leave.sh', { ...reduction, TRIES: '2' });
    expect(early).toMatchObject({ code: 1, output: expect.stringContaining('shop-0 counts on shop-2') });
    set.declare(2);
    expect(await set.run(1, 'leave.sh', reduction)).toEqual({ code: 0, output: '' });
    expect(await set.ask(0, 'show synchronous_standby_names')).toBe('ANY 1 ("shop-1")');
    await set.stop(2);
    expect(await keep(set, 0, 'late')).toBe('');
    expect(await set.settled()).toBe(0);
  });

  test('a backup is restored into a new cluster, as a whole and up to a time', async () => {
    const set = await serving({ environment: { ARCHIVE: 'yes' } });
    await keep(set, 0, 'a-before');
    const job = { ORDINAL_CLUSTER: 'shop', ORDINAL_REPLICAS: '3', ORDINAL_BACKUP_NAME: 'one' };
    const made = await set.run(1, 'backup.sh', job);
    expect(made).toEqual({ code: 0, output: join(set.backups, 'default/shop/base/one') });
    await keep(set, 0, 'b-after');
    await sleep(1100);
    const time = await set.ask(0, 'select now()');
    await sleep(1100);
    await keep(set, 0, 'c-late');
    await set.ask(0, 'select pg_switch_wal()');
    await expect
      .poll(
        () =>
          set.ask(
            0,
            'select last_archived_wal is not null and last_archived_wal >= pg_walfile_name(pg_switch_wal()) from pg_stat_archiver',
          ),
        { timeout: 60_000 },
      )
      .toBe('t');
    await set.stopAll();
    for (const [to, wanted] of [
      [time, 'a-before b-after'],
      ['', 'a-before b-after c-late'],
    ] as const) {
      const restore = { CLAIMS: set.claims, ORDINAL_CLUSTER: 'shop', ORDINAL_BACKUP_LOCATION: made.output };
      const restored = await set.run(0, to === '' ? 'restore.sh' : `restore.sh -- ${to}`, restore);
      expect(restored).toEqual({ code: 0, output: 'restored' });
      set.start(three);
      expect(await set.settled()).toBe(0);
      expect(await kept(set, 2)).toBe(wanted);
      await set.stopAll();
    }
    rmSync(join(made.output, 'base/1'), { recursive: true });
    const refused = await set.run(0, 'restore.sh', { CLAIMS: set.claims, ORDINAL_BACKUP_LOCATION: made.output });
    expect(refused.code).toBe(1);
    expect(set.hasData(1)).toBe(true);
  });

  test('members that speak TLS alone', async () => {
    const folder = MemberSet.certificate();
    const set = setOf({ environment: { TLS: folder } });
    set.start(three);
    expect(await set.settled()).toBe(0);
    expect(await set.run(0, 'handoff.sh')).toEqual({ code: 0, output: '' });
    expect(await set.settled()).not.toBe(0);
    expect((await set.askWith('sslmode=disable', 0, 'select 1')).code).not.toBe(0);
    rmSync(folder, { recursive: true });
  });
});
