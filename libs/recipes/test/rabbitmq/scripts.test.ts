import { afterAll, describe, expect, test } from 'vitest';
import { gracePeriodMs } from '../loopback-set.ts';
import type { SetOptions } from '../loopback-set.ts';
import { MemberSet, missing } from './members.ts';

const reason = missing === undefined ? 'with real servers' : `no ${missing} here`;
const sets: MemberSet[] = [];
const three = [0, 1, 2];
const passes = { code: 0, output: '' };

function setOf(options: SetOptions = {}): MemberSet {
  const set = new MemberSet(options);
  sets.push(set);
  return set;
}

let shared: MemberSet | undefined;
let written: string[] = [];

/** The set of three that an earlier test has left as it was, or a new one, with the queue `kept`. */
async function serving(): Promise<MemberSet> {
  const left = shared;
  // One that is not left whole is not taken again.
  shared = undefined;
  if (left) return left;
  const set = setOf();
  set.start(three);
  await set.settled();
  await madeQueue(set);
  return set;
}

async function madeQueue(set: MemberSet): Promise<void> {
  written = [];
  await set.declareQueue(0, 'kept');
  await write(set, 0);
  await set.settled();
}

/** Adds a message by one of the members, which others may not know yet to lead. */
async function write(set: MemberSet, ordinal: number): Promise<void> {
  const payload = `message ${String(written.length)}`;
  await expect
    .poll(() => set.publish(ordinal, 'kept', payload).then(() => 'confirmed', String), { timeout: 60_000 })
    .toBe('confirmed');
  written.push(payload);
}

/** Every message is there, and the queue has a replica at each of these. */
async function holdsAll(set: MemberSet, ordinals: readonly number[] = three): Promise<void> {
  await expect.poll(() => set.replicasOf(ordinals[0] ?? 0, 'kept'), { timeout: 60_000 }).toEqual(ordinals);
  for (const ordinal of ordinals) {
    // One that was not confirmed to its writer may be there twice.
    const found = await set.messages(ordinal, 'kept');
    expect([...new Set(found)].toSorted()).toEqual(written.toSorted());
  }
}

afterAll(async () => {
  await Promise.all(sets.splice(0).map((set) => set.remove()));
});

