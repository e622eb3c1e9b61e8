import { expect, test } from 'vitest';
import { cleanUpStep, stuckAfterMs, waitUntilGone } from './index.ts';

const object = (name: string, deletionTimestamp?: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    uid: name,
    resourceVersion: '1',
    creationTimestamp: '1970-01-01T00:00:00Z',
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
  },
});
const waiting = cleanUpStep('workload', 'waiting until the workload is gone');
const command = ({ name }: { readonly name: string }): string => `kubectl delete pod ${name}`;

test('what goes has a quarter of an hour; then it is said what is stuck and what a person can do, and it goes on', () => {
  const objects = [object('a', '1970-01-01T00:00:00Z'), object('b', '1970-01-01T00:01:00Z')];
  const early = waitUntilGone(waiting, objects, { now: stuckAfterMs - 1, command });
  expect(early).toEqual({ ...waiting, lookAgainAt: stuckAfterMs });
  const late = waitUntilGone(waiting, objects, { now: stuckAfterMs, command });
  expect(late).toMatchObject({ failed: true, lookAgainAt: stuckAfterMs + 60_000, actions: [] });
  expect(late.message).toBe(
    `${waiting.message}; a has been terminating for more than 15 minutes: kubectl delete pod a`,
  );
});

test('what is not being deleted has no deadline, unless it is known since when it should have been', () => {
  expect(waitUntilGone(waiting, [object('a')], { now: stuckAfterMs * 4, command })).toEqual(waiting);
  expect(waitUntilGone(waiting, [object('a')], { now: stuckAfterMs, command, since: 0 }).failed).toBe(true);
});
