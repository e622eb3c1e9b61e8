import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { gracePeriodMs } from '../loopback-set.ts';
import { MemberSet, missing, versions } from './members.ts';
import type { Client } from './members.ts';

const reason = missing === undefined ? 'with real servers' : `no ${missing} here`;
const sets: MemberSet[] = [];
const three = [0, 1, 2];

function setOf(): MemberSet {
  const set = new MemberSet();
  sets.push(set);
  return set;
}

/** A set of three that serves, and a client of it with a stream of three replicas that holds one message. */
interface Serving {
  readonly set: MemberSet;
  readonly client: Client;
}

let shared: Serving | undefined;

async function servedBy(set: MemberSet): Promise<Serving> {
  const client = await set.client();
  await client.manager.streams.add({ name: 'ORDERS', subjects: ['orders.>'], num_replicas: 3 });
  await client.streams.publish('orders.kept', 'yes');
  return { set, client };
}

/** The set that an earlier test has left as it was, or a new one: to found one takes seconds. */
async function serving(): Promise<Serving> {
  const { set, client } =
    shared ??
    (await (async () => {
      const founded = setOf();
      founded.start(three);
      await founded.settled();
      return servedBy(founded);
    })());
  // One that is not left whole is not taken again.
  shared = undefined;
  return { set, client };
}

/** Waits until a stream has one message, as its leader says: no server answers until one has been elected after a crash. */
const hasOne = async ({ manager }: Client, name = 'ORDERS'): Promise<void> =>
  expect.poll(async () => (await manager.streams.info(name)).state.messages, { timeout: 60_000 }).toBe(1);

/** Makes the stream ONE, of one replica, with one message, on a server: which one it gets is left to chance. */
async function placeOn({ streams, manager }: Client, server: string): Promise<void> {
  const isThere = async (): Promise<boolean> => {
    const { cluster } = await manager.streams.add({ name: 'ONE', subjects: ['one'], num_replicas: 1 });
    if (cluster?.leader === server) return true;
    await manager.streams.delete('ONE');
    return false;
  };
  await expect.poll(isThere, { timeout: 60_000, interval: 10 }).toBe(true);
  await streams.publish('one', 'kept');
}

afterEach(async () => {
  const over = sets.filter((set) => set !== shared?.set);
  sets.splice(0, sets.length, ...(shared ? [shared.set] : []));
  await Promise.all(over.map((set) => set.remove()));
});
afterAll(async () => {
  await Promise.all(sets.splice(0).map((set) => set.remove()));
});

