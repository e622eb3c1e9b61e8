import { afterEach, describe, expect, it } from 'vitest';
import { awaitChange, controller, requeueAfter } from '../index.ts';
import type { Reconcile, ReconcileContext } from '../index.ts';
import { widget, widgets, world } from '../../test/world.ts';
import type { World } from '../../test/world.ts';

const started: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of started.splice(0)) await stop();
});

const sleeping =
  ({ clock }: Pick<ReconcileContext, 'clock'>, ms: number) =>
  (): Promise<void> =>
    new Promise((resolve) => void clock.after(ms, resolve));

/** A manager with one worker, and a widget for each place `namespace/name`. */
async function running(
  reconcile: Reconcile,
  places: readonly string[],
  concurrency = 1,
): Promise<World & { readonly stop: () => Promise<void> }> {
  const w = world();
  for (const place of places) {
    const [namespace = '', name = ''] = place.split('/');
    await w
      .user(widgets)
      .namespace(namespace)
      .create({ ...widget(name), metadata: { name, namespace } });
  }
  const manager = w.manager().add(controller('widgets').for(widgets).options({ concurrency }).reconcile(reconcile));
  started.push(async () => {
    const stopped = manager.stop();
    await w.clock.advance(60_000);
    await stopped;
  });
  void manager.start();
  await w.clock.advance(10);
  return { ...w, stop: () => manager.stop() };
}

describe('a reconcile that waits for a call to the outside', () => {
  it('holds no worker meanwhile, and goes on with one', async () => {
    const log: string[] = [];
    let working = 0;
    const reconcile: Reconcile = async (key, context) => {
      expect((working += 1)).toBe(1);
      log.push(`${key.name} begins`);
      working -= 1;
      if (key.name === 'slow') await context.outside(sleeping(context, 60_000));
      expect((working += 1)).toBe(1);
      await sleeping(context, 100)();
      log.push(`${key.name} ends`);
      working -= 1;
      return awaitChange();
    };
    const { clock } = await running(reconcile, ['a/slow', 'b/quick']);
    await clock.advance(1_000);
    expect(log).toEqual(['slow begins', 'quick begins', 'quick ends']);
    await clock.advance(60_000);
    expect(log.at(-1)).toBe('slow ends');
  });

  it('is the only one of its key, and is done again when something changes meanwhile', async () => {
    let atOnce = 0;
    let done = 0;
    const reconcile: Reconcile = async (_key, context) => {
      expect((atOnce += 1)).toBe(1);
      await context.outside(sleeping(context, 10_000));
      atOnce -= 1;
      done += 1;
      return awaitChange();
    };
    const { clock, user } = await running(reconcile, ['shop/a'], 4);
    await user(widgets)
      .namespace('shop')
      .patch('a', { type: 'merge', body: { spec: { size: 7 } } });
    await clock.advance(9_000);
    expect(done).toBe(0);
    await clock.advance(12_000);
    expect(done).toBe(2);
  });

  it('is not held up by new ones of other namespaces, nor do those that come back hold up new ones', async () => {
    const ended: string[] = [];
    const reconcile: Reconcile = async (key, context) => {
      if (key.namespace === 'hostile') await context.outside(sleeping(context, 10));
      await sleeping(context, 10)();
      ended.push(`${key.namespace}/${key.name}`);
      return key.namespace === 'hostile' ? requeueAfter(1) : awaitChange();
    };
    const hostile = Array.from({ length: 30 }, (_, n) => `hostile/${n}`);
    const { clock, user } = await running(reconcile, hostile);
    await clock.advance(2_000);
    await user(widgets)
      .namespace('shop')
      .create({ ...widget('a'), metadata: { name: 'a', namespace: 'shop' } });
    const before = ended.length;
    await clock.advance(100);
    expect(ended.slice(before)).toContain('shop/a');
    await clock.advance(2_000);
    expect(new Set(ended).size).toBe(31);
  });

  it('may make calls side by side, one after the other within each', async () => {
    const at: number[] = [];
    const reconcile: Reconcile = async (_key, context) => {
      const began = context.clock.now();
      const chain = async (ms: number): Promise<void> => {
        for (let n = 0; n < 3; n += 1) await context.outside(sleeping(context, ms));
        at.push(context.clock.now() - began);
      };
      await Promise.all([chain(1_000), chain(2_500)]);
      at.push(context.clock.now() - began);
      return awaitChange();
    };
    const { clock } = await running(reconcile, ['shop/a', 'shop/b']);
    await clock.advance(20_000);
    expect(at).toEqual([3_000, 3_000, 7_500, 7_500, 7_500, 7_500]);
  });

  it('comes to its end when the manager stops', async () => {
    let ended = false;
    const reconcile: Reconcile = async (_key, context) => {
      await context.outside(sleeping(context, 5_000));
      ended = true;
      return awaitChange();
    };
    const { clock, stop } = await running(reconcile, ['shop/a']);
    const stopped = stop();
    await clock.advance(1_000);
    expect(ended).toBe(false);
    await clock.advance(5_000);
    await stopped;
    expect(ended).toBe(true);
  });
});
