import { expect, test } from 'vitest';
import { withFindings } from './condition.ts';
import { timestamp } from './timestamp.ts';

const ready = { type: 'Ready', status: 'True', reason: 'AllReady', message: '' } as const;
const [first] = withFindings(undefined, [ready], { now: 0, generation: 1 });

test('a condition keeps its time while its status is the same, whatever its reason', () => {
  const [next] = withFindings([first!], [{ ...ready, reason: 'Other' }], { now: 60_000, generation: 2 });
  expect(next).toEqual({ ...ready, reason: 'Other', lastTransitionTime: timestamp(0), observedGeneration: 2 });
});

test('a condition whose status changes begins now', () => {
  const [next] = withFindings([first!], [{ ...ready, status: 'False' }], { now: 60_000, generation: 1 });
  expect(next?.lastTransitionTime).toBe('1970-01-01T00:01:00Z');
});

test('conditions of others stay where they are', () => {
  const types = withFindings([{ ...first!, type: 'Theirs' }, first!], [{ ...ready, type: 'New' }], {
    now: 0,
    generation: 1,
  }).map(({ type }) => type);
  expect(types).toEqual(['Theirs', 'Ready', 'New']);
});
