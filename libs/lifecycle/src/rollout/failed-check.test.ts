import { expect, test } from 'vitest';
import type { Answered } from './failed-check.ts';
import { failedCheckIn } from './failed-check.ts';
import type { Member } from './member.ts';

const of = { name: 'shop-1', uid: 'u1' } as Member; // All that is read of it.
const candidate = { name: 'shop-2', uid: 'u2' } as Member; // Likewise.
const gate = (answer: Omit<Answered, 'question' | 'message'>): Answered => ({
  question: { about: 'gate', gate: 'in-step', of, candidate },
  message: 'no answer: refused',
  ...answer,
});
const notAnswered = { reason: 'NotAnswered', message: 'gate in-step of shop-1 can’t be run: no answer: refused' };

test.each([
  ['gives no answer', { ok: false, silent: true }],
  ['can’t be asked', { ok: false, unknown: true }],
  ['gives an answer that is neither yes nor no', { ok: false, unusable: true }],
] as const)('a check that %s has failed when that has lasted', (_what, answer) => {
  expect(failedCheckIn([gate(answer)], 14_999)).toEqual({});
  expect(failedCheckIn([gate(answer)], 15_000)).toEqual({ failedCheck: notAnswered });
});

test('after a clock was set back it has lasted', () => {
  expect(failedCheckIn([gate({ ok: false, silent: true })], -1)).toEqual({ failedCheck: notAnswered });
});

test('a no is an answer, and so is a yes', () => {
  expect(failedCheckIn([gate({ ok: false }), gate({ ok: true })], 3_600_000)).toEqual({});
});

test('one that fails behind another’s no is found', () => {
  expect(failedCheckIn([gate({ ok: false }), gate({ ok: false, silent: true })], 60_000)).toEqual({
    failedCheck: notAnswered,
  });
});

test('a Job that has failed is a failure at once, and one that has not ended says nothing yet', () => {
  const message = 'gate in-step of shop-1: no answer: refused';
  expect(failedCheckIn([gate({ ok: false, job: 'failed' })], 0)).toEqual({
    failedCheck: { reason: 'JobFailed', message },
  });
  expect(failedCheckIn([gate({ ok: false, job: 'pending' })], 3_600_000)).toEqual({ isCheckPending: true });
});
