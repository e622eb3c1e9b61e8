import { afterEach, describe, expect, it } from 'vitest';
import { Registry } from 'prom-client';
import { awaitChange, controller, silentLogger } from '../index.ts';
import type { Logger, Manager, ManagerOptions, Reconcile } from '../index.ts';
import { prometheusMetrics } from '../observability/index.ts';
import { widget, widgets, world } from '../../test/world.ts';
import type { World } from '../../test/world.ts';
import { slotOf } from './leadership.ts';

const started: Manager[] = [];
afterEach(async () => {
  for (const manager of started.splice(0)) await manager.stop();
});

const times = { leaseMs: 3000, renewDeadlineMs: 2000, retryMs: 500 };
const shop = 'shop';

interface Sharing {
  readonly slots?: number;
  readonly concurrency?: number;
  /** How often all keys are due. */
  readonly everyMs?: number;
  readonly seenBy?: Partial<ManagerOptions>;
}

function replica(
  w: World,
  identity: string,
  reconcile: Reconcile,
  { slots = 2, concurrency = 1, everyMs = 1000, seenBy = {} }: Sharing = {},
) {
  const manager = w.manager({
    ...seenBy,
    identity,
    leaderElection: { namespace: 'system', name: 'test', slots, ...times },
    drainMs: 60_000,
  });
  manager.add(controller('widgets').for(widgets).withTimer({ everyMs }).options({ concurrency }).reconcile(reconcile));
  started.push(manager);
  void manager.start();
  return manager;
}

/** Names of one slot of two, and of the other. */
const [even, odd] = [0, 1].map((slot) =>
  Array.from({ length: 20 }, (_, index) => `w${index}`)
    .filter((name) => slotOf(`shop/${name}`, 2) === slot)
    .slice(0, 3),
) as [string[], string[]];

async function populated(): Promise<World> {
  const w = world();
  for (const name of [...even, ...odd]) await w.user(widgets).namespace(shop).create(widget(name));
  return w;
}

