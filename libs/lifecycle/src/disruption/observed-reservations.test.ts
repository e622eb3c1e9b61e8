import { expect, test } from 'vitest';
import { ObservedReservations } from './observed-reservations.ts';

const annotation = 'example.com/reservation';

/** A clock whose timers fire when the test says so, and which may be set to any time. */
function world() {
  const timers = new Set<() => void>();
  const time = { now: 0 };
  const clock = {
    now: () => time.now,
    after: (ms: number, run: () => void) => {
      expect(ms).toBe(30_000);
      timers.add(run);
      return { cancel: () => void timers.delete(run) };
    },
  };
  const fire = (): void => {
    for (const run of timers) run();
    timers.clear();
  };
  const reservations = new ObservedReservations(annotation);
  const current = (text?: string, name = 'sessions') =>
    reservations.current(
      { metadata: { namespace: 'shop', name, annotations: text === undefined ? {} : { [annotation]: text } } },
      clock,
    );
  return { reservations, current, timers, time, fire };
}

const text = 'pod-1 2026-01-01T00:00:30Z';

test('a reservation stands until its timer has fired, wherever the clock is set', () => {
  const { current, time, fire } = world();
  for (const now of [0, 3_600_000, -3_600_000]) {
    time.now = now;
    expect(current(text)).toBe('pod-1');
  }
  fire();
  expect(current(text)).toBeUndefined();
  expect(current(text)).toBeUndefined();
});

test('another one begins anew, and the one before keeps no timer', () => {
  const { current, timers, fire } = world();
  expect(current(text)).toBe('pod-1');
  fire();
  expect(current('pod-1 2026-01-01T00:01:30Z')).toBe('pod-1');
  expect(current('pod-2 2026-01-01T00:02:00Z')).toBe('pod-2');
  expect(timers.size).toBe(1);
});

test('a view of the cache from before it changes nothing', () => {
  const { current, timers, fire } = world();
  expect(current(text)).toBe('pod-1');
  expect(current()).toBeUndefined();
  expect(current(text)).toBe('pod-1');
  expect(timers.size).toBe(1);
  fire();
  expect(current()).toBeUndefined();
  expect(current(text)).toBeUndefined();
});

test('what cannot be read as a moment stands too', () => {
  expect(world().current('pod-1')).toBe('pod-1');
});

test('caches that are gone are forgotten', () => {
  const { reservations, current, timers } = world();
  for (const name of ['sessions', 'carts', 'users']) current(text, name);
  expect(timers.size).toBe(3);
  reservations.forget({ namespace: 'shop', name: 'carts' });
  expect(timers.size).toBe(2);
  reservations.keepOnly(({ namespace, name }) => namespace === 'shop' && name === 'users');
  expect(timers.size).toBe(1);
});
