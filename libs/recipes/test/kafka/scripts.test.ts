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

/** The set of three that an earlier test has left as it was, or a new one, with the topic `kept` in two partitions. */
async function serving(): Promise<MemberSet> {
  const left = shared;
  // One that is not left whole is not taken again.
  shared = undefined;
  if (left) return left;
  const set = setOf();
  set.start(three);
  await set.settled();
  await madeTopic(set);
  return set;
}

async function madeTopic(set: MemberSet): Promise<void> {
  const made = await set.tool(0, 'TopicCommand', '--create --topic kept --partitions 2');
  expect(made).toMatchObject({ code: 0 });
  await set.settled();
}

/** The replicas of the topic's partitions, those in step and all, as a member knows them. */
const replicasOf = async (set: MemberSet, ordinal: number): Promise<readonly (readonly string[])[]> =>
  (await set.knows(ordinal, 'metadata', 'partition kept')).toSorted().map((line) =>
    line
      .split(' ')
      .slice(3)
      .map((ids) => ids.split(',').toSorted().join(',')),
  );

const whole = [
  ['0,1,2', '0,1,2'],
  ['0,1,2', '0,1,2'],
];

afterAll(async () => {
  await Promise.all(sets.splice(0).map((set) => set.remove()));
});

// Each wait has a limit of its own. On a busy machine, many short ones come to minutes.
describe.skipIf(missing !== undefined)(`the members’ scripts of Kafka (${reason})`, { timeout: 900_000 }, () => {
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
    await madeTopic(set);
    expect(await replicasOf(set, 1)).toEqual(whole);
    shared = set;
  });

  test('while a member is away no other one may go, and when it is back it has what it has missed', async () => {
    const set = await serving();
    const leader = await set.settled();
    const [away = 0, other = 0] = three.filter((ordinal) => ordinal !== leader);
    expect(await set.run(other, 'quorum.sh')).toEqual({ code: 0, output: '' });
    await set.stop(away);
    const refused = { code: 1, output: expect.stringContaining(`shop-${String(away)} is behind in kept-`) };
    for (const ordinal of [other, leader]) expect(await set.run(ordinal, 'quorum.sh')).toMatchObject(refused);
    expect((await set.run(away, 'in-step.sh')).code).toBe(1);
    expect((await set.run(away, 'ready.sh')).code).toBe(0);
    set.start([away]);
    await set.settled();
    expect(await set.run(other, 'quorum.sh')).toEqual({ code: 0, output: '' });
    shared = set;
  });

  test('a leader of the quorum that ends hands that over, and one that crashes comes back with its data', async () => {
    const set = await serving();
    const leader = await set.settled();
    await set.stop(leader);
    const others = three.filter((ordinal) => ordinal !== leader);
    const roles = (): Promise<readonly string[]> =>
      Promise.all(others.map(async (ordinal) => (await set.run(ordinal, 'role.sh')).output));
    await expect.poll(async () => (await roles()).toSorted(), { timeout: 60_000 }).toEqual(['follower', 'leader']);
    const next = others[(await roles()).indexOf('leader')] ?? 0;
    set.start([leader]);
    await set.settled();
    await set.crash(next);
    set.start([next]);
    await set.settled();
    expect(await replicasOf(set, next)).toEqual(whole);
    shared = set;
  });

  test('after a stop of all members each starts with its data, and one whose volume is lost founds no second cluster and does not vote as what it was', async () => {
    const set = await serving();
    const [cluster] = await set.knows(0, 'metadata', 'cluster');
    const before = await set.knows(0, 'quorum', 'voter 0');
    await set.stopAll();
    set.loseVolume(0);
    set.start([0]);
    await set.answers(0, 'ready.sh', { code: 0 });
    set.start([1]);
    await set.answers(1, 'ready.sh', { code: 0 });
    await expect.poll(() => set.log, { timeout: 120_000 }).toContain('waits: shop-1 has not said that it has no data');
    expect(set.hasData(0)).toBe(false);
    set.start([2]);
    await set.settled();
    expect(set.log).toContain('takes the vote of shop-0 as it was');
    expect(await set.knows(0, 'metadata', 'cluster')).toEqual([cluster]);
    const [, , , was] = (before[0] ?? '').split(' ');
    expect((await set.knows(0, 'quorum', 'voter 0')).map((line) => line.split(' ')[3])).not.toContain(was);
    expect(await replicasOf(set, 0)).toEqual(whole);
    shared = set;
  });

  test('a set grows, and a reduction moves partitions away from those that leave and takes their votes', async () => {
    const set = await serving();
    set.declare(5);
    set.start([3, 4]);
    await set.settled();
    const moved = '{"version":1,"partitions":[{"topic":"kept","partition":0,"replicas":[3,4,1]}]}';
    await set.reassign(0, moved);
    await expect.poll(() => replicasOf(set, 0), { timeout: 120_000 }).toContainEqual(['1,3,4', '1,3,4']);
    set.declare(3);
    expect(await set.reduce(5, 3)).toMatchObject({
      code: 0,
      output: expect.stringContaining('shop-3 has no vote any more'),
    });
    expect(await set.reduce(5, 3)).toEqual({ code: 0, output: '' });
    expect(await set.knows(0, 'quorum', 'voter')).toHaveLength(3);
    expect(await replicasOf(set, 0)).toEqual(whole);
    for (const ordinal of [4, 3]) {
      await expect.poll(() => set.log, { timeout: 60_000 }).toContain(`${String(ordinal)}: has no vote any more`);
      for (const script of ['ready.sh', 'in-step.sh', 'quorum.sh']) await set.answers(ordinal, script, { code: 0 });
      expect((await set.run(ordinal, 'role.sh')).output).toBe('follower');
    }
    expect(await set.run(0, 'quorum.sh')).toEqual({ code: 0, output: '' });
    for (const ordinal of [4, 3]) expect(await set.stop(ordinal)).toBeLessThan(gracePeriodMs);
    // A new pod on the volume that stayed joins again.
    set.declare(4);
    set.start([3]);
    await set.settled();
    set.declare(3);
    expect(await set.reduce(4, 3)).toMatchObject({ code: 0 });
    await set.stop(3);
    await set.settled();
    shared = set;
  });

  test('no member leaves while one that stays is away', async () => {
    const set = await serving();
    set.declare(4);
    set.start([3]);
    await set.settled();
    set.declare(3);
    await set.stop(0);
    const left = await set.reduce(4, 3, { TRIES: '2' });
    expect(left).toMatchObject({ code: 1, output: expect.stringContaining('shop-0 is behind') });
    expect(await set.knows(1, 'quorum', 'voter')).toHaveLength(4);
    set.start([0]);
    await set.settled();
    expect(await set.reduce(4, 3)).toMatchObject({ code: 0 });
    await set.stop(3);
    shared = set;
  });

  test('a set of one serves', async () => {
    const set = setOf({ replicas: 1 });
    set.start([0]);
    expect(await set.settled()).toBe(0);
    expect(await set.run(0, 'quorum.sh')).toEqual({ code: 0, output: '' });
    await set.stop(0);
  });

  test.skipIf(versions.next === undefined)(
    'members take a newer version one by one, and back while one runs the older',
    async () => {
      const set = await serving();
      const change = async (ordinals: readonly number[], classes?: string): Promise<void> => {
        for (const ordinal of ordinals) {
          await set.answers(ordinal, 'quorum.sh', { code: 0 });
          await set.stop(ordinal);
          set.start([ordinal], classes);
          await set.settled();
        }
      };
      await change([2, 1], versions.next);
      await change([2, 1]);
      await change([2, 1, 0], versions.next);
      expect(await replicasOf(set, 0)).toEqual(whole);
    },
  );
});
