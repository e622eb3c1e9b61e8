import { afterEach, describe, expect, it } from 'vitest';
import { ApiError } from '@ordinal/client';
import {
  Channel,
  awaitChange,
  controller,
  generationChanged,
  noMetrics,
  requeueAfter,
  resourceVersionChanged,
} from '../index.ts';
import type { ControllerDefinition, ManagerOptions, Reconcile } from '../index.ts';
import { parts, widget, widgets, world } from '../../test/world.ts';
import type { World } from '../../test/world.ts';

const started: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of started.splice(0)) await stop();
});
const shop = 'shop';

async function running(
  definition: ControllerDefinition,
  options: Partial<ManagerOptions> = {},
  names = ['a'],
): Promise<World> {
  const w = world();
  for (const name of names) await w.user(widgets).namespace(shop).create(widget(name));
  const manager = w.manager(options).add(definition);
  started.push(async () => {
    const stopped = manager.stop();
    // What is under way may wait for time to pass.
    await w.clock.advance(30_000);
    await stopped;
  });
  void manager.start();
  await w.clock.advance(10);
  return w;
}

describe('a controller', () => {
  it('warns of a key that nothing but its own writes keeps waking', async () => {
    let loops = 0;
    const reconcile: Reconcile = async (key, { cache, client }) => {
      const seen = (cache.get(widgets, key)?.status?.seen ?? 0) + 1;
      if (seen < 40)
        await client(widgets)
          .namespace(key.namespace)
          .status.patch(key.name, { type: 'merge', body: { status: { seen } } });
      return awaitChange();
    };
    const looping = controller('widgets').for(widgets, { predicate: resourceVersionChanged }).reconcile(reconcile);
    const { log, clock } = await running(looping, { metrics: { ...noMetrics, hotLoop: () => (loops += 1) } });
    for (let turn = 0; turn < 50; turn += 1) await clock.advance(1);
    expect(loops).toBe(3);
    expect(log).toContainEqual(expect.stringContaining('its own writes'));
  });

  it('is not woken by its own writes of a status, but by those of others, after a while', async () => {
    const seen: unknown[] = [];
    const status = (w: World['user'], count: number): Promise<unknown> =>
      w(widgets)
        .namespace(shop)
        .status.patch('a', { type: 'merge', body: { status: { seen: count } } });
    const reconcile: Reconcile = async (key, { cache, client }) => {
      const now = cache.get(widgets, key)?.status?.seen;
      seen.push(now);
      if (now !== 1) await status(client, 1);
      return awaitChange();
    };
    const { user, clock } = await running(controller('widgets').for(widgets).reconcile(reconcile));
    await clock.advance(60_000);
    expect(seen).toEqual([undefined]);
    await status(user, 7);
    await clock.advance(4_000);
    expect(seen).toEqual([undefined]);
    await clock.advance(60_000);
    expect(seen).toEqual([undefined, 7]);
    const { status: final } = await user(widgets).namespace(shop).get('a');
    expect(final).toEqual({ seen: 1 });
  });

  it('lets time pass between the looks at a key that asks for the next one at once, time after time, and says so once', async () => {
    let looks = 0;
    let loops = 0;
    // Where no time passes the test would never come to its own end: the reconcile has to.
    const reconcile: Reconcile = () => Promise.resolve((looks += 1) < 100_000 ? requeueAfter(0) : awaitChange());
    const metrics = { ...noMetrics, hotLoop: () => (loops += 1) };
    const { clock, log } = await running(controller('widgets').for(widgets).reconcile(reconcile), { metrics });
    expect(looks).toBeGreaterThan(3);
    for (let turn = 0; turn < 30; turn += 1) await clock.advance(1000);
    const before = looks;
    for (let turn = 0; turn < 5; turn += 1) await clock.advance(1000);
    expect(looks - before).toBe(5);
    expect(loops).toBe(1);
    expect(log.filter((line) => line.includes('at once, again and again'))).toHaveLength(1);
  });

  it('takes a look that is asked for once at once', async () => {
    const at: number[] = [];
    const reconcile: Reconcile = (_key, { clock }) => {
      at.push(clock.now());
      return Promise.resolve(at.length % 2 === 1 ? requeueAfter(0) : requeueAfter(1000));
    };
    const { clock } = await running(controller('widgets').for(widgets).reconcile(reconcile));
    for (let turn = 0; turn < 3; turn += 1) await clock.advance(1000);
    const [first = 0] = at;
    expect(at.map((instant) => instant - first)).toEqual([0, 0, 1000, 1000, 2000, 2000, 3000, 3000]);
  });

  it('leaves it to a predicate of its own whether the status counts', async () => {
    let rounds = 0;
    const reconcile: Reconcile = () => ((rounds += 1), Promise.resolve(awaitChange()));
    const own = controller('widgets').for(widgets, { predicate: generationChanged }).reconcile(reconcile);
    const { user, clock } = await running(own);
    await user(widgets)
      .namespace(shop)
      .status.patch('a', { type: 'merge', body: { status: { seen: 7 } } });
    await clock.advance(60_000);
    expect(rounds).toBe(1);
  });

  it('aborts the signal of a reconcile that takes too long, and tries again', async () => {
    const ends: unknown[] = [];
    const reconcile: Reconcile = async (_key, { signal }) => {
      await new Promise<never>((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
      return awaitChange();
    };
    const timed: Reconcile = async (key, context) =>
      await reconcile(key, context).catch((error: unknown) => (ends.push(error), Promise.reject(error as Error)));
    const { clock } = await running(controller('widgets').for(widgets).options({ timeoutMs: 5000 }).reconcile(timed));
    await clock.advance(12_000);
    expect(ends).toEqual([
      expect.objectContaining({ code: 'ReconcileTimeout' }),
      expect.objectContaining({ code: 'ReconcileTimeout' }),
    ]);
  });

  it('looks again at once, and quietly, where something had changed meanwhile', async () => {
    let rounds = 0;
    const conflict = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 409, reason: 'Conflict' } as const;
    const reconcile: Reconcile = async () => {
      rounds += 1;
      if (rounds > 3) return awaitChange();
      throw new Error('the status is stale', { cause: new ApiError(conflict, 'patch widgets/status shop/a') });
    };
    const outcomes: string[] = [];
    const metrics = { ...noMetrics, reconciled: (_name: string, outcome: string) => void outcomes.push(outcome) };
    const { log, clock } = await running(controller('widgets').for(widgets).reconcile(reconcile), { metrics });
    await clock.advance(100);
    expect(outcomes).toEqual(['requeue', 'requeue', 'requeue', 'success']);
    expect(log.filter((line) => line.startsWith('error'))).toEqual([]);
  });

  it('leaves the server alone for as long as it asks', async () => {
    let rounds = 0;
    const busy = {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      code: 429,
      reason: 'TooManyRequests',
      details: { retryAfterSeconds: 30 },
    } as const;
    const reconcile: Reconcile = async () => {
      rounds += 1;
      throw new ApiError(busy, 'patch');
    };
    const { clock } = await running(controller('widgets').for(widgets).reconcile(reconcile));
    await clock.advance(29_000);
    expect(rounds).toBe(1);
    await clock.advance(2000);
    expect(rounds).toBe(2);
  });

  it('retries what no retry will mend only rarely', async () => {
    let rounds = 0;
    const reconcile: Reconcile = async () => {
      rounds += 1;
      throw new ApiError(
        { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 422, reason: 'Invalid' },
        'create',
      );
    };
    const { clock } = await running(controller('widgets').for(widgets).reconcile(reconcile));
    await clock.advance(299_000);
    expect(rounds).toBe(1);
    await clock.advance(2000);
    expect(rounds).toBe(2);
  });

  it('begins no more than its rate allows', async () => {
    let rounds = 0;
    const limited = controller('widgets')
      .for(widgets)
      .options({ rateLimit: { perSecond: 1, burst: 2 } })
      .reconcile(async () => ((rounds += 1), awaitChange()));
    const { clock } = await running(limited, {}, ['a', 'b', 'c', 'd']);
    expect(rounds).toBe(2);
    await clock.advance(2100);
    expect(rounds).toBe(4);
  });

  it('is woken by channels and timers', async () => {
    const channel = new Channel();
    const woken: string[] = [];
    const definition = controller('widgets')
      .for(widgets)
      .withChannel(channel)
      .withTimer({ everyMs: 60_000 })
      .reconcile(async (key) => (woken.push(key.name), awaitChange()));
    const { clock } = await running(definition);
    channel.send({ namespace: shop, name: 'elsewhere' });
    await clock.advance(0);
    expect(woken).toEqual(['a', 'elsewhere']);
    await clock.advance(91_000);
    expect(woken).toEqual(['a', 'elsewhere', 'a', 'a']);
  });

  it('works on as many keys at a time as it may, and no more', async () => {
    let active = 0;
    let max = 0;
    const reconcile: Reconcile = async (_key, { clock }) => {
      max = Math.max(max, (active += 1));
      await new Promise<void>((resolve) => clock.after(100, resolve));
      active -= 1;
      return requeueAfter(50);
    };
    const { clock } = await running(
      controller('widgets').for(widgets).options({ concurrency: 2 }).reconcile(reconcile),
      {},
      ['a', 'b', 'c', 'd'],
    );
    await clock.advance(2000);
    expect(max).toBe(2);
  });

  it('survives a handler that throws', async () => {
    const seen: string[] = [];
    const broken = (): never => {
      throw new Error('broken');
    };
    const definition = controller('widgets')
      .for(widgets)
      .watches(parts, broken)
      .reconcile(async (key) => (seen.push(key.name), awaitChange()));
    const { user, clock, log } = await running(definition);
    await user(parts)
      .namespace(shop)
      .create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } });
    await user(widgets).namespace(shop).create(widget('b'));
    await clock.advance(10);
    expect(seen).toEqual(['a', 'b']);
    expect(log).toContainEqual(expect.stringContaining('threw'));
  });

  it('reads objects that it can not damage', async () => {
    const errors: unknown[] = [];
    const reconcile: Reconcile = async (key, { cache }) => {
      try {
        (cache.get(widgets, key) as { spec: { size: number } }).spec.size = 3;
      } catch (error) {
        errors.push(error);
      }
      return awaitChange();
    };
    await running(controller('widgets').for(widgets).reconcile(reconcile));
    expect(errors).toEqual([expect.any(TypeError)]);
  });
});
