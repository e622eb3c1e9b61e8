import { TransportError } from '@ordinal/client';
import { afterEach, describe, expect, it } from 'vitest';
import { awaitChange, controller } from '../index.ts';
import type { Manager, Reconcile } from '../index.ts';
import { parts, widget, widgets, world } from '../../test/world.ts';
import type { World } from '../../test/world.ts';

const started: Manager[] = [];
afterEach(async () => {
  for (const manager of started.splice(0)) await manager.stop();
});

const shop = 'shop';
const lease = { namespace: 'system', name: 'test', leaseMs: 3000, renewDeadlineMs: 2000, retryMs: 500 };

function start(the: World, reconcile: Reconcile, options: Parameters<World['manager']>[0] = {}): Manager {
  const manager = the.manager(options);
  manager.add(controller('widgets').for(widgets).reads(parts).reconcile(reconcile));
  started.push(manager);
  void manager.start();
  return manager;
}

async function resize({ user }: World, name: string, size: number): Promise<void> {
  await user(widgets)
    .namespace(shop)
    .patch(name, { type: 'merge', body: { spec: { size } } });
}

describe('a manager whose API server comes back in an older state', () => {
  it('reads everything anew, looks at all keys, and follows what happens from there', async () => {
    const the = world();
    const { user, api, clock } = the;
    await user(widgets).namespace(shop).create(widget('a'));
    let sizes: number[] = [];
    const manager = start(the, async (key, { cache }) => {
      sizes.push(cache.get(widgets, key)?.spec.size ?? -1);
      return awaitChange();
    });
    await clock.advance(1000);
    const backup = api.backUp();
    for (const size of [2, 3, 4, 5]) await resize(the, 'a', size);
    await user(widgets).namespace(shop).create(widget('later'));
    await clock.advance(1000);
    sizes = [];
    api.restore(backup);
    await clock.advance(30_000);
    expect(sizes).toContain(1);
    expect(manager.readiness()).toMatchObject({ ready: true });
    expect(manager.reader('widgets').list(widgets)).toHaveLength(1);
    sizes = [];
    await resize(the, 'a', 7); // Under a revision that was shown already, of another history.
    await clock.advance(1000);
    expect(sizes).toEqual([7]);
    expect(the.log.filter((line) => line.includes('older state'))).toHaveLength(1);
  });

  it('says in each reconcile from then on when it was noticed', async () => {
    const the = world();
    const { user, api, clock } = the;
    await user(widgets).namespace(shop).create(widget('a'));
    const noticed: (number | undefined)[] = [];
    start(the, async (_key, { restoredAt }) => (noticed.push(restoredAt), awaitChange()));
    await clock.advance(1000);
    const backup = api.backUp();
    await resize(the, 'a', 2);
    await clock.advance(1000);
    const before = clock.now();
    api.restore(backup);
    await clock.advance(30_000);
    expect(noticed.slice(0, 2)).toEqual([undefined, undefined]);
    expect(noticed.at(-1)).toBeGreaterThanOrEqual(before);
    expect(noticed.at(-1)).toBeLessThanOrEqual(before + 30_000);
  });

  it('says that it was noticed now where the clock was set back since', async () => {
    const the = world();
    const { user, api, clock } = the;
    await user(widgets).namespace(shop).create(widget('a'));
    let behindMs = 0;
    const now = (): number => clock.now() - behindMs;
    const given: { readonly at: number; readonly restoredAt: number | undefined }[] = [];
    start(the, async (_key, { restoredAt }) => (given.push({ at: now(), restoredAt }), awaitChange()), {
      clock: { now, after: (delayMs, action) => clock.after(delayMs, action) },
    });
    await clock.advance(1000);
    const backup = api.backUp();
    await resize(the, 'a', 2);
    await clock.advance(1000);
    api.restore(backup);
    await clock.advance(30_000);
    behindMs = 3_600_000;
    const setBackTo = now();
    for (const size of [3, 4]) {
      await resize(the, 'a', size);
      await clock.advance(5000);
    }
    const [first, second] = given.slice(-2);
    expect(first?.restoredAt).toBeGreaterThanOrEqual(setBackTo);
    expect(first?.restoredAt).toBeLessThanOrEqual(first?.at ?? 0);
    expect(second).toMatchObject({ restoredAt: first?.restoredAt });
    expect(the.log.filter((line) => line.includes('older state'))).toHaveLength(1);
  });

  it('reads an object anew whose version is the same as that of a lost state', async () => {
    const the = world();
    const { user, api, clock } = the;
    await user(widgets).namespace(shop).create(widget('a'));
    let sizes: number[] = [];
    start(the, async (key, { cache }) => (sizes.push(cache.get(widgets, key)?.spec.size ?? -1), awaitChange()));
    await clock.advance(1000);
    const backup = api.backUp();
    await resize(the, 'a', 2);
    await user(widgets).namespace(shop).create(widget('later'));
    await clock.advance(1000);
    sizes = [];
    api.restore(backup);
    await resize(the, 'a', 3);
    await clock.advance(30_000);
    expect(sizes.filter((size) => size > 0)).toEqual([3]);
  });

  it('notices it also where the new history has come further than the lost one before anybody asks', async () => {
    const the = world();
    const { user, api, clock } = the;
    for (const name of ['a', 'b']) await user(widgets).namespace(shop).create(widget(name));
    const sizes = new Map<string, number>();
    const manager = start(the, async (key, { cache }) => {
      sizes.set(key.name, cache.get(widgets, key)?.spec.size ?? -1);
      return awaitChange();
    });
    await clock.advance(1000);
    const backup = api.backUp();
    await resize(the, 'a', 2);
    await resize(the, 'b', 2);
    await clock.advance(1000);
    let isHeld = true;
    api.intercept = async ({ method }) => {
      while (method === 'GET' && isHeld) await new Promise<void>((resolve) => clock.after(100, resolve));
      return undefined;
    };
    api.restore(backup);
    await resize(the, 'b', 3);
    for (const name of ['c', 'd', 'e']) await user(widgets).namespace(shop).create(widget(name));
    isHeld = false;
    await clock.advance(30_000);
    expect([...sizes]).toEqual(Object.entries({ a: 1, b: 3, c: 1, d: 1, e: 1 }));
    expect(manager.readiness()).toMatchObject({ ready: true });
  });

  it('takes what was missed while a watch was broken for what it is', async () => {
    const the = world();
    const { user, api, clock } = the;
    for (const name of ['a', 'b']) await user(widgets).namespace(shop).create(widget(name));
    const sizes: number[] = [];
    start(the, async (key, { cache }) => (sizes.push(cache.get(widgets, key)?.spec.size ?? -1), awaitChange()));
    await clock.advance(1000);
    sizes.length = 0;
    api.endWatches(new TransportError('ConnectionFailed', 'reset'));
    for (const size of [2, 3]) await resize(the, 'a', size);
    await resize(the, 'b', 4);
    await clock.advance(30_000);
    expect(sizes.at(-1)).toBe(4);
    expect(the.log.filter((line) => line.includes('older state'))).toEqual([]);
  });

  it('takes the end of an object that it has brought about while a watch was broken for what it is', async () => {
    const the = world();
    const { user, api, clock } = the;
    const object = widget('a');
    await user(widgets)
      .namespace(shop)
      .create({ ...object, metadata: { ...object.metadata, finalizers: ['example.com/held'] } });
    start(the, async (key, { cache, client }) => {
      if (cache.get(widgets, key)?.metadata.deletionTimestamp === undefined) return awaitChange();
      api.endWatches(new TransportError('ConnectionFailed', 'reset'));
      await client(widgets)
        .namespace(key.namespace)
        .patch(key.name, { type: 'merge', body: { metadata: { finalizers: [] } } });
      return awaitChange();
    });
    await clock.advance(1000);
    await user(widgets).namespace(shop).delete('a');
    await clock.advance(30_000);
    expect(await user(widgets).namespace(shop).find('a')).toBeUndefined();
    expect(the.log.filter((line) => line.includes('older state'))).toEqual([]);
  });

  it('does not wait for what it has written and the restored state lacks', async () => {
    const the = world();
    const { user, api, clock } = the;
    await user(widgets).namespace(shop).create(widget('a'));
    let writes = true;
    let rounds = 0;
    start(the, async (key, { client }) => {
      rounds += 1;
      if (writes) {
        api.holdEvents = true;
        await client(widgets)
          .namespace(key.namespace)
          .status.patch(key.name, { type: 'merge', body: { status: { seen: rounds } } });
      }
      return awaitChange();
    });
    const backup = api.backUp();
    await clock.advance(1000);
    writes = false;
    api.restore(backup);
    api.holdEvents = false;
    await clock.advance(30_000);
    expect(rounds).toBe(2);
    await resize(the, 'a', 2);
    await clock.advance(1000);
    expect(rounds).toBe(3);
  });

  it('begins no reconcile, and is not ready, before all lists have come in', async () => {
    const the = world();
    const { user, api, clock } = the;
    await user(widgets).namespace(shop).create(widget('a'));
    let rounds = 0;
    const manager = start(the, async () => ((rounds += 1), awaitChange()));
    await clock.advance(1000);
    const backup = api.backUp();
    await resize(the, 'a', 2);
    await clock.advance(1000);
    rounds = 0;
    let isHeld = true;
    const isWhole = (path: string): boolean => path.includes('/configmaps') && path.includes('limit=500');
    api.intercept = async ({ path }) => {
      while (isHeld && isWhole(path)) await new Promise<void>((resolve) => clock.after(100, resolve));
      return undefined;
    };
    api.restore(backup);
    await clock.advance(5000);
    expect({ rounds, ready: manager.readiness().ready, unsynced: manager.readiness().unsynced }).toEqual({
      rounds: 0,
      ready: false,
      unsynced: ['configmaps'],
    });
    isHeld = false;
    await clock.advance(5000);
    expect({ rounds, ready: manager.readiness().ready }).toEqual({ rounds: 1, ready: true });
  });

  it('keeps its lease where the older state names it too', async () => {
    const the = world();
    const { user, api, clock } = the;
    await user(widgets).namespace(shop).create(widget('a'));
    const sizes: number[] = [];
    const manager = start(
      the,
      async (key, { cache }) => (sizes.push(cache.get(widgets, key)?.spec.size ?? -1), awaitChange()),
      { leaderElection: lease },
    );
    await clock.advance(5000);
    const backup = api.backUp();
    await resize(the, 'a', 2);
    await clock.advance(20_000);
    api.restore(backup);
    await clock.advance(30_000);
    expect(manager.leads()).toBe(true);
    expect(sizes).toEqual([1, 2, 1]);
  });

  it('does not lead at once where the older state names it and another one leads by now', async () => {
    const the = world();
    const { user, api, clock } = the;
    await user(widgets).namespace(shop).create(widget('a'));
    let sole = true;
    const managers: Manager[] = [];
    const reconcile: Reconcile = async () => awaitChange();
    const check = (): void => {
      if (managers.filter((manager) => manager.leads()).length > 1) sole = false;
    };
    const first = start(the, reconcile, { identity: 'one', leaderElection: lease });
    managers.push(first);
    await clock.advance(2000);
    const backup = api.backUp();
    // Cut off for a while, it is deposed.
    api.intercept = ({ path }) => (path.includes('/leases') ? Promise.reject(new Error('cut off')) : undefined);
    await clock.advance(6000);
    api.intercept = () => undefined;
    api.handle({
      method: 'PATCH',
      path: '/apis/coordination.k8s.io/v1/namespaces/system/leases/test',
      body: JSON.stringify({ spec: { holderIdentity: 'two' } }),
    });
    const second = start(the, reconcile, { identity: 'two', leaderElection: lease });
    managers.push(second);
    await clock.advance(3000);
    expect([first.leads(), second.leads()]).toEqual([false, true]);
    // It can't renew for a while, and goes on as long as its lease allows.
    api.intercept = ({ body }) => (String(body).includes('"two"') ? Promise.reject(new Error('cut off')) : undefined);
    api.restore(backup);
    for (let step = 0; step < 200; step += 1) {
      await clock.advance(50);
      check();
    }
    expect(sole).toBe(true);
    expect(managers.some((manager) => manager.leads())).toBe(true);
  });
});
