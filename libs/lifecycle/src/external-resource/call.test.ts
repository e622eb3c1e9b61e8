import type { Clock } from '@ordinal/client';
import { describe, expect, test } from 'vitest';
import { carryOut, recordAfter } from './call.ts';
import type { ExternalCall } from './call.ts';
import { ExternalError } from './error.ts';
import { shownAt } from './absence.ts';
import { announced, callWindowMs } from './record.ts';
import type { ExternalSystem, ExternalView } from './system.ts';

interface Desired {
  readonly size: string;
}

const now = Date.UTC(2026, 0, 1);
const record = announced('me', 1, now);
const made: ExternalView = { id: 't1', owner: 'me', state: 'pending' };
const create = {
  verb: 'create',
  token: 'me-1',
  owner: 'me',
  desired: { size: 'small' },
  notAfter: now + callWindowMs,
} as const;

/** A system that answers each call in the same way, and records which were made. */
function system(answer: () => Promise<unknown>) {
  const calls: string[] = [];
  const answering = (verb: string) => () => {
    calls.push(verb);
    return answer();
  };
  const traits = { repeatedCreate: 'makesAnother', settleMs: 10_000, callTimeoutMs: 5_000 } as const;
  const verbs = ['get', 'findByOwner', 'create', 'update', 'delete'].map((verb) => [verb, answering(verb)]);
  // Every call has the same answer here, whatever its type.
  return { calls, system: { traits, ...Object.fromEntries(verbs) } as ExternalSystem<Desired, ExternalView> };
}

const at = (instant: number) => ({
  clock: { now: () => instant } as Clock,
  signal: new AbortController().signal,
  outside: <T>(call: () => Promise<T>) => call(),
});
const failing = (error: unknown) => system(() => Promise.reject(error as Error));

describe('a creation', () => {
  test('is sent while its announcement is fresh', async () => {
    const { system: provider, calls } = system(() => Promise.resolve(made));
    expect(await carryOut(create, provider, at(now + callWindowMs))).toEqual({ call: create, view: made });
    expect(calls).toEqual(['create']);
  });

  test('is not sent when its announcement has become old, and that is certain', async () => {
    const { system: provider, calls } = system(() => Promise.resolve(made));
    const { error } = await carryOut(create, provider, at(now + callWindowMs + 1));
    expect(error).toMatchObject({ applied: 'no' });
    expect(calls).toEqual([]);
  });

  test('counts as shown only after the last moment at which it may have been sent, and what it may take from there', () => {
    const { traits } = system(() => Promise.resolve(made)).system;
    expect(shownAt(record, traits)).toBeGreaterThanOrEqual(now + callWindowMs + traits.callTimeoutMs + traits.settleMs);
  });
});

test('a deletion of what is not there is a success', async () => {
  const call: ExternalCall<Desired> = { verb: 'delete', id: 't1' };
  const { system: provider } = failing(new ExternalError('NotFound', 'no such thing'));
  expect(await carryOut(call, provider, at(now))).toEqual({ call });
});

test('what is no ExternalError says nothing about whether it was done', async () => {
  const { error } = await carryOut(create, failing(new Error('boom')).system, at(now));
  expect(error).toMatchObject({ code: 'Unavailable', applied: 'unknown' });
});

describe('the record after a creation', () => {
  const after = (applied: 'no' | 'unknown', earlier?: string) => {
    const call = earlier === undefined ? create : { ...create, earlier };
    return recordAfter(record, { call, error: new ExternalError('Refused', 'no', { applied }) });
  };

  test('that succeeded has its ID', () => {
    expect(recordAfter(record, { call: create, view: made })).toEqual({ ...record, id: 't1' });
  });

  test('whose end is unknown still says that something may exist', () => {
    expect(after('unknown')).toEqual(record);
  });

  test('that was certainly not done says that nothing can exist (I26)', () => {
    expect(after('no')).toEqual({ token: 'me-1', incarnation: 1 });
  });

  test('that was certainly not done keeps the one before it, whose end is unknown (I28)', () => {
    expect(after('no', '2025-12-31T00:00:00Z')).toEqual({ ...record, createAttemptedAt: '2025-12-31T00:00:00Z' });
  });

  test('of another incarnation stays as it is', () => {
    const next = announced('me', 2, now);
    expect(recordAfter(next, { call: create, view: made })).toEqual(next);
  });
});

describe('a deletion', () => {
  const remove = { verb: 'delete', id: 't1' } as const;

  test.each([
    ['NotFound', undefined],
    ['Unavailable', 'Unavailable'],
    ['Forbidden', 'Forbidden'],
  ] as const)('that fails with %s tells %s', async (code, reported) => {
    const outcome = await carryOut(remove, failing(new ExternalError(code, 'no')).system, at(now));
    expect(outcome.error?.code).toBe(reported);
  });
});
