import { existsSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { MemberSet, missing, versions } from './members.ts';
import { certificate, gracePeriodMs } from '../loopback-set.ts';
import type { SetOptions } from '../loopback-set.ts';

const reason = missing === undefined ? 'with real servers' : `no ${missing} here`;
const sets: MemberSet[] = [];
const three = [0, 1, 2];

function setOf(options: SetOptions = {}): MemberSet {
  const set = new MemberSet(options);
  sets.push(set);
  return set;
}

/** A set of three that serves. */
async function serving(options: SetOptions = {}): Promise<MemberSet> {
  const set = setOf(options);
  set.start(three);
  await set.settled();
  return set;
}

afterEach(async () => {
  await Promise.all(sets.splice(0).map((set) => set.remove()));
});

// Each wait has a limit of its own. On a busy machine, many short ones come to minutes.
describe.skipIf(missing !== undefined)(`the members’ scripts of etcd (${reason})`, { timeout: 900_000 }, () => {
  test('members without data are ready one after the other, and then the first one founds a cluster that the others join', async () => {
    const set = setOf();
    for (const ordinal of [0, 1]) {
      set.start([ordinal]);
      await set.answers(ordinal, 'ready.sh', { code: 0 });
      expect(set.hasData(ordinal)).toBe(false);
    }
    set.start([2]);
    await set.settled();
    for (const ordinal of three) await set.answers(ordinal, 'ready.sh', { code: 0 });
    expect((await set.ask(1, 'member', 'list')).split('\n')).toHaveLength(3);
  });

  test('a leader moves the lead to a member that has everything, and any other has nothing to hand over', async () => {
    const set = await serving();
    const leader = await set.settled();
    expect(await set.run((leader + 1) % 3, 'handoff.sh')).toEqual({ code: 0, output: '' });
    expect(await set.settled()).toBe(leader);
    await set.ask(leader, 'put', 'kept', 'yes');
    expect(await set.run(leader, 'handoff.sh')).toEqual({ code: 0, output: '' });
    expect((await set.run(leader, 'role.sh')).output).toBe('follower');
    expect(await set.run(leader, 'quorum.sh')).toEqual({ code: 0, output: '' });
    await set.stop(leader);
    expect(await set.ask((leader + 1) % 3, 'get', 'kept', '--print-value-only')).toBe('yes');
    set.start([leader]);
    expect(await set.settled()).not.toBe(leader);
  });

  test('while a member is away no other one may go', async () => {
    const set = await serving();
    await set.stop(1);
    const refused = await set.run(2, 'quorum.sh');
    expect(refused.code).toBe(1);
    expect(refused.output).toContain('127.0.0.3');
    expect(refused.output).toContain('does not answer; if it is gone for good: etcdctl member remove');
    set.start([1]);
    await set.settled();
    expect((await set.run(2, 'quorum.sh')).code).toBe(0);
  });

  test('after a stop of all members each starts with its data, ready one after the other', async () => {
    const set = await serving();
    await set.ask(0, 'put', 'kept', 'yes');
    const before = await set.ask(0, 'member', 'list');
    await set.stopAll();
    set.start([0]);
    await set.answers(0, 'ready.sh', { code: 0 });
    expect((await set.run(0, 'in-step.sh')).code).toBe(1);
    set.start([1, 2]);
    await set.settled();
    expect(await set.ask(2, 'get', 'kept', '--print-value-only')).toBe('yes');
    expect(await set.ask(0, 'member', 'list')).toBe(before);
  });

  test('a member whose volume is lost joins as a new one in its place', async () => {
    const set = await serving();
    await set.ask(0, 'put', 'kept', 'yes');
    await set.stop(0);
    set.loseVolume(0);
    set.start([0]);
    await set.settled();
    expect(await set.ask(0, 'get', 'kept', '--print-value-only')).toBe('yes');
  });

  test('after a stop of all members the first one founds no second cluster, although its volume is lost', async () => {
    const set = await serving();
    await set.ask(0, 'put', 'kept', 'yes');
    await set.stopAll();
    set.loseVolume(0);
    set.start([0]);
    await set.answers(0, 'ready.sh', { code: 0 });
    set.start([1]);
    await set.says('shop-1 has not said that it has no data', () => set.declare(3));
    await set.says('the name server does not answer', () => set.silence(true));
    set.undeclare();
    await set.says('members-shop is missing', () => set.silence(false));
    // As after `kubectl scale`: fewer are declared than there are.
    await set.says('shop-1 has not said that it has no data', () => set.declare(1));
    expect(set.hasData(0)).toBe(false);
    set.start([2]);
    await set.settled();
    expect(await set.ask(0, 'get', 'kept', '--print-value-only')).toBe('yes');
    expect(await set.ask(0, 'member', 'list')).toBe(await set.ask(2, 'member', 'list'));
  });

  test('a member without data that waits, and one with data that waits, end at SIGTERM', async () => {
    const set = setOf();
    set.start([1]);
    await sleep(3000);
    expect(await set.stop(1)).toBeLessThan(gracePeriodMs);
    set.start(three);
    await set.settled();
    await set.stopAll();
    set.start([1]);
    await sleep(3000);
    expect((await set.run(1, 'in-step.sh')).code).toBe(1);
    expect(await set.stop(1)).toBeLessThan(gracePeriodMs);
  });

  test('a server that crashes ends its container, and comes back with its data', async () => {
    const set = await serving();
    await set.ask(1, 'put', 'kept', 'yes');
    await set.crash(1);
    set.start([1]);
    await set.settled();
    expect(await set.ask(1, 'get', 'kept', '--print-value-only')).toBe('yes');
  });

  test('a set grows by learners that become voters, and shrinks to members that stay a quorum', async () => {
    const set = await serving();
    await set.ask(0, 'put', 'kept', 'yes');
    set.start([3]);
    await set.settled();
    set.start([4]);
    await set.settled();
    expect((await set.ask(0, 'member', 'list')).split('\n')).toHaveLength(5);
    const reduction = { ORDINAL_CLUSTER: 'shop', ORDINAL_REPLICAS: '5', ORDINAL_TARGET_REPLICAS: '3' };
    const left = await set.run(0, 'leave.sh', reduction);
    // What fails is tried again, and says why: a member that has lost its peers is unhealthy for some seconds.
    expect(left).toEqual({ code: 0, output: expect.stringMatching(/^removed shop-4\n(?:.*\n)*removed shop-3$/m) });
    expect((await set.run(0, 'leave.sh', reduction)).code).toBe(0);
    // The pods are still there: their members lead nothing, and do not come back. They are ready, as a StatefulSet waits for that before it takes the next one away.
    for (const ordinal of [4, 3]) {
      await set.answers(ordinal, 'role.sh', { code: 0, output: 'follower' });
      await set.answers(ordinal, 'in-step.sh', { code: 0 });
      for (const script of ['ready.sh', 'quorum.sh']) expect((await set.run(ordinal, script)).code).toBe(0);
    }
    expect((await set.run(4, 'handoff.sh')).code).toBe(0);
    await sleep(3000);
    expect((await set.ask(0, 'member', 'list')).split('\n')).toHaveLength(3);
    expect(await set.stop(4)).toBeLessThan(gracePeriodMs);
    await set.stop(3);
    await set.settled();
    // A new pod on the volume that stayed is a new member.
    set.start([3]);
    await set.settled();
    expect(await set.ask(3, 'get', 'kept', '--print-value-only')).toBe('yes');
    // What was put aside goes when the member votes, which others see first.
    await expect.poll(() => existsSync(join(set.claims, '3/removed')), { timeout: 60_000 }).toBe(false);
  });

  test('a member that was removed, while those that stay can’t say so, waits until they can, and stays for good', async () => {
    const set = await serving();
    const reduction = { ORDINAL_CLUSTER: 'shop', ORDINAL_REPLICAS: '3', ORDINAL_TARGET_REPLICAS: '2' };
    expect((await set.run(0, 'leave.sh', reduction)).code).toBe(0);
    // Its server ends a second after it has learnt of that.
    await sleep(300);
    for (const ordinal of [0, 1]) set.signal(ordinal, 'SIGSTOP');
    await sleep(8000);
    expect(set.runs(2)).toBe(true);
    for (const ordinal of [0, 1]) set.signal(ordinal, 'SIGCONT');
    await set.answers(2, 'role.sh', { code: 0, output: 'follower' });
    expect(set.log).toContain('was removed from the cluster, and waits for its pod to go');
    expect((await set.run(2, 'ready.sh')).code).toBe(0);
  });

  test('a leader that leaves before a reduction hands over to a member that stays', async () => {
    const set = setOf({ replicas: 2 });
    set.start([0, 1]);
    if ((await set.settled()) === 0) await set.run(0, 'handoff.sh');
    expect(await set.settled()).toBe(1);
    const reduction = { ORDINAL_CLUSTER: 'shop', ORDINAL_REPLICAS: '2', ORDINAL_TARGET_REPLICAS: '1' };
    expect(await set.run(0, 'leave.sh', reduction)).toEqual({
      code: 0,
      output: expect.stringMatching(/^removed shop-1$/m),
    });
    await set.stop(1);
    expect(await set.settled()).toBe(0);
  });

  test('no member leaves while one that stays is away', async () => {
    const set = await serving();
    await set.stop(0);
    const reduction = { ORDINAL_CLUSTER: 'shop', ORDINAL_REPLICAS: '3', ORDINAL_TARGET_REPLICAS: '2', TRIES: '2' };
    const left = await set.run(1, 'leave.sh', reduction);
    expect(left.code).toBe(1);
    expect(left.output).toContain('a member that stays is behind, or does not answer');
    expect((await set.ask(1, 'member', 'list')).split('\n')).toHaveLength(3);
  });

  test('a backup is restored into a new cluster', async () => {
    const set = await serving();
    await set.ask(0, 'put', 'kept', 'yes');
    const backups = join(set.folder, 'backups');
    const job = { ORDINAL_CLUSTER: 'shop', ORDINAL_REPLICAS: '3', BACKUPS: backups, ORDINAL_BACKUP_NAME: 'one' };
    const made = await set.run(1, 'backup.sh', job);
    expect(made).toEqual({ code: 0, output: join(backups, 'default/one.db') });
    await set.ask(0, 'put', 'late', 'yes');
    await set.stopAll();
    const restored = await set.run(0, 'restore.sh', { CLAIMS: set.claims, ORDINAL_BACKUP_LOCATION: made.output });
    expect(restored).toEqual({ code: 0, output: 'restored' });
    set.start(three);
    await set.settled();
    expect(await set.ask(2, 'get', 'kept', '--print-value-only')).toBe('yes');
    expect(await set.ask(2, 'get', 'late', '--print-value-only')).toBe('');
    truncateSync(made.output, 5000);
    const refused = await set.run(0, 'restore.sh', { CLAIMS: set.claims, ORDINAL_BACKUP_NAME: made.output });
    expect(refused.code).toBe(1);
    expect(set.hasData(1)).toBe(true);
  });

  test('members that speak TLS alone, and want a certificate of their clients', async () => {
    const folder = certificate();
    const set = setOf({ environment: { TLS: folder, CLIENT_CERTIFICATES: 'yes' } });
    set.start(three);
    const leader = await set.settled();
    await set.ask(0, 'put', 'kept', 'yes');
    expect(await set.run(leader, 'handoff.sh')).toEqual({ code: 0, output: '' });
    expect((await set.run(leader, 'quorum.sh')).code).toBe(0);
    expect((await set.askWith(undefined, 0, 'get', 'kept')).code).not.toBe(0);
    rmSync(folder, { recursive: true });
  });

  test.skipIf(versions.next === undefined)(
    'members take a newer version one by one, the lead goes to the newest, and back while one runs the older',
    async () => {
      const set = await serving();
      await set.ask(0, 'put', 'kept', 'yes');
      for (const ordinal of [2, 1]) {
        await set.run(ordinal, 'handoff.sh');
        await set.stop(ordinal);
        set.start([ordinal], versions.next);
        await set.settled();
      }
      await set.run(0, 'handoff.sh');
      expect(await set.settled()).not.toBe(0);
      // Back, before all have it.
      for (const ordinal of [2, 1]) {
        await set.run(ordinal, 'handoff.sh');
        await set.stop(ordinal);
        set.start([ordinal]);
        await set.settled();
      }
      for (const ordinal of [2, 1, 0]) {
        await set.run(ordinal, 'handoff.sh');
        await set.stop(ordinal);
        set.start([ordinal], versions.next);
        await set.settled();
      }
      expect(await set.ask(0, 'get', 'kept', '--print-value-only')).toBe('yes');
    },
  );
});
