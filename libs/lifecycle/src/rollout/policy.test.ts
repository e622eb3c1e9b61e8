import { describe, expect, test } from 'vitest';
import type { MemberChecks, SpecUpgrade } from './policy.ts';
import { defaultDeadlineMs, policyOf, stepsOf } from './policy.ts';

const durationOf: MemberChecks['durationOf'] = (text = '', defaultMs) =>
  /^[0-9]+s$/.test(text) ? Number(text.slice(0, -1)) * 1000 : defaultMs;

/** A set of five members, whose kind has a gate of its own. */
const policy = (upgrade: SpecUpgrade | undefined): ReturnType<typeof policyOf> => {
  const defaultGates = [{ name: 'usual', target: 'Peers', exec: { command: ['ready'] } }] as const;
  return policyOf({ upgrade, port: 6379, container: 'cache', defaultGates, durationOf }, 5);
};

describe.each([
  ['is absent', undefined],
  ['says nothing', {}],
  [
    'has durations that can’t be read',
    { progressDeadline: 'soon', askAgain: { max: 'soon', maxAfterFailure: 'soon' } },
  ],
] as const)('where spec.upgrade %s', (_what, upgrade) => {
  test('one member goes at a time, the highest ordinal first, through the gates of the kind', () => {
    expect(policy(upgrade)).toEqual({
      gates: [{ name: 'usual', target: 'Peers' }],
      can: { role: false, sync: false, handoff: false },
      askAgain: { maxMs: 15_000, maxAtGateMs: 1_000, maxAfterFailureMs: 30_000 },
      order: 'ReverseOrdinal',
      paused: false,
      maxUnavailable: 1,
      deadlineMs: defaultDeadlineMs,
      minReadyMs: 0,
    });
  });
});

test('each value of spec.upgrade reaches the rules, in their units', () => {
  const asked: SpecUpgrade = {
    ...{ sync: {}, askAgain: { max: '3s' }, paused: true, maxUnavailable: '50%' },
    ...{ order: 'LeaderLast', progressDeadline: '90s', minReadySeconds: 10 },
  };
  expect(policy(asked)).toMatchObject({
    can: { role: false, sync: true, handoff: false },
    askAgain: { maxMs: 3000, maxAtGateMs: 3000, maxAfterFailureMs: 30_000 },
    ...{ order: 'LeaderLast', paused: true, maxUnavailable: 2, deadlineMs: 90_000, minReadyMs: 10_000 },
  });
});

test('the gates of the kind apply where the spec names none, and an empty list asks none', () => {
  expect(policy({ gates: [] }).gates).toEqual([]);
  const job = { template: { template: {} } };
  expect(policy({ gates: [{ name: 'check', target: 'All', job }] }).gates).toEqual([{ name: 'check', target: 'Once' }]);
});

test.each(['Stop', 'Rollback'] as const)(
  'beside replacing members nothing is done that the spec does not say: %s',
  (onFailure) => {
    const defaults = { onFailure, durationOf };
    expect(stepsOf(undefined, defaults)).toEqual({ onFailure });
    const canary = { replicas: 1, bakeMs: 0, isManual: false };
    expect(stepsOf({ canary: {} }, defaults)).toEqual({ onFailure, canary });
    expect(stepsOf({ canary: { bake: 'soon', analysis: {} } }, defaults)).toEqual({
      onFailure,
      canary: { ...canary, analysis: { failureThreshold: 1 } },
    });
  },
);

test('what the spec says beside reaches the kind', () => {
  const canary = {
    replicas: 2,
    bake: '60s',
    promotion: 'Manual',
    analysis: { failureThreshold: 3, job: 'judge' },
  } as const;
  const asked = { onFailure: 'Rollback', beforeFirstPod: 'migrate', canary } as const;
  expect(stepsOf<string>(asked, { onFailure: 'Stop', durationOf })).toEqual({
    ...{ onFailure: 'Rollback', beforeFirstPod: 'migrate' },
    canary: { replicas: 2, bakeMs: 60_000, isManual: true, analysis: { failureThreshold: 3, job: 'judge' } },
  });
});
