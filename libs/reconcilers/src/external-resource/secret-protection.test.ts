import type { KubernetesObject } from '@ordinal/client';
import { configMaps } from '@ordinal/client';
import { describe, expect, test } from 'vitest';
import { decideProtection, secretProtection } from './secret-protection.ts';

const object = (secret: string, resourceVersion: string, more: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'orders',
    namespace: 'shop',
    uid: 'uid',
    resourceVersion,
    creationTimestamp: '2026-11-21T00:00:00Z',
    annotations: { secret },
    ...more,
  },
});

describe('the controller that protects Secrets', () => {
  const { watches } = secretProtection('protection', {
    descriptor: configMaps,
    secretNames: ({ metadata }) => [metadata.annotations?.['secret'] ?? ''],
  });
  const watch = watches.find(({ use }) => use === 'watches');

  // A thousand objects that need one Secret would have it looked at with each of their status changes, thousands of times.
  test('is not woken by a change that has nothing to do with Secrets', () => {
    const change = { type: 'updated', old: object('account', '1'), object: object('account', '2') } as const;
    expect(watch?.predicate?.({ ...change, initial: false })).toBe(false);
  });

  test('is woken when an object comes, goes, or needs another Secret', () => {
    const [one, other] = [object('account', '1'), object('other', '2')];
    expect(watch?.predicate?.({ type: 'added', object: one, initial: true })).toBe(true);
    expect(watch?.predicate?.({ type: 'updated', old: one, object: other, initial: false })).toBe(true);
    expect(watch?.predicate?.({ type: 'deleted', object: other, initial: false })).toBe(true);
  });
});

describe('the finalizer of a Secret', () => {
  const finalizers = ['db.example.com/in-use'];
  const actionOf = (secret: KubernetesObject, isNeeded: boolean): string | undefined =>
    decideProtection(secret, isNeeded, 'db.example.com/in-use').actions[0]?.kind;

  test.each([
    ['comes when it is needed', {}, true, 'addFinalizer'],
    ['stays while it is needed', { finalizers }, true, undefined],
    ['goes when it is not', { finalizers }, false, 'removeFinalizer'],
    ['is left out where nothing needs it', {}, false, undefined],
    ['never comes to one that is being deleted', { deletionTimestamp: '2026-11-21T00:00:00Z' }, true, undefined],
  ])('%s', (_, more, isNeeded, action) => {
    expect(actionOf(object('', '1', more), isNeeded)).toBe(action);
  });
});