// Each wait has a limit of its own. On a busy machine, many short ones come to minutes.
describe.skipIf(missing !== undefined)(`the members’ scripts of RabbitMQ (${reason})`, { timeout: 900_000 }, () => {
  test('members without data are ready one after the other, and then the first one founds the cluster that the others join; one that waits ends at SIGTERM', async () => {
    const set = setOf();
    for (const ordinal of [0, 1]) {
      set.start([ordinal]);
      await set.answers(ordinal, 'ready.sh', { code: 0 });
      expect(set.serverOf(ordinal)).toBeUndefined();
    }
    expect(await set.stop(1)).toBeLessThan(gracePeriodMs);
    set.silence(true);
    await set.says('the name server does not answer', () => set.start([1, 2]));
    set.silence(true);
    expect(set.serverOf(0)).toBeUndefined();
    set.silence(false);
    await set.settled();
    expect(set.log.split('founds the cluster')).toHaveLength(2);
    for (const ordinal of three) {
      await set.answers(ordinal, 'ready.sh', { code: 0 });
      expect(await set.run(ordinal, 'quorum.sh')).toEqual(passes);
    }
    await madeQueue(set);
    await holdsAll(set);
    shared = set;
  });

  test('while a member is away no other one may go, and when it is back it has what it has missed', async () => {
    const set = await serving();
    const leader = await set.settled();
    const [away = 0, other = 0] = three.filter((ordinal) => ordinal !== leader);
    await set.stop(away);
    const refused = { code: 1, output: `${set.serverOf(away) ?? ''} is away` };
    for (const ordinal of [other, leader]) await set.answers(ordinal, 'quorum.sh', refused);
    expect((await set.run(away, 'in-step.sh')).code).toBe(1);
    expect((await set.run(away, 'ready.sh')).code).toBe(0);
    await write(set, other);
    set.start([away]);
    await set.settled();
    for (const ordinal of three) await set.answers(ordinal, 'quorum.sh', { code: 0 });
    await holdsAll(set);
    shared = set;
  });

  test('a leader that ends hands over, and one that crashes comes back with its data', async () => {
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
    await write(set, leader);
    set.start([next]);
    await set.settled();
    await holdsAll(set);
    shared = set;
  });

  test('after a stop of all each starts with its data, and one whose volume is lost founds no second cluster and comes back as another one', async () => {
    const set = await serving();
    const before = three.map((ordinal) => set.serverOf(ordinal));
    await set.stopAll();
    set.loseVolume(0);
    set.start([0]);
    await set.answers(0, 'ready.sh', { code: 0 });
    set.start([1]);
    await set.answers(1, 'ready.sh', { code: 0 });
    await expect.poll(() => set.log, { timeout: 120_000 }).toContain('waits: shop-1 has not said that it has no data');
    expect(set.serverOf(0)).toBeUndefined();
    // One that waits for a majority has nothing to hand over.
    expect(await set.stop(1)).toBeLessThan(gracePeriodMs);
    set.start([1, 2]);
    await set.settled();
    expect(set.log).toContain(`has ${before[0] ?? ''} removed`);
    expect(three.map((ordinal) => set.serverOf(ordinal) === before[ordinal])).toEqual([false, true, true]);
    await holdsAll(set);
    shared = set;
  });

  test('a set grows, and a reduction moves replicas away from those that leave and removes them', async () => {
    const set = await serving();
    set.declare(5);
    set.start([3, 4]);
    await set.settled();
    await set.declareQueue(4, 'wide', { 'x-quorum-initial-group-size': 5 });
    expect(await set.replicasOf(0, 'wide')).toEqual([0, 1, 2, 3, 4]);
    // A queue begins where its client is.
    await set.declareQueue(4, 'far');
    await set.publish(4, 'far', 'as well');
    expect(await set.replicasOf(0, 'far')).toContain(4);
    await set.settled();
    set.declare(3);
    expect(await set.reduce(5, 3)).toMatchObject({ code: 0, output: expect.stringContaining('has left') });
    expect(await set.reduce(5, 3)).toEqual(passes);
    expect(await set.membersBy(0)).toEqual(three);
    await holdsAll(set);
    for (const queue of ['far', 'wide']) expect(await set.replicasOf(0, queue)).toEqual(three);
    expect(await set.messages(0, 'far')).toEqual(['as well']);
    await set.api(0, 'queues/%2f/wide', { method: 'DELETE' });
    for (const ordinal of [4, 3]) {
      await expect.poll(() => set.log, { timeout: 60_000 }).toContain(`${String(ordinal)}: was removed`);
      for (const script of ['ready.sh', 'in-step.sh', 'quorum.sh']) await set.answers(ordinal, script, { code: 0 });
      expect((await set.run(ordinal, 'role.sh')).output).toBe('follower');
    }
    expect(await set.run(0, 'quorum.sh')).toEqual(passes);
    for (const ordinal of [4, 3]) expect(await set.stop(ordinal)).toBeLessThan(gracePeriodMs);
    // A new pod on the volume that stayed joins as another one.
    const was = set.serverOf(3);
    set.declare(4);
    set.start([3]);
    await set.settled();
    expect(set.serverOf(3)).not.toBe(was);
    set.declare(3);
    expect(await set.reduce(4, 3)).toMatchObject({ code: 0 });
    await set.stop(3);
    await set.settled();
    await holdsAll(set);
    shared = set;
  });

  test('no member leaves while one that stays is away, nor with a queue that nothing moves', async () => {
    const set = await serving();
    set.declare(4);
    set.start([3]);
    await set.settled();
    await set.declareQueue(3, 'alone', { 'x-queue-type': 'classic' });
    set.declare(3);
    const kept = await set.reduce(4, 3, { TRIES: '2' });
    expect(kept).toMatchObject({ code: 1, output: expect.stringContaining('is no quorum queue') });
    await set.api(3, 'queues/%2f/alone', { method: 'DELETE' });
    await set.stop(0);
    const left = await set.reduce(4, 3, { TRIES: '2' });
    expect(left).toMatchObject({ code: 1, output: expect.stringContaining(`${set.serverOf(0) ?? ''} is away`) });
    expect(await set.membersBy(1)).toEqual([0, 1, 2, 3]);
    set.start([0]);
    await set.settled();
    expect(await set.reduce(4, 3)).toMatchObject({ code: 0 });
    await set.stop(3);
    await set.settled();
    shared = set;
  });

  test('a queue that was made before others had joined gets its replicas when they have; one that was declared with fewer keeps that', async () => {
    const set = setOf();
    set.declare(1);
    set.start([0]);
    await set.settled();
    await madeQueue(set);
    await set.declareQueue(0, 'narrow', { 'x-quorum-initial-group-size': 1 });
    set.declare(3);
    set.start([1, 2]);
    await set.settled();
    await holdsAll(set);
    expect(await set.replicasOf(0, 'narrow')).toHaveLength(1);
    expect(await set.run(9, 'features.sh', { ORDINAL_CLUSTER: 'shop', POD_NAME: 'features' })).toEqual(passes);
    await set.stopAll();
  });

  test('a set of one serves, and starts again with its data after a crash', async () => {
    const set = setOf({ replicas: 1 });
    set.start([0]);
    expect(await set.settled()).toBe(0);
    await madeQueue(set);
    await set.crash(0);
    set.start([0]);
    await set.settled();
    await holdsAll(set, [0]);
    expect(await set.run(0, 'quorum.sh')).toEqual(passes);
  });
});
