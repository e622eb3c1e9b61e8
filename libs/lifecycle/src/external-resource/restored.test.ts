import { expect, test } from 'vitest';
import { recordAfterRestore, recentRestore } from './restored.ts';

const at = (text: string): number => Date.parse(text);
const restoredAt = at('2026-01-01T00:10:00Z');
const clockAt = (now: number) => ({ clock: { now: () => now, after: () => ({ cancel: () => undefined }) } });

test('a record that a restore has taken away is one of a creation that may be under way', () => {
  expect(recordAfterRestore(undefined, { owner: 'uid' }, restoredAt)).toEqual({
    token: 'uid-1',
    incarnation: 1,
    createAttemptedAt: '2026-01-01T00:10:00Z',
  });
});

test('a record that a restore has taken away has the token that no other thing of the owner has', () => {
  expect(recordAfterRestore(undefined, { owner: 'uid', incarnationElsewhere: 2 }, restoredAt)).toMatchObject({
    token: 'uid-3',
    incarnation: 3,
  });
});

test('a record that a restore has taken away from what is taken over by name is that of an import without an ID', () => {
  expect(recordAfterRestore(undefined, { owner: 'uid', imports: true }, restoredAt)).toEqual({
    token: 'uid-1',
    incarnation: 1,
    imported: true,
    createAttemptedAt: '2026-01-01T00:10:00Z',
  });
});

test('what is known stays, and may have been followed by another creation until the restore was noticed', () => {
  const record = { token: 'uid-1', incarnation: 1, id: 'a', createAttemptedAt: '2026-01-01T00:00:00Z' };
  expect(recordAfterRestore(record, { owner: 'uid' }, restoredAt)).toEqual({
    ...record,
    createAttemptedAt: '2026-01-01T00:10:00Z',
  });
  const later = { ...record, createAttemptedAt: '2026-01-01T00:11:00Z' };
  expect(recordAfterRestore(later, { owner: 'uid' }, restoredAt)).toEqual(later);
});

test('without a restore, and for what was taken over by name, the record is what the status says', () => {
  const record = { token: 'uid-1', incarnation: 1, id: 'a', imported: true };
  expect([
    recordAfterRestore(undefined, { owner: 'uid' }, undefined),
    recordAfterRestore(record, { owner: 'uid' }, restoredAt),
  ]).toEqual([undefined, record]);
});

test('a restore counts for ten minutes after it was noticed', () => {
  expect([599_999, 600_000].map((ms) => recentRestore({ ...clockAt(restoredAt + ms), restoredAt }))).toEqual([
    restoredAt,
    undefined,
  ]);
  expect(recentRestore(clockAt(restoredAt))).toBeUndefined();
});
