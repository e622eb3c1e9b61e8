import { expect, test } from 'vitest';
import { cacheOf } from '../../test/clustered-cache/seen.ts';
import { isHookDone } from './hook-record.ts';

const record = { purpose: 'BeforeUpgrade', job: 'migrate', subject: 'new@then', result: 'Succeeded' } as const;
const done = (change: { readonly hook?: object; readonly step?: string; readonly ran?: string } = {}): boolean => {
  const { hook = record, step = 'Starting', ran = 'old' } = change;
  const upgrade = { revision: 'new', startedAt: 'then', since: 'then', step };
  const status = { currentRevision: ran, upgrade, hooks: [hook] };
  return isHookDone(cacheOf({ upgrade: { beforeFirstPod: { command: ['migrate'] } } }, { status }), 'new');
};

test('the Job before the first member counts for the upgrade that it was run for, and for no other', () => {
  expect(done()).toBe(true);
  expect(done({ hook: { ...record, subject: 'other@then' } })).toBe(false);
  expect(done({ hook: { ...record, spent: true } })).toBe(false);
  expect(done({ hook: { ...record, result: 'Failed' } })).toBe(false);
  expect(done({ step: 'Failed' })).toBe(false);
});

test('what ran before has no Job before its first member', () => {
  expect(done({ ran: 'new', hook: { ...record, result: 'Failed' } })).toBe(true);
});
