import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { VirtualClock } from '../../test/virtual-clock.ts';
import { backoffDelay } from './backoff.ts';
import { TokenBucket } from './rate-limit.ts';
import { WorkQueue } from './work-queue.ts';

const queue = (clock = new VirtualClock()): WorkQueue => new WorkQueue(clock, () => undefined);
const drain = (from: WorkQueue): string[] => {
  const keys: string[] = [];
  for (let item = from.take(); item !== undefined; item = from.take()) keys.push(item.key);
  return keys;
};

describe('the work queue', () => {
  it('holds a key once and hands out fresh ones first', () => {
    const q = queue();
    q.add('a', 'settled');
    q.add('b', 'settled');
    q.add('c');
    q.add('c');
    q.add('b');
    expect(drain(q)).toEqual(['c', 'b', 'a']);
  });

  it('gives a settled key its turn while fresh ones keep coming', () => {
    const q = queue();
    q.add('old', 'settled');
    for (let n = 0; n < 20; n += 1) q.add(`new-${n}`);
    expect(drain(q).indexOf('old')).toBe(8);
  });

  it('gives each namespace its turn: a thousand keys of one hold up a key of another by one turn', () => {
    const q = queue();
    for (let n = 0; n < 1000; n += 1) q.add(`hostile/${n}`);
    q.add('shop/a');
    q.add('shop/b');
    const order = drain(q);
    expect(order.slice(0, 5)).toEqual(['hostile/0', 'shop/a', 'hostile/1', 'shop/b', 'hostile/2']);
    expect(order).toHaveLength(1002);
  });

  it('gives a settled key of a namespace its turn, whatever is fresh in others', () => {
    const q = queue();
    for (let n = 0; n < 1000; n += 1) q.add(`hostile/${n}`, n % 2 === 0 ? 'fresh' : 'settled');
    q.add('shop/a', 'settled');
    expect(drain(q).indexOf('shop/a')).toBeLessThan(18);
  });

  it('hands a key out again only when its work is done', () => {
    const q = queue();
    q.add('a');
    expect(q.take()?.key).toBe('a');
    q.add('a');
    expect(q.take()).toBeUndefined();
    q.done('a');
    expect(q.take()?.key).toBe('a');
  });

  it('takes the shortest of several delays', async () => {
    const clock = new VirtualClock();
    const q = queue(clock);
    q.addAfter('a', 5000);
    q.addAfter('a', 1000);
    q.addAfter('a', 9000);
    await clock.advance(1000);
    expect(drain(q)).toEqual(['a']);
    q.done('a');
    await clock.advance(10_000);
    expect(q.idle).toBe(true);
  });

  it('never loses a key and never hands one out twice at a time, in any order of use', () => {
    const step = fc.oneof(
      fc.record({
        do: fc.constant('add' as const),
        key: fc.constantFrom('n/a', 'n/b', 'm/a'),
        priority: fc.constantFrom('fresh' as const, 'settled' as const),
      }),
      fc.record({ do: fc.constant('take' as const) }),
      fc.record({ do: fc.constant('done' as const), key: fc.constantFrom('n/a', 'n/b', 'm/a') }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const q = queue();
        const working = new Set<string>();
        const owed = new Set<string>();
        for (const one of steps) {
          if (one.do === 'add') {
            q.add(one.key, one.priority);
            owed.add(one.key);
          } else if (one.do === 'take') {
            const item = q.take();
            if (item === undefined) continue;
            expect(working.has(item.key)).toBe(false);
            working.add(item.key);
            owed.delete(item.key);
          } else if (working.delete(one.key)) q.done(one.key);
        }
        for (const key of working) q.done(key);
        expect(new Set(drain(q))).toEqual(owed);
      }),
    );
  });
});

describe('delays', () => {
  it('double up to their cap, less a share of chance', () => {
    const options = { baseMs: 100, capMs: 1000, jitter: 0.5 };
    expect([1, 2, 3, 4, 5, 5000].map((failures) => backoffDelay(failures, options, () => 0))).toEqual([
      100, 200, 400, 800, 1000, 1000,
    ]);
    expect(backoffDelay(1, options, () => 1)).toBe(50);
  });

  it('let a burst through and then so many for each second', async () => {
    const clock = new VirtualClock();
    const bucket = new TokenBucket({ perSecond: 2, burst: 2 }, clock);
    expect([bucket.take(), bucket.take(), bucket.take()]).toEqual([0, 0, 500]);
    await clock.advance(500);
    expect(bucket.take()).toBe(0);
  });
});
