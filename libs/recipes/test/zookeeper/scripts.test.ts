import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { MemberSet, missing, versions } from './members.ts';
import { gracePeriodMs } from '../loopback-set.ts';
import type { SetOptions } from '../loopback-set.ts';

const reason = missing === undefined ? 'with real servers' : `no ${missing} here`;
const sets: MemberSet[] = [];
const three = [0, 1, 2];

function setOf(options: SetOptions = {}): MemberSet {
  const set = new MemberSet(options);
  sets.push(set);
  return set;
}

let shared: MemberSet | undefined;

/** The set of three that an earlier test has left as it was, or a new one, with `/kept`. */
async function serving(): Promise<MemberSet> {
  const left = shared;
  // One that is not left whole is not taken again.
  shared = undefined;
  if (left) return left;
  const set = setOf();
  set.start(three);
  await set.settled();
  await set.ask(0, 'create /kept yes');
  return set;
}

const hasIt = async (set: MemberSet, ordinal: number): Promise<void> =>
  expect.poll(() => set.ask(ordinal, 'get /kept'), { timeout: 120_000 }).toMatch(/^yes$/m);

afterAll(async () => {
  await Promise.all(sets.splice(0).map((set) => set.remove()));
});

// Each wait has a limit of its own. On a busy machine, many short ones come to minutes.
describe.skipIf(missing !== undefined)(`the members’ scripts of ZooKeeper (${reason})`, { timeout: 900_000 }, () => {
  test('members without data are ready one after the other, and then the first one founds a cluster that the others join; one that waits ends at SIGTERM', async () => {
    const set = setOf();
    for (const ordinal of [0, 1]) {
      set.start([ordinal]);
      await set.answers(ordinal, 'ready.sh', { code: 0 });
      expect(set.hasData(ordinal)).toBe(false);
    }
    expect(await set.stop(1)).toBeLessThan(gracePeriodMs);
    set.start([1, 2]);
    await set.settled();
    for (const ordinal of three) await set.answers(ordinal, 'ready.sh', { code: 0 });
    expect(await set.word(0, 'conf')).toContain('maxClientCnxns=200');
    await set.ask(0, 'create /kept yes');
    shared = set;
  });

  test('the member that leads gives that up and stays a member, and any other has nothing to hand over', async () => {
    const set = await serving();
    const leader = await set.settled();
    expect(await set.run((leader + 1) % 3, 'handoff.sh')).toEqual({ code: 0, output: '' });
    expect(await set.settled()).toBe(leader);
    expect(await set.run(leader, 'handoff.sh')).toEqual({ code: 0, output: '' });
    expect(await set.settled()).not.toBe(leader);
    expect(await set.list(leader)).toHaveLength(3);
    await set.answers(leader, 'ready.sh', { code: 0 });
    await hasIt(set, leader);
    shared = set;
  });

  test('while a member is away no other one may go, nor is the lead handed over', async () => {
    const set = await serving();
    const leader = await set.settled();
    const [away, other] = three.filter((ordinal) => ordinal !== leader);
    await set.stop(away ?? 0);
    for (const [ordinal, script] of [[other ?? 0, 'quorum.sh'] as const, [leader, 'handoff.sh'] as const]) {
      const refused = await set.run(ordinal, script);
      expect(refused).toMatchObject({ code: 1, output: expect.stringContaining(`shop-${String(away)} has no pod`) });
    }
    expect((await set.run(leader, 'role.sh')).output).toBe('leader');
    set.start([away ?? 0]);
    await set.settled();
    expect(await set.run(other ?? 0, 'quorum.sh')).toEqual({ code: 0, output: '' });
    shared = set;
  });

  test('a server that crashes ends its container, and comes back with its data', async () => {
    const set = await serving();
    const leader = await set.settled();
    await set.crash(leader);
    set.start([leader]);
    await set.settled();
    await hasIt(set, leader);
    shared = set;
  });

  test('after a stop of all members each starts with its data, and one whose volume is lost founds no second cluster', async () => {
    const set = await serving();
    await set.stopAll();
    set.loseVolume(0);
    set.start([0]);
    await set.answers(0, 'ready.sh', { code: 0 });
    set.start([1]);
    await set.answers(1, 'ready.sh', { code: 0 });
    const { length } = set.log;
    await expect
      .poll(() => set.log.slice(length), { timeout: 120_000 })
      .toContain('waits: shop-1 has not said that it has no data');
    expect(set.hasData(0)).toBe(false);
    expect((await set.run(1, 'in-step.sh')).output).toBe('does not serve');
    expect(await set.run(1, 'role.sh')).toEqual({ code: 0, output: 'follower' });
    set.start([2]);
    // What it was would vote as one that has forgotten what it had acknowledged: it is removed before.
    await set.settled();
    expect(set.log).toContain('removes shop-0 as it was');
    await hasIt(set, 0);
    shared = set;
  });

  test('while a member that lost its volume has no vote yet, no other one may go', async () => {
    const set = await serving();
    await set.stop(2);
    set.loseVolume(2);
    // Its pod is there, and says nothing.
    set.makePods([2]);
    await set.reduce(3, 2);
    expect(await set.list(0)).toHaveLength(2);
    expect(await set.run(1, 'quorum.sh')).toEqual({ code: 1, output: 'shop-2 has no vote yet' });
    set.start([2]);
    await set.settled();
    shared = set;
  });

  test('a set grows, and a reduction removes the members that leave, also one that leads', async () => {
    const set = await serving();
    set.start([3, 4]);
    await set.settled();
    const before = await set.settled();
    if (before < 3) {
      // Of those that have as much, the highest is elected.
      await set.stop(before);
      set.start([before]);
    }
    expect(await set.settled()).toBeGreaterThan(2);
    // What fails is tried again: where a leader is removed, the client may lose its connection before it has the answer.
    expect(await set.reduce(5, 3)).toEqual({ code: 0, output: expect.stringMatching(/^removed shop-3$/m) });
    expect((await set.reduce(5, 3)).code).toBe(0);
    expect(await set.list(0)).toEqual(['1 participant', '2 participant', '3 participant']);
    for (const ordinal of [4, 3]) {
      await expect.poll(() => set.run(ordinal, 'quorum.sh'), { timeout: 120_000 }).toEqual({ code: 0, output: '' });
      // The member looks every five seconds whether it was removed.
      for (const script of ['ready.sh', 'in-step.sh', 'handoff.sh']) await set.answers(ordinal, script, { code: 0 });
      expect((await set.run(ordinal, 'role.sh')).output).toBe('follower');
    }
    // A container that starts again in the same pod does not join again; a new pod on the volume that stayed does.
    await set.crash(4);
    set.start([4]);
    await expect
      .poll(() => set.log.split('4: was removed from the cluster, and waits').length, { timeout: 120_000 })
      .toBe(3);
    expect(await set.list(0)).toHaveLength(3);
    for (const ordinal of [4, 3]) expect(await set.stop(ordinal)).toBeLessThan(gracePeriodMs);
    set.start([3]);
    await set.settled();
    expect(set.log).toContain('3: was removed from the cluster while it was away, and joins again');
    await hasIt(set, 3);
    await set.reduce(4, 3);
    await set.stop(3);
    await set.settled();
    shared = set;
  });

  test('no member leaves while one that stays is away', async () => {
    const set = await serving();
    await set.stop(0);
    const left = await set.reduce(3, 2, { TRIES: '2' });
    expect(left).toMatchObject({ code: 1, output: expect.stringContaining('shop-0 has no pod') });
    expect(await set.list(1)).toHaveLength(3);
    set.start([0]);
    await set.settled();
    shared = set;
  });

  test('a set of one grows and shrinks again', async () => {
    const set = setOf({ replicas: 1 });
    set.start([0]);
    await set.settled();
    expect(await set.run(0, 'handoff.sh')).toEqual({ code: 0, output: '' });
    set.start([1]);
    await set.settled();
    expect(await set.reduce(2, 1)).toMatchObject({ code: 0 });
    await set.stop(1);
    expect(await set.settled()).toBe(0);
    await sleep(1000);
    expect(await set.list(0)).toEqual(['1 participant']);
  });

  test.skipIf(versions.next === undefined)(
    'members take a newer version one by one, and back while one runs the older',
    async () => {
      const set = await serving();
      const change = async (ordinals: readonly number[], classes?: string): Promise<void> => {
        for (const ordinal of ordinals) {
          expect(await set.run(ordinal, 'handoff.sh')).toEqual({ code: 0, output: '' });
          await set.answers(ordinal, 'quorum.sh', { code: 0 });
          await set.stop(ordinal);
          set.start([ordinal], classes);
          await set.settled();
        }
      };
      await change([2, 1], versions.next);
      await change([2, 1]);
      await change([2, 1, 0], versions.next);
      expect(await set.word(0, 'srvr')).toContain('Zookeeper version: 3.9');
      await hasIt(set, 0);
    },
  );
});
