import { expect, test } from 'vitest';
import type { Decision } from '../decision/index.ts';
import { longestRetryMs, reportAgainMs, withLastingFailures } from './index.ts';

const descriptor = { group: '', version: 'v1', kind: 'A', plural: 'as', scope: 'Cluster' } as const;
const ready = { type: 'Ready', status: 'True', reason: 'R', message: '', lastTransitionTime: '' } as const;

const decided = (before: readonly object[]): Decision => ({
  actions: [],
  status: {
    descriptor,
    object: {
      apiVersion: 'v1',
      kind: 'A',
      metadata: { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: '' },
      status: { conditions: before },
    },
    status: { conditions: [ready, ...before] },
  },
});

const backup = { reason: 'BackupFailed', message: 'the Job b has failed: no room' };
const prune = { reason: 'PruneFailed', message: 'the Job p has failed: no such file' };
const type = 'JobFailed';
const eventOf = (note: string) => ({ type: 'Warning', reason: 'JobFailed', note }) as const;
const conditionsOf = ({ status }: Decision): unknown =>
  (status?.status as { readonly conditions?: unknown }).conditions;

test('what fails is a condition of its own, with an event for each failure, and is looked at again', () => {
  const shown = withLastingFailures(decided([]), { type, eventOf, failures: [backup, prune] }, 5_000);
  const message = `${backup.message}; ${prune.message}`;
  const lastTransitionTime = '1970-01-01T00:00:05Z';
  expect(conditionsOf(shown)).toEqual([
    ready,
    { type, status: 'True', reason: 'BackupFailed', message, lastTransitionTime },
  ]);
  expect(shown.events).toEqual([
    { type: 'Warning', reason: type, note: backup.message },
    { type: 'Warning', reason: type, note: prune.message },
  ]);
  expect(shown.lookAgainAt).toBe(5_000 + longestRetryMs);
});

test('what lasts keeps its time, and is reported again seldom; what is new beside it at once', () => {
  const since = '1970-01-01T00:00:01Z';
  const before = { type, status: 'True', reason: 'BackupFailed', message: backup.message, lastTransitionTime: since };
  const shown = withLastingFailures(decided([before]), { type, eventOf, failures: [backup, prune] }, 5_000);
  expect(conditionsOf(shown)).toMatchObject([ready, { type, lastTransitionTime: since }]);
  expect(shown.events).toEqual([
    { type: 'Warning', reason: type, note: backup.message, atMostEveryMs: reportAgainMs },
    { type: 'Warning', reason: type, note: prune.message },
  ]);
});

test('when nothing fails any more the condition goes, and nothing is looked at because of it', () => {
  const before = { type, status: 'True', reason: 'BackupFailed', message: '', lastTransitionTime: '' };
  const over = withLastingFailures(decided([before]), { type, eventOf, failures: [] }, 5_000);
  expect(conditionsOf(over)).toEqual([ready]);
  expect([over.events, over.lookAgainAt]).toEqual([undefined, undefined]);
  const unchanged = decided([]);
  expect(withLastingFailures(unchanged, { type, eventOf, failures: [] }, 5_000)).toBe(unchanged);
});