// Each wait has a limit of its own. On a busy machine, many short ones come to minutes.
describe.skipIf(missing !== undefined)(`the members’ scripts of NATS (${reason})`, { timeout: 900_000 }, () => {
  test('members without data are ready one after the other, and found a cluster when all are there; one that waits ends at SIGTERM', async () => {
    const set = setOf();
    for (const ordinal of [0, 1]) {
      set.start([ordinal]);
      await set.answers(ordinal, 'ready.sh', { code: 0 });
      expect(set.serverOf(ordinal)).toBeUndefined();
    }
    expect(await set.stop(1)).toBeLessThan(gracePeriodMs);
    set.start([1, 2]);
    const leader = await set.settled();
    expect(three.map((ordinal) => set.serverOf(ordinal))).toEqual(['shop-0', 'shop-1', 'shop-2']);
    for (const ordinal of three) await set.answers(ordinal, 'ready.sh', { code: 0 });
    expect(await set.monitoring(0, '/varz')).toMatchObject({
      max_payload: 2 * 1024 * 1024,
      jetstream: { config: { max_memory: 64 * 1024 * 1024 } },
    });
    // The leader gives the lead away; any other member has nothing to hand over.
    expect(await set.run((leader + 1) % 3, 'handoff.sh')).toEqual({ code: 0, output: '' });
    expect(await set.settled()).toBe(leader);
    expect(await set.run(leader, 'handoff.sh')).toEqual({ code: 0, output: '' });
    expect(await set.settled()).not.toBe(leader);
    // Accounts that are written anew are read without a restart.
    set.writeAccounts('APP: { jetstream: enabled, users: [ { user: app, password: app } ] }, OTHER: { users: [] }');
    await expect.poll(() => set.log, { timeout: 60_000 }).toContain('reads its accounts again');
    shared = await servedBy(set);
  });

  test('a member that ends hands its streams over, and while it is away no other one may go', async () => {
    const { set, client } = await serving();
    const { cluster } = await client.manager.streams.info('ORDERS');
    const leads = Number(cluster?.leader?.split('-')[1]);
    expect(await set.run(leads, 'quorum.sh')).toEqual({ code: 0, output: '' });
    expect(await set.stop(leads)).toBeLessThan(20_000);
    expect(set.log).toContain('lame duck');
    const other = (leads + 1) % 3;
    const refused = await set.run(other, 'quorum.sh');
    expect(refused.code).toBe(1);
    await hasOne(client);
    set.start([leads]);
    await set.settled();
    expect(await set.run(other, 'quorum.sh')).toEqual({ code: 0, output: '' });
    await set.crash(other);
    set.start([other]);
    await set.settled();
    await hasOne(client);
    shared = { set, client };
  });

  test('after a stop of all members each starts with its data, and one whose volume is lost founds no second cluster', async () => {
    const { set, client: former } = await serving();
    await former.connection.close();
    await set.stopAll();
    set.loseVolume(0);
    set.start([0]);
    await set.answers(0, 'ready.sh', { code: 0 });
    set.start([1]);
    await set.answers(1, 'role.sh', { code: 0, output: 'follower' });
    // It asks member 1 once more, which has data and no leader.
    await set.says('waits for shop-1: blank|founding', () => set.declare(3));
    await set.says('the name server does not answer', () => set.silence(true));
    set.undeclare();
    await set.says('members-shop is missing', () => set.silence(false));
    // As after `kubectl scale`: fewer are declared than there are.
    await set.says('waits for shop-1: blank|founding', () => set.declare(1));
    expect(set.serverOf(0)).toBeUndefined();
    set.declare(3);
    expect((await set.run(1, 'in-step.sh')).code).toBe(1);
    set.start([2]);
    await set.settled();
    // It is another server for the cluster, and the one that it was is removed.
    expect(set.serverOf(0)).toMatch(/^shop-0-[0-9a-f]+$/);
    const client = await set.client();
    await hasOne(client);
    await expect
      .poll(async () => (await client.manager.streams.info('ORDERS')).cluster?.replicas?.length, { timeout: 60_000 })
      .toBe(2);
    shared = { set, client };
  });

  test('a set grows, and a reduction moves what is on the members that leave', async () => {
    const { set, client } = await serving();
    set.start([3]);
    await set.settled();
    const leaving = set.serverOf(3) ?? '';
    expect(leaving).toMatch(/^shop-3-/);
    await placeOn(client, leaving);
    const reduction = { ORDINAL_CLUSTER: 'shop', ORDINAL_REPLICAS: '4', ORDINAL_TARGET_REPLICAS: '3' };
    const left = await set.run(0, 'leave.sh', reduction);
    expect(left).toEqual({ code: 0, output: expect.stringContaining(`removed ${leaving}`) });
    expect((await set.run(0, 'leave.sh', reduction)).code).toBe(0);
    // The pod is still there: it leads nothing, and does not come back. It is ready, as a StatefulSet waits for that before it takes the next one away.
    await expect.poll(() => existsSync(join(set.folder, 'tools/3/left')), { timeout: 60_000 }).toBe(true);
    for (const script of ['ready.sh', 'quorum.sh', 'in-step.sh', 'handoff.sh'])
      expect((await set.run(3, script)).code).toBe(0);
    expect((await set.run(3, 'role.sh')).output).toBe('follower');
    expect(await set.stop(3)).toBeLessThan(gracePeriodMs);
    await set.settled();
    for (const name of ['ONE', 'ORDERS']) await hasOne(client, name);
    // A stream that needs more members than stay keeps them.
    const refused = await set.run(0, 'leave.sh', {
      ...reduction,
      ORDINAL_REPLICAS: '3',
      ORDINAL_TARGET_REPLICAS: '2',
      TRIES: '1',
    });
    expect(refused).toEqual({
      code: 1,
      output: expect.stringContaining('stream ORDERS of account APP has 3 replicas'),
    });
    // A new pod on the volume that stayed is a new server.
    set.start([3]);
    await set.settled();
    expect(set.serverOf(3)).not.toBe(leaving);
  });

  test.skipIf(versions.next === undefined)(
    'members take a newer version one by one, and back while one runs the older',
    async () => {
      const { set, client } = await serving();
      const change = async (ordinals: readonly number[], programs?: string): Promise<void> => {
        for (const ordinal of ordinals) {
          expect(await set.run(ordinal, 'handoff.sh')).toEqual({ code: 0, output: '' });
          await set.answers(ordinal, 'quorum.sh', { code: 0 });
          await set.stop(ordinal);
          set.start([ordinal], programs);
          await set.settled();
        }
      };
      await change([2, 1], versions.next);
      await change([2, 1]);
      await change([2, 1, 0], versions.next);
      await hasOne(client);
    },
  );
});