describe('a slot', () => {
  it('is the same for a key wherever it is asked for', () => {
    expect(['shop/a', 'shop/b', '/cluster', 'büro/ä'].map((key) => slotOf(key, 16))).toMatchInlineSnapshot(`
      [
        0,
        15,
        7,
        3,
      ]
    `);
  });

  it.each(['shop/database-', 'team-0/', 'a/x'])('has its part of many keys that are alike: %s', (prefix) => {
    const counts = Array.from({ length: 16 }, () => 0);
    for (let index = 0; index < 16_000; index += 1) {
      const slot = slotOf(`${prefix}${index}`, 16);
      counts[slot] = (counts[slot] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(850);
    expect(Math.max(...counts)).toBeLessThan(1150);
  });
});

describe('two replicas with two slots', () => {
  it('work on different keys, by changes, timers and at the start', async () => {
    const w = await populated();
    const by: Record<string, Set<string>> = { one: new Set(), two: new Set() };
    const note = (who: 'one' | 'two'): Reconcile => {
      return (key) => Promise.resolve((by[who]?.add(key.name), awaitChange()));
    };
    const one = replica(w, 'one', note('one'));
    const two = replica(w, 'two', note('two'));
    await w.clock.advance(10_000);
    by['one']?.clear();
    by['two']?.clear();
    await w.clock.advance(5000);
    expect([[...(by['one'] ?? [])].toSorted(), [...(by['two'] ?? [])].toSorted()].toSorted()).toEqual(
      [even.toSorted(), odd.toSorted()].toSorted(),
    );
    expect([one.share(), two.share()]).toEqual([0.5, 0.5]);
  });

  it('hand a slot over when the work on it has come to its end, and no earlier', async () => {
    const w = await populated();
    const blocked = new Set<string>();
    let proceed = (): void => undefined;
    const gate = new Promise<void>((resolve) => (proceed = resolve));
    const one = replica(w, 'one', async (key) => {
      blocked.add(key.name);
      await gate;
      return awaitChange();
    });
    await w.clock.advance(2000);
    expect([one.share(), blocked.size]).toEqual([1, 1]);
    const [held = ''] = blocked;
    const taken = new Set<string>();
    const two = replica(w, 'two', (key) => Promise.resolve((taken.add(key.name), awaitChange())));
    await w.clock.advance(10_000);
    expect([...taken]).not.toContain(held);
    proceed();
    await w.clock.advance(5000);
    expect([one.share(), two.share()]).toEqual([0.5, 0.5]);
    expect(taken.size).toBe(3);
  });

  it('work on nothing without the lease that all of them hold', async () => {
    const w = await populated();
    let proceed = (): void => undefined;
    const outcomes: string[] = [];
    const one = replica(w, 'one', async (key, { client }) => {
      if (outcomes.length > 0 || key.name !== even[0]) return awaitChange();
      await new Promise<void>((resolve) => (proceed = resolve));
      const written = client(widgets)
        .namespace(shop)
        .patch(key.name, { type: 'merge', body: { spec: { size: 9 } } });
      outcomes.push(
        await written.then(
          () => 'written',
          ({ code }: { code: string }) => code,
        ),
      );
      return awaitChange();
    });
    await w.clock.advance(2000);
    w.api.intercept = ({ path, method }) =>
      path.endsWith('/leases/test') && method === 'PUT' ? Promise.reject(new Error('cut off')) : undefined;
    await w.clock.advance(2500);
    expect([one.leads(), one.share()]).toEqual([false, 0]);
    proceed();
    await w.clock.advance(100);
    expect(outcomes).toEqual(['NotLeading']);
    w.api.intercept = () => undefined;
    await w.clock.advance(5000);
    expect(one.share()).toBe(1);
  });

  it('begin nothing of a slot that is being given back, and leave it to the one that gets it', async () => {
    const w = await populated();
    let proceed = (): void => undefined;
    const gate = new Promise<void>((resolve) => (proceed = resolve));
    const first = new Set([even[0], odd[0]]);
    const begun = new Set<string>();
    const one = replica(
      w,
      'one',
      async (key) => {
        begun.add(key.name);
        if (first.has(key.name)) await gate;
        return awaitChange();
      },
      { concurrency: 4 },
    );
    await w.clock.advance(2000);
    expect([one.share(), begun.size]).toEqual([1, 6]);
    const taken = new Set<string>();
    const two = replica(w, 'two', (key) => Promise.resolve((taken.add(key.name), awaitChange())));
    await w.clock.advance(6000);
    begun.clear();
    await w.clock.advance(3000);
    expect(new Set([...begun].map((name) => slotOf(`${shop}/${name}`, 2))).size).toBe(1);
    expect([two.share(), taken.size]).toEqual([0, 0]);
    proceed();
    await w.clock.advance(5000);
    expect([one.share(), two.share(), taken.size]).toEqual([0.5, 0.5, 3]);
    expect([...begun].filter((name) => taken.has(name))).toEqual([]);
  });

  it('look at every key of a slot that they get back, also at those of which nothing is heard', async () => {
    const w = await populated();
    const everyMs = 1_000_000_000;
    const looked = new Set<string>();
    const one = replica(w, 'one', (key) => Promise.resolve((looked.add(key.name), awaitChange())), { everyMs });
    await w.clock.advance(3000);
    expect([one.share(), looked.size]).toEqual([1, 6]);
    const taken = new Set<string>();
    const two = replica(w, 'two', (key) => Promise.resolve((taken.add(key.name), awaitChange())), { everyMs });
    await w.clock.advance(10_000);
    expect([one.share(), two.share(), taken.size]).toEqual([0.5, 0.5, 3]);
    looked.clear();
    await two.stop();
    await w.clock.advance(10_000);
    expect([one.share(), [...looked].toSorted()]).toEqual([1, [...taken].toSorted()]);
  });

  it('write nothing of a slot whose own lease was not renewed', async () => {
    const w = await populated();
    let proceed = (): void => undefined;
    const gate = new Promise<void>((resolve) => (proceed = resolve));
    const outcomes = new Map<string, string>();
    const first = [even[0] ?? '', odd[0] ?? ''];
    const one = replica(
      w,
      'one',
      async (key, { client }) => {
        if (!first.includes(key.name) || outcomes.has(key.name)) return awaitChange();
        await gate;
        const body = { spec: { size: 9 } };
        const written = client(widgets).namespace(shop).patch(key.name, { type: 'merge', body });
        outcomes.set(key.name, await written.then(() => 'written').catch(({ code }: { code: string }) => code));
        return awaitChange();
      },
      { concurrency: 4 },
    );
    await w.clock.advance(2000);
    const lease = `/leases/test-slot-${slotOf(`${shop}/${even[0]}`, 2)}`;
    w.api.intercept = ({ path, method }) =>
      path.endsWith(lease) && method === 'PUT' ? Promise.reject(new Error('cut off')) : undefined;
    await w.clock.advance(2500);
    expect(one.share()).toBe(0.5);
    proceed();
    await w.clock.advance(100);
    expect(first.map((name) => outcomes.get(name))).toEqual(['NotLeading', 'written']);
  });

  it('begin again when all of their work has ended, after the store was restored', async () => {
    const w = await populated();
    const worked: string[] = [];
    let isBlocked = false;
    let proceed = (): void => undefined;
    const reconcile: Reconcile = async (key) => {
      worked.push(key.name);
      if (isBlocked && key.name === even[0]) await new Promise<void>((resolve) => (proceed = resolve));
      return awaitChange();
    };
    replica(w, 'one', reconcile, { concurrency: 2 });
    await w.clock.advance(3000);
    const backup = w.api.backUp();
    await w
      .user(widgets)
      .namespace(shop)
      .patch(odd[0] ?? '', { type: 'merge', body: { spec: { size: 2 } } });
    isBlocked = true;
    await w.clock.advance(3000);
    w.api.restore(backup);
    await w.clock.advance(3000);
    worked.length = 0;
    await w.clock.advance(5000);
    expect(worked).toEqual([]);
    isBlocked = false;
    proceed();
    await w.clock.advance(3000);
    expect(new Set(worked)).toEqual(new Set([...even, ...odd]));
  });

  it('say which slots they take, from whom, and why they give one up, and count it', async () => {
    const w = await populated();
    const lines: string[] = [];
    const logger: Logger = {
      ...silentLogger,
      info: (fields, message) => void (/leading/.test(message) && lines.push(JSON.stringify({ message, ...fields }))),
      child: () => logger,
    };
    const registry = new Registry();
    const seenBy = { logger, metrics: prometheusMetrics(registry) };
    const nothing: Reconcile = () => Promise.resolve(awaitChange());
    const one = replica(w, 'one', nothing, { seenBy });
    await w.clock.advance(3000);
    const two = replica(w, 'two', nothing);
    await w.clock.advance(10_000);
    expect([one.share(), two.share()]).toEqual([0.5, 0.5]);
    expect(lines.filter((line) => line.includes('-slot-') && line.includes('not leading any more'))).toEqual([
      expect.stringMatching(/"reason":"the lease test-slot-\d is handed over to two"/),
    ]);
    // Nothing that the second one writes arrives: its lease runs out.
    w.api.intercept = ({ body }) =>
      JSON.stringify(body ?? '').includes('two') ? Promise.reject(new Error('cut off')) : undefined;
    lines.length = 0;
    await w.clock.advance(15_000);
    expect(one.share()).toBe(1);
    expect(lines).toEqual([expect.stringMatching(/"message":"leading","lease":"test-slot-\d".*"from":"two"/)]);
    const text = await registry.metrics();
    expect(text.match(/^leader_election_terms_total\{name="test-slot-\d"\} \d$/gm)?.map((line) => line.at(-1))).toEqual(
      expect.arrayContaining(['1', '2']),
    );
  });

  it('refuse what is no number of slots', () => {
    expect(() => replica(world(), 'one', async () => awaitChange(), { slots: 0 })).toThrow(RangeError);
    expect(() => replica(world(), 'one', async () => awaitChange(), { slots: 1.5 })).toThrow(RangeError);
  });
});
