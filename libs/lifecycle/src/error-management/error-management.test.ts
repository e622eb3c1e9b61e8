import { ApiError } from '@ordinal/client';
import { describe, expect, test } from 'vitest';
import { ActionError } from '../decision/index.ts';
import {
  decideOnError,
  failureEvent,
  isSilent,
  longestRetryMs,
  manageError,
  problemOf,
  reportAgainMs,
} from './index.ts';
import { retryAt } from './error-management.ts';

const problem = { reason: 'Refused', message: 'no', retry: 'backoff' } as const;

test('pauses double from one second and are capped', () => {
  const pauses: number[] = [];
  for (let now = 0; pauses.length < 14; now += pauses.at(-1) ?? 0) pauses.push(retryAt(0, now) - now);
  expect(pauses.slice(0, 5)).toEqual([1000, 2000, 4000, 8000, 16_000]);
  expect(pauses.at(-1)).toBe(longestRetryMs);
});

test('failing again with the same error is no change of the status', () => {
  const first = manageError(problem, undefined, 5000);
  expect(manageError(problem, first.status, 65_000).status).toEqual(first.status);
});

test('another error keeps the time at which the trouble began', () => {
  const first = manageError(problem, undefined, 5000);
  expect(manageError({ ...problem, message: 'other' }, first.status, 65_000).status).toEqual({
    ...first.status,
    message: 'other',
  });
});

test('trouble that began in the future, because the clock was set back, begins now', () => {
  const first = manageError(problem, undefined, 3_600_000);
  const { status, lookAgainAt } = manageError(problem, first.status, 5000);
  expect([status.since, lookAgainAt]).toEqual(['1970-01-01T00:00:05Z', 6000]);
});

test('a terminal problem is looked at again, but seldom', () => {
  expect(manageError({ ...problem, retry: 'terminal' }, undefined, 0).lookAgainAt).toBe(longestRetryMs);
});

test('what lasts is reported at every look, to be published before the event of before is forgotten, and no more often than that', () => {
  const first = manageError(problem, undefined, 0);
  expect(first.event).toEqual({ type: 'Warning', reason: 'ProcessingError', note: 'no' });
  const { atMostEveryMs = 0 } = manageError(problem, first.status, 60_000).event;
  expect(atMostEveryMs).toBeLessThan(longestRetryMs);
  // A look for another reason, just before, puts the next one off by the longest pause.
  expect(atMostEveryMs + longestRetryMs).toBeLessThan(3_600_000);
  expect(manageError({ ...problem, message: 'other' }, first.status, 60_000).event).not.toHaveProperty('atMostEveryMs');
});

test('a condition that says that something fails is reported at the transition, when its words change, and seldom while it lasts', () => {
  const failed = { type: 'Synced', status: 'False', reason: 'CallFailed', message: 'HTTP 503' } as const;
  const first = { type: 'Warning', reason: 'ProcessingError', note: 'HTTP 503' };
  expect(failureEvent(failed, undefined)).toEqual(first);
  expect(failureEvent(failed, { ...failed, status: 'True' })).toEqual(first);
  expect(failureEvent(failed, { ...failed, message: 'HTTP 401' })).toEqual(first);
  expect(failureEvent(failed, failed)).toEqual({ ...first, atMostEveryMs: reportAgainMs });
});

describe('a failed action', () => {
  const failed = (code: number, reason: string) =>
    new ActionError(
      'Refused',
      'apply X',
      new ApiError({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason }, 'PATCH'),
    );

  const object = {
    apiVersion: 'v1',
    kind: 'A',
    metadata: { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: '' },
    status: { ready: 1 },
  };
  const descriptor = { group: '', version: 'v1', kind: 'A', plural: 'as', scope: 'Cluster' } as const;

  test('is reported with what was being done', () => {
    expect(problemOf(failed(403, 'Forbidden'))).toMatchObject({
      reason: 'Refused',
      retry: 'wait',
      message: expect.stringContaining('apply X'),
    });
  });

  test('leaves the rest of the status alone, and publishes ProcessingError', () => {
    const decision = decideOnError(failed(422, 'Invalid'), { descriptor, object }, 0);
    expect(decision.status?.status).toMatchObject({
      ready: 1,
      processingError: { reason: 'Refused', since: '1970-01-01T00:00:00Z' },
    });
    expect(decision.events).toMatchObject([{ reason: 'ProcessingError' }]);
    expect(decision.lookAgainAt).toBe(longestRetryMs);
  });

  test.each([
    ['to come', 600_000, 600_000],
    ['later than the next try', longestRetryMs * 2, longestRetryMs],
    ['in the past', -1, longestRetryMs],
  ])('is looked at again when something falls due, where that is %s', (_when, due, expected) => {
    expect(decideOnError(failed(422, 'Invalid'), { descriptor, object, due }, 0).lookAgainAt).toBe(expected);
  });

  test('does not put off what was carried out beside it', () => {
    const processingError = { reason: 'Refused', message: 'no', since: '1970-01-01T00:00:00Z' };
    const seen = { descriptor, object: { ...object, status: { processingError } } };
    const again = (lookAgainAt: number) =>
      decideOnError(Object.assign(failed(403, 'Forbidden'), { lookAgainAt }), seen, 600_000).lookAgainAt;
    expect([again(610_000), again(9_000_000)]).toEqual([610_000, 1_201_000]);
  });

  test('that only means an old view is not reported', () => {
    expect(isSilent(new ActionError('Stale', 'x', undefined))).toBe(true);
    expect(isSilent(failed(403, 'Forbidden'))).toBe(false);
  });
});
