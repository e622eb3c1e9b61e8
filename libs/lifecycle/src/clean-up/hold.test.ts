import { pods } from '@ordinal/client';
import { expect, test } from 'vitest';
import { endHold, lifeOf, takeHold } from './index.ts';

const hold = { descriptor: pods, finalizer: 'ours', because: 'it has to be cleaned up' };

const object = ({
  finalizers,
  ...rest
}: {
  readonly finalizers?: readonly string[];
  readonly deletionTimestamp?: string;
}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    namespace: 'shop',
    name: 'one',
    uid: 'u',
    resourceVersion: '7',
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...(finalizers && { finalizers: [...finalizers] }),
    ...rest,
  },
});
const deletionTimestamp = '2026-01-01T00:00:00Z';

test.each([
  ['new', {}],
  ['new', { finalizers: ['theirs'] }],
  ['living', { finalizers: ['theirs', 'ours'] }],
  ['leaving', { finalizers: ['ours'], deletionTimestamp }],
  ['released', { finalizers: ['theirs'], deletionTimestamp }],
  ['released', { deletionTimestamp }],
] as const)('an object is %s with %j', (life, metadata) => {
  expect(lifeOf(object(metadata), hold)).toBe(life);
});

test('only a new object gets the finalizer: none that is being deleted (I25)', () => {
  const all = [{}, { finalizers: ['ours'] }, { finalizers: ['ours'], deletionTimestamp }, { deletionTimestamp }];
  expect(all.map((metadata) => takeHold(object(metadata), hold).length)).toEqual([1, 0, 0, 0]);
  expect(takeHold(object({ finalizers: ['theirs'] }), hold)).toEqual([
    {
      kind: 'addFinalizer',
      descriptor: pods,
      target: { namespace: 'shop', name: 'one', uid: 'u', resourceVersion: '7', finalizers: ['theirs'] },
      finalizer: 'ours',
      because: 'it has to be cleaned up',
    },
  ]);
});

test('the finalizer goes from the object as it was seen, with the reason of the clean-up', () => {
  expect(endHold(object({ finalizers: ['ours'], deletionTimestamp }), hold, 'all is gone')).toMatchObject({
    kind: 'removeFinalizer',
    target: { uid: 'u', resourceVersion: '7', finalizers: ['ours'] },
    finalizer: 'ours',
    because: 'all is gone',
  });
});
