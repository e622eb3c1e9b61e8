import { clusteredCaches } from '@ordinal/api';
import type { KubernetesObject } from '@ordinal/client';
import { secrets } from '@ordinal/client';
import { awaitChange, controller } from '@ordinal/runtime';
import type { ReconcileContext } from '@ordinal/runtime';
import { expect, test } from 'vitest';
import { keepingOut } from './reserved.ts';

const stored: KubernetesObject = {
  apiVersion: 'cache.my.domain/v1',
  kind: 'ClusteredCache',
  metadata: { name: 'a', namespace: 'kube-system', uid: 'u', resourceVersion: '1', creationTimestamp: '' },
} as KubernetesObject;

/** Reconciles one key with controllers that keep out of kube-system; what was done. */
async function reconcile(namespace: string, which: 'caches' | 'secrets'): Promise<readonly unknown[]> {
  const done: unknown[] = [];
  const own = () => {
    done.push('reconciled');
    return Promise.resolve(awaitChange());
  };
  const [caches, others] = keepingOut(
    ['kube-system'],
    [controller('a').for(clusteredCaches).reconcile(own), controller('b').for(secrets).reconcile(own)],
  );
  const status = { patch: (_name: string, patch: { readonly body: object }) => done.push(patch.body) };
  const context = {
    cache: { get: () => stored },
    clock: { now: () => 0 },
    client: () => ({ in: () => ({ status }) }),
    events: { publish: ({ reason }: { readonly reason: string }) => done.push({ event: reason }) },
  } as unknown as ReconcileContext; // What such a reconcile uses.
  const definition = which === 'caches' ? caches : others;
  await definition?.reconcile({ namespace, name: 'a' }, context);
  return done;
}

test('a resource in a reserved namespace is left alone, and says so', async () => {
  const ready = { type: 'Ready', status: 'False', reason: 'ReservedNamespace' };
  expect(await reconcile('kube-system', 'caches')).toEqual([
    expect.objectContaining({ status: { conditions: [expect.objectContaining(ready)] } }),
    { event: 'ReservedNamespace' },
  ]);
  expect(await reconcile('shop', 'caches')).toEqual(['reconciled']);
});

test('nothing else is touched there', async () => {
  expect(await reconcile('kube-system', 'secrets')).toEqual([]);
  expect(await reconcile('shop', 'secrets')).toEqual(['reconciled']);
});
