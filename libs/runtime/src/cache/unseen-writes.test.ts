import type { KubernetesObject } from '@ordinal/client';
import { expect, test } from 'vitest';
import { UnseenWrites } from './unseen-writes.ts';
import type { OwnWrite } from './unseen-writes.ts';

/** A write of the object of this name. */
function write(name: string, revision: string): OwnWrite {
  const metadata = { name, namespace: 'shop', uid: name, resourceVersion: revision, creationTimestamp: '' };
  const object: KubernetesObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
  return { key: { namespace: 'shop', name }, revision, object, isRemoval: false, isShown: true };
}

test('a list settles the writes that were answered before it began, also where revisions are no numbers', () => {
  const unseen = new UnseenWrites();
  for (const name of ['a', 'b', 'c']) unseen.wrote(write(name, `x-${name}`));
  const awaited = unseen.awaited();
  for (const name of ['a', 'b']) awaited.listed(write(name, `y-${name}`).object);
  unseen.saw('z');
  unseen.settle(awaited);
  expect(unseen.newest).toBeUndefined();
});

test('a list settles no write that was answered after it began', () => {
  const unseen = new UnseenWrites();
  for (const name of ['a', 'b']) unseen.wrote(write(name, `x-${name}`));
  const awaited = unseen.awaited();
  const later = write('b', 'y-b');
  unseen.wrote(later);
  unseen.settle(awaited);
  expect(unseen.newest).toBe(later);
});

test('the newest write is the one with the latest revision, until a list or the watch has come to it', () => {
  const unseen = new UnseenWrites();
  for (const [name, revision] of [
    ['a', '12'],
    ['b', '9'],
  ] as const)
    unseen.wrote(write(name, revision));
  expect(unseen.newest?.revision).toBe('12');
  unseen.saw('11');
  expect(unseen.newest?.revision).toBe('12');
  unseen.saw('12');
  expect(unseen.newest).toBeUndefined();
});
