import { getEventListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Job } from '@ordinal/client';
import { describe, expect, test } from 'vitest';
import type { Check, Probes } from './index.ts';

/** Where a gate's Job says when it was asked. */
const askedAtAnnotation = 'example.com/asked-at';
import { ask, probesThrough } from './index.ts';
import { answerOfJob } from './job-gate.ts';
import { firstLine } from './interpret.ts';
import { jobAnswerLifeMs, jobRetryMs } from './job-gate.ts';

const http = { path: '/lag', port: 80, scheme: 'HTTP', method: 'GET', via: 'PodIP' } as const;
const pod = { namespace: 'shop', name: 'sessions-0', ip: '10.0.0.1' };
const signal = new AbortController().signal;
const saying = (change: Partial<Probes>): Probes => ({
  http: () => Promise.reject(new Error('connection refused')),
  exec: () => Promise.reject(new Error('connection refused')),
  ...change,
});
type Asked = Check extends infer C ? (C extends Check ? Omit<C, 'timeoutMs'> : never) : never;
const outside = <T>(call: () => Promise<T>): Promise<T> => call();
const answer = (check: Asked, probes: Probes) => ask({ ...check, timeoutMs: 1000 }, pod, { probes, signal, outside });

describe('an answer', () => {
  test.each([
    [200, true],
    [204, true],
    [301, false],
    [503, false],
  ])('of HTTP %i', async (status, ok) => {
    const probes = saying({ http: () => Promise.resolve({ status, body: 'because\nof this' }) });
    expect(await answer({ kind: 'http', http }, probes)).toMatchObject({ ok, message: `HTTP ${status}: because` });
  });

  test('leaves nothing behind while what could have ended it lives on', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void; // What the flag has just put there.
    const lasting = new AbortController();
    let given: WeakRef<AbortSignal> | undefined;
    const http200 = (options: { readonly signal: AbortSignal }): Promise<{ status: number; body: string }> => {
      given = new WeakRef(options.signal);
      return Promise.resolve({ status: 200, body: '' });
    };
    const probes = saying({ http: (_pod, _request, options) => http200(options) });
    await ask({ kind: 'http', http, timeoutMs: 1000 }, pod, { probes, signal: lasting.signal, outside });
    for (let round = 0; round < 20 && given?.deref(); round += 1) {
      await pause(5);
      collect();
    }
    expect(given?.deref()).toBeUndefined();
    expect(getEventListeners(lasting.signal, 'abort')).toEqual([]);
  });

  test.each([
    [0, true],
    [1, false],
  ])('of a command that ends with %i', async (exitCode, ok) => {
    const probes = saying({ exec: () => Promise.resolve({ exitCode, output: ' master \nmore' }) });
    const exec = { command: ['role'], container: 'cache' };
    expect(await answer({ kind: 'exec', exec }, probes)).toMatchObject({ ok, word: 'master' });
  });

  test.each([
    ['under the bound', 'lag 2\n', true],
    ['over it', 'lag 2\nlag{db="1"} 9\n', false],
    ['that is not a number', 'lag NaN\n', false],
    ['that is missing', 'lag_total 1\n', false],
  ])('of a metric %s', async (_what, body, ok) => {
    const probes = saying({ http: () => Promise.resolve({ status: 200, body }) });
    const metric = { request: http, name: 'lag', labels: {}, max: 5 };
    expect(await answer({ kind: 'metric', metric }, probes)).toMatchObject({ ok });
  });

  test('of a pod that refuses the connection is a no', async () => {
    expect(await answer({ kind: 'http', http }, saying({}))).toEqual({
      ok: false,
      message: 'no answer: connection refused',
      silent: true,
    });
  });
});

test('a probe that never ends is ended when its time is over', async () => {
  const atOnce = (_delayMs: number, action: () => void) => {
    queueMicrotask(action);
    return { cancel: () => undefined };
  };
  const probes = saying({ http: () => new Promise(() => undefined) });
  expect(
    await ask({ kind: 'http', http, timeoutMs: 1000 }, pod, {
      probes,
      signal,
      outside,
      clock: { now: () => 0, after: atOnce },
    }),
  ).toEqual({
    ok: false,
    message: 'no answer: nothing within 1 s',
    silent: true,
  });
});

test('what is shown of an answer is bounded', () => {
  expect(firstLine('x'.repeat(500))).toHaveLength(161);
});

test('what is shown of an answer has no secrets and no control characters', () => {
  expect(firstLine('\u001B[31mno\u001B[0m\r: redis://:hunter2@cache password=hunter2\nmore')).toBe(
    'no: redis://:[hidden]@cache password=[hidden]',
  );
});

test('a pod without an address is not asked straight', async () => {
  const probes = probesThrough(undefined as never, () => Promise.resolve({ status: 200, body: '' })); // Not reached.
  await expect(probes.http({ namespace: 'a', name: 'b' }, http, { timeoutMs: 1, signal })).rejects.toThrow(
    'no address',
  );
});

