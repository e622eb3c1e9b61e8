import { describe, expect, test } from 'vitest';
import type { Retryable } from './retry.ts';
import { retriesBy } from './retry.ts';

const retryAnnotation = 'example.com/retry';
const retries = retriesBy(retryAnnotation);

const objectOf = (annotations: Readonly<Record<string, string>>, retryToken?: string): Retryable => ({
  metadata: {
    ...{ name: 'a', namespace: 'n', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
    annotations,
  },
  status: retryToken === undefined ? {} : { retryToken },
});

const asking = (value: string, retryToken?: string): Retryable => objectOf({ [retryAnnotation]: value }, retryToken);

test('no other annotation asks for a retry', () => {
  const other = objectOf({ 'cache.my.domain/retry-upgrade': '2' });
  expect([retries.isRequested(other), retries.tokenOf(other)]).toEqual([false, undefined]);
});

describe('a value of 253 characters at most', () => {
  test('is a request until it was acted on', () => {
    const longest = 'x'.repeat(253);
    expect(retries.isRequested(asking(longest))).toBe(true);
    expect(retries.status(asking(longest))).toEqual({ retryToken: longest });
    expect(retries.isRequested(asking(longest, longest))).toBe(false);
  });

  test('is shown in an event, 64 characters of it at most', () => {
    const noteOf = (value: string) => retries.events(asking(value)).map(({ note }) => note);
    const begin = `what has failed is tried again: ${retryAnnotation} is `;
    expect(noteOf('1')).toEqual([`${begin}1`]);
    expect(noteOf('x'.repeat(64))).toEqual([`${begin}${'x'.repeat(64)}`]);
    expect(noteOf('x'.repeat(253))).toEqual([`${begin}${'x'.repeat(63)}…`]);
  });

  test('is shown without control characters', () => {
    const [event] = retries.events(asking('one\u001B\r\ntwo'));
    expect(event?.note).toMatch(/ is onetwo$/);
  });
});

describe('a longer value', () => {
  const tooLong = 'x'.repeat(261_000);

  test.each([['x'.repeat(254)], [tooLong]])('asks for nothing, and is not kept', (value) => {
    expect(retries.isRequested(asking(value))).toBe(false);
    expect(retries.events(asking(value))).toEqual([]);
    expect(retries.status(asking(value))).toEqual({});
  });

  test('leaves the value that was acted on before', () => {
    const both = asking(tooLong, '1');
    expect([retries.isRequested(both), retries.tokenOf(both)]).toEqual([false, '1']);
  });

  test('that an earlier version has kept is not written again: the API server would refuse the whole status', () => {
    expect(retries.tokenOf(objectOf({}, tooLong))).toBeUndefined();
    expect(retries.tokenOf(asking(tooLong, tooLong))).toBeUndefined();
    expect(retries.isRequested(asking(tooLong, tooLong))).toBe(false);
    expect(retries.tokenOf(asking('1', tooLong))).toBe('1');
  });
});
