import { sleep } from '@ordinal/client';
import { expect, test } from 'vitest';
import { Scheduler } from './scheduler.ts';
import { WorkQueue } from './work-queue.ts';

test('events happen in the order of their moments, and of their scheduling where these are the same', async () => {
  const scheduler = new Scheduler({ seed: 1 });
  const order: string[] = [];
  for (const [delay, name] of [
    [20, 'c'],
    [10, 'a'],
    [10, 'b'],
    [30, 'd'],
  ] as const)
    scheduler.schedule(delay, name, () => order.push(name));
  expect(await scheduler.run()).toBe('idle');
  expect(order).toEqual(['a', 'b', 'c', 'd']);
});

test('promises settle before the clock moves on', async () => {
  const scheduler = new Scheduler({ seed: 1 });
  const start = scheduler.now();
  const seen: number[] = [];
  const work = async (): Promise<void> => {
    await sleep(scheduler.clock, 900_000);
    seen.push(scheduler.now() - start);
    await Promise.resolve();
    await sleep(scheduler.clock, 1);
    seen.push(scheduler.now() - start);
  };
  void work();
  await scheduler.run({ maxVirtualMs: 1_000_000 });
  expect(seen).toEqual([900_000, 900_001]);
});

test('a run ends at its condition, at its time, or with the error of an event', async () => {
  const scheduler = new Scheduler({ seed: 1 });
  const start = scheduler.now();
  let count = 0;
  const tick = (): void => {
    count += 1;
    scheduler.schedule(100, 'tick', tick);
  };
  tick();
  expect(await scheduler.run({ until: () => count === 5 })).toBe('reached');
  expect(scheduler.now() - start).toBe(400);
  expect(await scheduler.run({ maxVirtualMs: 1050 })).toBe('timeout');
  expect(scheduler.now() - start).toBe(1450);
  scheduler.schedule(1, 'bad', () => {
    throw new Error('bad event');
  });
  await expect(scheduler.run()).rejects.toThrow('bad event');
});

test('an event that was taken back does not happen', async () => {
  const scheduler = new Scheduler({ seed: 1 });
  let happened = false;
  scheduler.schedule(10, 'never', () => (happened = true)).cancel();
  await scheduler.advance(100);
  expect(happened).toBe(false);
});

test('at the pace of the wall clock, events wait for it', async () => {
  const scheduler = new Scheduler({ seed: 1, pace: 1000 });
  let happened = false;
  scheduler.schedule(2000, 'soon', () => (happened = true));
  expect(await scheduler.run({ until: () => happened, maxVirtualMs: 3_600_000 })).toBe('reached');
});

test('a work queue works on a key once for all that added it, and repeats failures ever more slowly', async () => {
  const scheduler = new Scheduler({ seed: 1 });
  const start = scheduler.now();
  const worked: number[] = [];
  const queue = new WorkQueue({
    name: 'queue',
    scheduler,
    latencyMs: [1, 1],
    work: () => {
      worked.push(scheduler.now() - start);
      if (worked.length < 4) throw new Error('again');
      return undefined;
    },
  });
  queue.add('key');
  queue.add('key');
  await scheduler.advance(1000);
  expect(worked).toEqual([1, 6, 16, 36]);
});

test('promises settle after a look that has found something, and a look that has found nothing costs no turn of the event loop', async () => {
  const scheduler = new Scheduler({ seed: 1 });
  const order: string[] = [];
  let found: (value: string) => void = () => undefined;
  void new Promise<string>((resolve) => (found = resolve)).then((value) => order.push(value));
  let looks = 0;
  const look = (): boolean => {
    looks += 1;
    if (looks < 100) scheduler.scheduleLook(10, 'look', look);
    else found('settled');
    return looks === 100;
  };
  scheduler.scheduleLook(10, 'look', look);
  scheduler.schedule(1001, 'next', () => order.push('next'));
  setImmediate(() => setImmediate(() => order.push(`a turn after ${looks} looks`)));
  await scheduler.run();
  expect(order).toEqual(['settled', 'a turn after 100 looks', 'next']);
});
