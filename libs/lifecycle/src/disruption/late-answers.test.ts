import { expect, test } from 'vitest';
import type { RolloutAnswer } from '../rollout/index.ts';
import { LateAnswers, keptMs } from './late-answers.ts';

const yes: RolloutAnswer = { ok: true, message: 'yes' };
const no: RolloutAnswer = { ok: false, message: 'not yet' };

/** Requests that each ask once, and a clock whose timers fire when the test says so. */
function world() {
  const timers = new Map<() => void, number>();
  const clock = {
    now: () => 0,
    after: (ms: number, run: () => void) => {
      timers.set(run, ms);
      return { cancel: () => void timers.delete(run) };
    },
  };
  const late = new LateAnswers();
  const asked: ((answer: RolloutAnswer) => void)[] = [];
  const request = (key = 'gate') => {
    const over = new AbortController();
    const ask = (): Promise<RolloutAnswer> => new Promise((resolve) => void asked.push(resolve));
    return { end: () => over.abort(), answer: late.put(key, { ask, signal: over.signal, clock }) };
  };
  const fire = (after: number): void => {
    for (const [run, ms] of timers) if (ms === after) run();
  };
  return { request, asked, fire, timers };
}

test('an answer in time counts for those that wait for it, and is not kept', async () => {
  const { request, asked, timers } = world();
  const both = [request(), request()];
  expect(asked).toHaveLength(1);
  asked[0]?.(yes);
  for (const { answer } of both) expect(await answer).toBe(yes);
  void request();
  expect(asked).toHaveLength(2);
  expect([...timers.values()]).toEqual([120_000]); // Of the one that is under way.
});

test('a request that is over gets a no, and the next one what came meanwhile, until the time is over', async () => {
  const { request, asked, fire } = world();
  const first = request();
  first.end();
  expect(await first.answer).toMatchObject({ ok: false, silent: true });
  asked[0]?.(yes);
  await Promise.resolve();
  for (const { answer } of [request(), request()]) expect(await answer).toBe(yes);
  expect(asked).toHaveLength(1);
  fire(keptMs);
  void request();
  expect(asked).toHaveLength(2);
});

test('a question that is under way is not put again, and another one is', async () => {
  const { request, asked } = world();
  const first = request();
  first.end();
  await first.answer;
  const second = request();
  void request('another');
  expect(asked).toHaveLength(2);
  asked[0]?.(yes);
  expect(await second.answer).toBe(yes);
});

test('a no that came too late counts once', async () => {
  const { request, asked } = world();
  const first = request();
  first.end();
  await first.answer;
  asked[0]?.(no);
  await Promise.resolve();
  expect(await request().answer).toBe(no);
  void request();
  expect(asked).toHaveLength(2);
});

test('a request that is over before it asks gets a no', async () => {
  const { request, asked } = world();
  const first = request();
  first.end();
  await first.answer;
  asked[0]?.(yes);
  const other = request('other');
  other.end();
  expect(await other.answer).toMatchObject({ ok: false, silent: true });
});