test('an IPv6 address stands in brackets', async () => {
  const urls: string[] = [];
  const probes = probesThrough(undefined as never, (url) =>
    Promise.resolve(void urls.push(url)).then(() => ({ status: 200, body: '' })),
  ); // Not reached.
  await probes.http({ namespace: 'a', name: 'b', ip: 'fd00::1' }, http, { timeoutMs: 1, signal });
  expect(urls).toEqual(['http://[fd00::1]:80/lag']);
});

describe('the Job of a gate', () => {
  const job = (type?: string): Job =>
    ({
      metadata: { name: 'j' },
      status: type ? { conditions: [{ type, status: 'True', lastTransitionTime: '1970-01-01T00:00:00Z' }] } : {},
    }) as unknown as Job; // All that is read of it.

  test.each([
    ['is missing', undefined, 0, { ok: false, next: 'create' }],
    ['runs', job(), 0, { ok: false, next: 'leave' }],
    ['has completed', job('Complete'), 0, { ok: true, next: 'leave' }],
    ['completed too long ago', job('Complete'), jobAnswerLifeMs, { ok: false, next: 'replace' }],
    ['has failed', job('Failed'), jobRetryMs - 1, { ok: false, next: 'leave' }],
    ['failed a while ago', job('Failed'), jobRetryMs, { ok: false, next: 'replace' }],
  ])('%s', (_what, seen, now, expected) => {
    expect(answerOfJob(seen, { now, askedAtAnnotation })).toMatchObject(expected);
  });

  const hour = 3_600_000;
  /** Asked by a clock that is so far ahead of the cluster's, of a Job that ended a minute after it was made. */
  const askedBy = (aheadMs: number, type: string): Job =>
    ({
      metadata: {
        name: 'j',
        creationTimestamp: '2026-01-01T00:00:00Z',
        annotations: { [askedAtAnnotation]: new Date(start + aheadMs).toISOString() },
      },
      status: { conditions: [{ type, status: 'True', lastTransitionTime: '2026-01-01T00:01:00Z' }] },
    }) as unknown as Job; // All that is read of it.
  const start = Date.parse('2026-01-01T00:00:00Z');

  test.each([-hour, 0, hour])('counts as long for a clock that is %i ms ahead', (ahead) => {
    const ended = start + 60_000 + ahead;
    expect(
      answerOfJob(askedBy(ahead, 'Complete'), { now: ended + jobAnswerLifeMs - 1, askedAtAnnotation }),
    ).toMatchObject({ ok: true });
    expect(answerOfJob(askedBy(ahead, 'Complete'), { now: ended + jobAnswerLifeMs, askedAtAnnotation })).toMatchObject({
      next: 'replace',
    });
    expect(answerOfJob(askedBy(ahead, 'Failed'), { now: ended + jobRetryMs - 1, askedAtAnnotation })).toMatchObject({
      next: 'leave',
    });
    expect(answerOfJob(askedBy(ahead, 'Failed'), { now: ended + jobRetryMs, askedAtAnnotation })).toMatchObject({
      next: 'replace',
    });
  });

  test.each([1, 30, 56, 57, 58])(
    'counts for nothing %i minutes later, when the clock was set back by an hour',
    (later) => {
      const now = start + later * 60_000 - hour;
      expect(answerOfJob(askedBy(0, 'Complete'), { now, askedAtAnnotation })).toMatchObject({
        ok: false,
        next: 'replace',
      });
      expect(answerOfJob(askedBy(0, 'Failed'), { now, askedAtAnnotation })).toMatchObject({
        ok: false,
        next: 'replace',
      });
    },
  );

  test('of a clock that is a minute ahead of the one that looks is believed', () => {
    expect(answerOfJob(askedBy(0, 'Complete'), { now: start - 60_000, askedAtAnnotation })).toMatchObject({
      ok: true,
      next: 'leave',
    });
    expect(answerOfJob(askedBy(0, 'Complete'), { now: start - 60_001, askedAtAnnotation })).toMatchObject({
      ok: false,
      next: 'replace',
    });
  });

  test.each([-600_000, 600_000])('counts also where the clocks of the control plane differ by %i ms', (apart) => {
    const job = askedBy(0, 'Complete');
    const [condition] = job.status?.conditions ?? [];
    const ended = new Date(start + 60_000 + apart).toISOString();
    const seen = { ...job, status: { conditions: [{ ...condition, lastTransitionTime: ended }] } } as Job;
    expect(answerOfJob(seen, { now: start + 61_000, askedAtAnnotation })).toMatchObject({ ok: true });
    expect(
      answerOfJob(seen, { now: start + Math.max(0, apart) + 60_000 + jobAnswerLifeMs, askedAtAnnotation }),
    ).toMatchObject({ ok: false });
  });
});
