import type { Clock } from '@ordinal/client';
import type { Logger } from '@ordinal/runtime';
import { expect, test } from 'vitest';
import { announceReady } from './announce.ts';

/** A clock whose waits are over at once, and a log that is kept. */
function parts() {
  const lines: unknown[] = [];
  const clock = {
    now: () => 0,
    after: (_ms: number, callback: () => void) => {
      queueMicrotask(callback);
      return () => undefined;
    },
  } as unknown as Clock; // The rest of a clock is not used here.
  const log = { info: (fields: object, message: string) => lines.push({ ...fields, message }) } as unknown as Logger;
  return { lines, clock, log };
}

const readiness = (ready: boolean) => ({ ready, unsynced: [], problems: [] });

test('the log says once after how long everything was ready', async () => {
  const { lines, clock, log } = parts();
  const answers = [false, false, true];
  const manager = { readiness: () => readiness(answers.shift() ?? true) };
  await announceReady({ manager, clock, log, sinceStart: () => 386.4 }, new AbortController().signal);
  expect(lines).toEqual([{ readyAfterMs: 386, message: 'ready' }]);
});

test('nothing is said where the operator is stopped before it is ready', async () => {
  const { lines, clock, log } = parts();
  const stopping = new AbortController();
  let looks = 0;
  const manager = {
    readiness: () => {
      looks += 1;
      if (looks === 3) stopping.abort();
      return readiness(false);
    },
  };
  await announceReady({ manager, clock, log, sinceStart: () => 1 }, stopping.signal);
  expect(lines).toEqual([]);
});
