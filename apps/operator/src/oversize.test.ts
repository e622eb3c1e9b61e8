import { clusteredCaches } from '@ordinal/api';
import { secrets } from '@ordinal/client';
import { controller, RuntimeError } from '@ordinal/runtime';
import type { ReconcileContext } from '@ordinal/runtime';
import { expect, test } from 'vitest';
import { reportingOversize } from './oversize.ts';
import { isOurs } from './reserved.ts';

const metadata = { name: 'a', namespace: 'shop', uid: 'u', resourceVersion: '7', creationTimestamp: '' };
const message = 'Pod shop/a-0 takes 600000 bytes: make it smaller';

/** Reconciles an object with this status, which fails as said; what was done. */
async function reconcile(status: object, failure: Error, primary = clusteredCaches as never): Promise<unknown[]> {
  const done: unknown[] = [];
  const [definition] = reportingOversize(
    [
      controller('a')
        .for(primary)
        .reconcile(() => Promise.reject(failure)),
    ],
    { isOurs, isSealed: ({ status }) => JSON.stringify(status).includes('sealed') },
  );
  const stored = { apiVersion: 'cache.my.domain/v1', kind: 'ClusteredCache', metadata, status };
  const resource = {
    find: () => Promise.resolve(stored),
    status: { patch: (_name: string, { body }: { readonly body: object }) => done.push(body) },
  };
  const context = {
    clock: { now: () => 0 },
    client: () => ({ in: () => resource }),
    events: { publish: ({ reason }: { readonly reason: string }) => done.push({ event: reason }) },
    signal: new AbortController().signal,
  } as unknown as ReconcileContext; // What such a reconcile uses.
  await expect(definition?.reconcile({ namespace: 'shop', name: 'a' }, context)).rejects.toBe(failure);
  return done;
}

const tooLarge = new RuntimeError('ObjectTooLarge', message);

test('an object that is too large to be read shows in the condition Ready and an event', async () => {
  const ready = { type: 'Ready', status: 'False', reason: 'ObjectTooLarge', message };
  expect(await reconcile({ phase: 'Ready' }, tooLarge)).toEqual([
    expect.objectContaining({ status: { conditions: [expect.objectContaining(ready)] } }),
    { event: 'ObjectTooLarge' },
  ]);
});

test('a status that makes its object too large is taken out', async () => {
  const huge = { phase: 'x'.repeat(100_000) };
  expect(await reconcile(huge, tooLarge)).toEqual([{ metadata: { uid: 'u', resourceVersion: '7' }, status: null }]);
});

test('one that the operator has sealed stays, however long it is', async () => {
  const own = { seal: 'sealed', phase: 'x'.repeat(100_000) };
  expect((await reconcile(own, tooLarge)).at(-1)).toEqual({ event: 'ObjectTooLarge' });
});

test('of a sealed one, which does not cover its conditions, only these are taken out where they are long', async () => {
  const condition = {
    type: 'Foreign',
    status: 'True',
    reason: 'Foreign',
    message: 'x'.repeat(32_768),
    lastTransitionTime: '',
  };
  const conditions = Array.from({ length: 20 }, (_, index) => ({ ...condition, type: `Foreign${index}` }));
  const own = { seal: 'sealed', phase: 'Ready', conditions };
  expect(await reconcile(own, tooLarge)).toEqual([
    { metadata: { uid: 'u', resourceVersion: '7' }, status: { conditions: null } },
  ]);
});

test('other failures, and controllers of other kinds, are left as they are', async () => {
  expect(await reconcile({}, new Error('other'))).toEqual([]);
  expect(await reconcile({}, tooLarge, secrets as never)).toEqual([]);
});
