import { expect, test } from 'vitest';
import { estimateOf } from './estimate.ts';

const now = Date.parse('2026-01-01T10:10:00Z');
const facts = (updated: number, step = 'AwaitingReady') => ({
  ...{ phase: '', conditions: [], external: [], replicas: 4 },
  upgrade: { step, updated, startedAt: '2026-01-01T10:00:00Z', since: '2026-01-01T10:08:00Z' },
});

test('the members to come take as long as those before', () =>
  expect(estimateOf(facts(2), now)).toEqual({ done: 0.5, endsAt: '2026-01-01T10:16:00.000Z' }));

test('before the first member, and after the time that was expected, no end is known', () => {
  expect(estimateOf(facts(0), now)).toEqual({ done: 0 });
  expect(estimateOf(facts(4), now)).toEqual({ done: 1 });
});

test('what blocks an upgrade takes as long as it takes', () => {
  const { upgrade, ...others } = facts(2);
  expect(estimateOf({ ...others, upgrade: { ...upgrade, blockedBy: 'gate lag: no' } }, now)).toEqual({ done: 0.5 });
});

test('an upgrade that has failed has no end', () => expect(estimateOf(facts(2, 'Failed'), now)).toBeUndefined());
