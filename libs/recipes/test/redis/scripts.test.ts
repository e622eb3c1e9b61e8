import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { gracePeriodMs } from '../loopback-set.ts';
import { MemberSet, missing, reason } from './members.ts';
import type { SetOptions } from './members.ts';

const sets: MemberSet[] = [];

function setOf(options: SetOptions = {}): MemberSet {
  const set = new MemberSet(options);
  sets.push(set);
  return set;
}

afterEach(async () => {
  await Promise.all(sets.splice(0).map((set) => set.remove()));
});

// Each wait has a limit of its own. On a busy machine, many short ones come to minutes.
describe.skipIf(missing !== undefined)(`the members’ scripts (${reason})`, { timeout: 900_000 }, () => {
  test('of new members the first one leads, and the others follow it', async () => {
    const set = setOf();
    set.start(2, 1, 0);
    expect(await set.settled()).toBe(0);
    expect((await set.run(0, 'role.sh')).output).toBe('master');
    expect((await set.run(1, 'role.sh')).output).toBe('slave');
  });

  test('a member that waits for a leader ends at SIGTERM', async () => {
    const set = setOf();
    set.start(1);
    await sleep(1500);
    expect(await set.leaders()).toEqual([]);
    expect((await set.run(1, 'in-step.sh')).code).not.toBe(0);
    expect(await set.stop(1)).toBeLessThan(gracePeriodMs);
  });

  test('a leader hands over without losing a write, and comes back as a replica', async () => {
    const set = setOf();
    set.start(0, 1, 2, 3, 4);
    await set.settled();
    for (let key = 0; key < 50; key += 1) await set.ask(0, 'set', `key:${String(key)}`, 'kept');
    expect(await set.handOver(0)).toBe('');
    const leader = await set.settled();
    expect(leader).not.toBe(0);
    await set.stop(0);
    set.start(0);
    expect(await set.settled()).toBe(leader);
    expect(await set.ask(0, 'dbsize')).toBe('50');
  });

  test('of replicas with the same software the one that has run longest leads, since clients know its address by then', async () => {
    const set = setOf();
    set.start(0, 1);
    await set.settled();
    await expect.poll(() => set.uptime(1), { timeout: 60_000 }).toBeGreaterThan(1);
    set.start(2);
    await set.settled();
    expect(await set.handOver(0)).toBe('');
    expect(await set.settled()).toBe(1);
  });

  test('a replica has nothing to hand over', async () => {
    const set = setOf();
    set.start(0, 1);
    await set.settled();
    expect((await set.run(1, 'handoff.sh')).code).toBe(0);
    expect(await set.settled()).toBe(0);
  });

  test('a leader that can’t tell how far a replica is stays, and takes writes again', async () => {
    const set = setOf();
    set.start(0, 1, 2);
    await set.settled();
    const heardAgain = set.unheard();
    expect((await set.run(0, 'handoff.sh')).code).toBe(1);
    heardAgain();
    expect(await set.settled()).toBe(0);
    expect(await set.ask(0, 'set', 'taken', 'again')).toBe('OK');
  });

  test('a leader that crashes without a volume comes back empty, and never leads those that have the data', async () => {
    const set = setOf();
    set.start(0, 1, 2);
    await set.settled();
    await set.write(0, 'kept', 'yes');
    for (const replica of [1, 2])
      await expect.poll(() => set.ask(replica, 'get', 'kept'), { timeout: 60_000 }).toBe('yes');
    await set.crash(0);
    set.start(0);
    expect(await set.settled()).not.toBe(0);
    expect(await set.ask(0, 'get', 'kept')).toBe('yes');
  });

  test('of two replicas that have lost their leader, the one that has read more leads', async () => {
    const set = setOf();
    set.start(0, 1, 2);
    await set.settled();
    const goOn = await set.part(1, 0);
    try {
      await set.write(0, 'late', 'yes');
      await expect.poll(() => set.ask(2, 'get', 'late'), { timeout: 60_000 }).toBe('yes');
      await set.crash(0);
      await set.stop(0);
    } finally {
      goOn();
    }
    expect(await set.settled()).toBe(2);
    expect(await set.ask(1, 'get', 'late')).toBe('yes');
  });

  test('a replica that has not looked since it follows leads, where it has read more than one that has', async () => {
    const set = setOf();
    set.start(0, 1);
    await set.settled();
    await expect.poll(() => set.recordOf(1), { timeout: 60_000 }).toMatch(/^1 /);
    set.start(2);
    await set.answers(2);
    const looksAgain = set.stopLooking(2);
    await set.ask(2, 'replicaof', ...set.place(0));
    await set.settled();
    expect(set.recordOf(2)).toBe('');
    const goOn = await set.part(1, 0);
    await set.write(0, 'late', 'yes');
    await expect.poll(() => set.ask(2, 'get', 'late'), { timeout: 60_000 }).toBe('yes');
    await set.crash(0);
    await set.stop(0);
    goOn();
    looksAgain();
    expect(await set.settled()).toBe(2);
    expect(await set.ask(1, 'get', 'late')).toBe('yes');
  });

  test('while a member does not answer, none begins to lead', async () => {
    const set = setOf();
    set.start(0, 1, 2);
    await set.settled();
    const goOn = await set.halt(0);
    try {
      await set.ask(1, 'replicaof', '127.0.0.1', '1');
      await set.ask(2, 'replicaof', '127.0.0.1', '1');
      await sleep(6000);
      const roles = await Promise.all([set.run(1, 'role.sh'), set.run(2, 'role.sh')]);
      expect(roles.map(({ output }) => output)).toEqual(['slave', 'slave']);
    } finally {
      goOn();
    }
    expect(await set.settled()).toBe(0);
  });

  describe('with volumes', () => {
    const store: SetOptions = { isPersistent: true, replicas: 3 };

    test('after a full stop the one that led last leads again, and has everything', async () => {
      const set = setOf(store);
      set.start(0, 1, 2);
      await set.settled();
      expect(await set.handOver(0)).toBe('');
      const leader = await set.settled();
      expect(leader).not.toBe(0);
      await set.write(leader, 'kept', 'yes');
      await Promise.all([0, 1, 2].map((ordinal) => set.stop(ordinal)));
      set.start(0, 1, 2);
      expect(await set.settled()).toBe(leader);
      expect(await set.ask(0, 'get', 'kept')).toBe('yes');
    });

    test('after a full stop in which a hand-over was not taken, the member that has everything leads', async () => {
      const set = setOf(store);
      set.start(0, 1, 2);
      await set.settled();
      await set.handOver(0);
      const leader = await set.settled();
      await set.stop(0);
      await set.write(leader, 'newer', 'yes');
      await set.handOverInVain(leader, 3 - leader);
      await Promise.all([1, 2].map((ordinal) => set.stop(ordinal)));
      set.start(0, 1, 2);
      await set.settled();
      expect(await set.ask(0, 'get', 'newer')).toBe('yes');
    });

    test('a member that does not look does not become the leader, and takes no write when it is promoted all the same', async () => {
      const set = setOf(store);
      set.start(0, 1, 2);
      await set.settled();
      const goOn = set.stopLooking(1);
      const goOnToo = set.stopLooking(2);
      try {
        expect((await set.run(0, 'handoff.sh')).code).toBe(1);
        await expect.poll(() => set.ask(0, 'set', 'kept', 'yes'), { timeout: 60_000 }).toBe('OK');
        await set.failOver(0, 2);
        expect(await set.ask(2, 'set', 'early', 'yes')).toContain('NOREPLICAS');
      } finally {
        goOn();
        goOnToo();
      }
      await expect.poll(() => set.ask(2, 'set', 'late', 'yes'), { timeout: 60_000 }).toBe('OK');
      expect(await set.settled()).toBe(2);
      expect(await set.ask(1, 'get', 'kept')).toBe('yes');
    });

    test('all members are killed when one has been promoted and has not looked: every acknowledged write is there', async () => {
      const set = setOf(store);
      set.start(0, 1, 2);
      await set.settled();
      await set.handOver(0);
      const leader = await set.settled();
      await set.stop(0);
      const goOn = set.stopLooking(3 - leader);
      await set.failOver(leader, 3 - leader);
      const answers = await Promise.all(
        [1, 2].map((ordinal) => set.ask(ordinal, 'set', `by:${String(ordinal)}`, 'yes')),
      );
      await sleep(1500);
      await set.killAll();
      goOn();
      set.start(0, 1, 2);
      const leads = await set.settled();
      for (const ordinal of [1, 2])
        if (answers[ordinal - 1] === 'OK') expect(await set.ask(leads, 'get', `by:${String(ordinal)}`)).toBe('yes');
    });

    test('a leader that has handed over does not lead by itself, however short ago it led', async () => {
      const set = setOf(store);
      set.start(0, 1, 2);
      await set.settled();
      await set.handOver(0);
      await set.killAll();
      await Promise.all([1, 2].map((ordinal) => set.stop(ordinal)));
      set.start(0);
      await sleep(3000);
      expect(await set.leaders()).toEqual([]);
      set.start(1, 2);
      await set.settled();
    });

    test('a leader that ends before any replica has found it leads again', async () => {
      const set = setOf(store);
      set.start(0, 1, 2);
      await set.settled();
      await set.killAll();
      await Promise.all([1, 2].map((ordinal) => set.stop(ordinal)));
      set.start(0);
      await expect.poll(() => set.ask(0, 'set', 'alone', 'yes'), { timeout: 60_000 }).toBe('OK');
      await set.killAll();
      set.start(2, 1, 0);
      expect(await set.settled()).toBe(0);
      expect(await set.ask(1, 'get', 'alone')).toBe('yes');
    });

    test('a leader whose volume has become an older one of itself does not lead those with newer data', async () => {
      const set = setOf(store);
      set.start(0, 1, 2);
      await set.settled();
      await sleep(1100);
      await set.stop(1);
      const putBack = set.snapshot(1);
      set.start(1);
      await set.settled();
      await set.stop(2);
      await set.handOver(0);
      set.start(2);
      expect(await set.settled()).toBe(1);
      await set.write(1, 'newer', 'yes');
      await sleep(1100);
      await Promise.all([0, 1, 2].map((ordinal) => set.stop(ordinal)));
      putBack();
      set.start(0, 1, 2);
      expect(await set.settled()).not.toBe(1);
      expect(await set.ask(1, 'get', 'newer')).toBe('yes');
    });

    test('a member with older data waits for all others before it leads', async () => {
      const set = setOf(store);
      set.start(0, 1, 2);
      await set.settled();
      await set.handOver(0);
      await set.stop(0);
      const leader = await set.settled();
      await set.write(leader, 'newer', 'yes');
      await Promise.all([1, 2].map((ordinal) => set.stop(ordinal)));
      set.start(0);
      await sleep(4000);
      expect(await set.leaders()).toEqual([]);
      set.start(1, 2);
      await set.settled();
      expect(await set.ask(0, 'get', 'newer')).toBe('yes');
    });

    test('a member whose volume is lost does not lead, whatever its number', async () => {
      const set = setOf(store);
      set.start(0, 1, 2);
      await set.settled();
      await set.write(0, 'kept', 'yes');
      await sleep(1500);
      await Promise.all([0, 1, 2].map((ordinal) => set.stop(ordinal)));
      set.loseVolume(0);
      set.start(0, 1, 2);
      expect(await set.settled()).not.toBe(0);
      expect(await set.ask(0, 'get', 'kept')).toBe('yes');
    });

    test('a leader that crashes comes back with what it has acknowledged, and leads on', async () => {
      const set = setOf(store);
      set.start(0, 1, 2);
      await set.settled();
      await set.write(0, 'kept', 'yes');
      await sleep(1100);
      await set.crash(0);
      await sleep(1500);
      expect(await set.leaders()).toEqual([]);
      set.start(0);
      expect(await set.settled()).toBe(0);
      expect(await set.ask(2, 'get', 'kept')).toBe('yes');
    });

    test('a backup of the leader is restored into a new set', async () => {
      const set = setOf(store);
      set.start(0, 1, 2);
      await set.settled();
      await set.write(0, 'kept', 'yes');
      const backups = join(set.folder, 'backups');
      const made = await set.run(1, 'backup.sh', { BACKUPS: backups, ORDINAL_BACKUP_NAME: 'one' });
      expect(made).toEqual({ code: 0, output: join(backups, 'default/one.rdb') });
      await Promise.all([0, 1, 2].map((ordinal) => set.stop(ordinal)));
      for (const ordinal of [0, 1, 2]) set.loseVolume(ordinal);
      const restored = await set.run(0, 'restore.sh', { CLAIMS: set.claims, ORDINAL_BACKUP_LOCATION: made.output });
      expect(restored).toEqual({ code: 0, output: 'restored' });
      set.start(0, 1, 2);
      expect(await set.settled()).toBe(0);
      expect(await set.ask(2, 'get', 'kept')).toBe('yes');
    });

    test('a restore refuses a file that is cut off, and touches no volume', async () => {
      const set = setOf(store);
      set.start(0);
      set.start(1, 2);
      await set.settled();
      await set.write(0, 'kept', 'x'.repeat(5000));
      const backups = join(set.folder, 'backups');
      await set.run(1, 'backup.sh', { BACKUPS: backups, ORDINAL_BACKUP_NAME: 'one' });
      set.cutOff(join(backups, 'default/one.rdb'));
      await Promise.all([0, 1, 2].map((ordinal) => set.stop(ordinal)));
      const refused = await set.run(0, 'restore.sh', {
        CLAIMS: set.claims,
        ORDINAL_BACKUP_NAME: join(backups, 'default/one.rdb'),
      });
      expect(refused.code).toBe(1);
      expect(refused.output).toContain('is no whole RDB file');
      expect(existsSync(join(set.claims, '0/appendonlydir'))).toBe(true);
    });
  });

  test('without getent, a Job asks for a whole name: nslookup of busybox adds no domain to one with dots', async () => {
    const set = setOf();
    const lines = [
      '. "${0%/*}/member.sh"',
      'command() { return 1; }',
      'nslookup() { case $1 in shop | shop.other.svc.*) printf "Name:\\t%s\\nAddress: 10.1.0.7\\n" "$1" ;; esac; }',
      'addresses',
    ];
    writeFileSync(join(set.folder, 'recipe/addresses.sh'), `${lines.join('\n')}\n`);
    const found = { code: 0, output: '10.1.0.7' };
    expect(await set.run(0, 'addresses.sh', { ORDINAL_SERVICE: 'shop.other.svc' })).toEqual(found);
    expect(await set.run(0, 'addresses.sh')).toEqual(found);
  });

  test('members that speak TLS alone', async () => {
    const folder = MemberSet.certificate();
    const set = setOf({ environment: { TLS: folder } });
    set.start(0, 1, 2);
    await set.settled();
    await set.ask(0, 'set', 'kept', 'yes');
    expect(await set.handOver(0)).toBe('');
    expect(await set.ask(await set.settled(), 'get', 'kept')).toBe('yes');
    expect(await set.askWithout('TLS', 0, 'ping')).not.toBe('PONG');
    rmSync(folder, { recursive: true });
  });

  test('members with a user, a password with quotes and spaces, and no other way in', async () => {
    const environment = { STORE_USER: 'shop', REDISCLI_AUTH: 'a "pass\\word" > 1' };
    const set = setOf({ environment });
    set.start(0, 1, 2);
    await set.settled();
    await set.ask(0, 'set', 'kept', 'yes');
    expect(await set.handOver(0)).toBe('');
    const leader = await set.settled();
    expect(await set.ask(leader, 'get', 'kept')).toBe('yes');
    expect(await set.askWithout('REDISCLI_AUTH', leader, 'get', 'kept')).toMatch(/NOAUTH|NOPERM|WRONGPASS/);
  });
});
