import type { KubernetesObject, ResourceDescriptor } from '@ordinal/client';
import { expect, test } from 'vitest';
import { withFailureCondition } from './failure-condition.ts';

const since = '2026-01-01T00:00:00Z';
const ready = { type: 'Ready', status: 'True', reason: 'AllMembersReady', message: '', lastTransitionTime: since };
const processingError = { reason: 'Refused', message: 'no', since };

const shown = (status: object, before?: object): object => {
  const metadata = { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: since, generation: 3 };
  const object = { apiVersion: 'v1', kind: 'K', metadata, status: before } as KubernetesObject;
  return withFailureCondition({ descriptor: {} as ResourceDescriptor, object, status }).status; // It is not read.
};

const failed = {
  ...{ type: 'ReconcileFailed', status: 'True', reason: 'Refused', message: 'no' },
  ...{ lastTransitionTime: since, observedGeneration: 3 },
};

test('an error stands in the conditions, since when it does, beside what they say', () => {
  expect(shown({ processingError, conditions: [ready] })).toEqual({ processingError, conditions: [ready, failed] });
  expect(shown({ processingError })).toEqual({ processingError, conditions: [failed] });
  const earlier = { ...failed, message: 'another' };
  expect(shown({ processingError, conditions: [earlier, ready] })).toHaveProperty('conditions', [ready, failed]);
});

test('its time stays while it lasts, also where the clock was set back', () => {
  const back = { ...processingError, since: '2025-12-31T23:00:00Z' };
  expect(shown({ processingError: back }, { conditions: [failed] })).toHaveProperty('conditions', [failed]);
});

test('without an error it goes, and a status that has none stays as it is', () => {
  expect(shown({ conditions: [ready, failed] })).toEqual({ conditions: [ready] });
  const status = { conditions: [ready] };
  expect(shown(status)).toBe(status);
  const bare = {};
  expect(shown(bare)).toBe(bare);
});
