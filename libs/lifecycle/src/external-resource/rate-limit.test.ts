import type { Clock } from '@ordinal/client';
import { expect, test } from 'vitest';
import { ExternalError } from './error.ts';
import { RateLimiter, withinEachSecond } from './rate-limit.ts';

/** A clock whose timers fire at once and move it forward. */
function leapingClock(): Clock & { time: number } {
  return {
    time: 0,
    now() {
      return this.time;
    },
    after(delayMs, action) {
      this.time += delayMs;
      action();
      return { cancel: () => undefined };
    },
  };
}

test('calls are let through at the burst, and then at the rate', async () => {
  const clock = leapingClock();
  const limiter = new RateLimiter(clock, { perSecond: 10, burst: 3 });
  const times: number[] = [];
  for (let call = 0; call < 6; call += 1) {
    await limiter.acquire(new AbortController().signal);
    times.push(clock.time);
  }
  expect(times).toEqual([0, 0, 0, 100, 200, 300]);
});

test.each([1, 10, 400])(
  'a limit of %i calls holds in every second, also in the first one after a rest',
  async (calls) => {
    const clock = leapingClock();
    const limiter = new RateLimiter(clock, withinEachSecond(calls));
    const times: number[] = [];
    for (let call = 0; call < 4 * calls + 4; call += 1) {
      await limiter.acquire(new AbortController().signal);
      times.push(clock.time);
    }
    clock.time += 60_000;
    for (let call = 0; call < 4 * calls; call += 1) {
      await limiter.acquire(new AbortController().signal);
      times.push(clock.time);
    }
    const busiest = Math.max(
      ...times.map((start) => times.filter((time) => time >= start && time < start + 1_000).length),
    );
    expect(busiest).toBeLessThanOrEqual(calls);
    // Nor is much of it given away.
    expect(busiest).toBeGreaterThanOrEqual(calls * 0.85);
  },
);

test('a caller that would have to wait too long is refused, and learns for how long', async () => {
  const clock = leapingClock();
  const limiter = new RateLimiter(
    { ...clock, now: () => 0, after: clock.after.bind(clock) },
    { perSecond: 1, burst: 1 },
    1_500,
  );
  const { signal } = new AbortController();
  await limiter.acquire(signal);
  await limiter.acquire(signal);
  const error: unknown = await limiter.acquire(signal).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ExternalError);
  expect(error).toMatchObject({ code: 'RateLimited', applied: 'no', retryAfterMs: 2_000 });
});

test('who is sent away has used nothing up', async () => {
  const clock = leapingClock();
  const limiter = new RateLimiter(clock, { perSecond: 1, burst: 1 }, 0);
  const { signal } = new AbortController();
  await limiter.acquire(signal);
  for (let attempt = 0; attempt < 5; attempt += 1)
    await expect(limiter.acquire(signal)).rejects.toMatchObject({ code: 'RateLimited', retryAfterMs: 1_000 });
  clock.time += 1_000;
  await limiter.acquire(signal);
});
