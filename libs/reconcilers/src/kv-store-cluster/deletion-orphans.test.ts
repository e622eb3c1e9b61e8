import { expect, test } from 'vitest';
import { decideDeletion } from './deletion.ts';
import type { Observation } from './observation.ts';

const minute = 60_000;
const deletedAt = Date.parse('2026-01-01T00:00:00Z');

/** A cluster that is deleted with `--cascade=orphan`, and what of it still has it as an owner. */
function orphaning(owned: boolean): Observation {
  const metadata = (name: string) => ({
    name,
    ...(owned ? { ownerReferences: [{ uid: 'u1', controller: true }] } : {}),
  });
  return {
    cluster: {
      metadata: {
        ...{ name: 'orders', namespace: 'shop', uid: 'u1', deletionTimestamp: '2026-01-01T00:00:00Z' },
        finalizers: ['kvstore.example.com/finalizer', 'orphan'],
      },
      spec: { backup: { onDelete: 'Required' } },
    },
    statefulSet: { kind: 'StatefulSet', metadata: metadata('orders') },
    children: [{ kind: 'Service', metadata: metadata('orders') }],
    orphaned: !owned,
  } as unknown as Observation; // The rest is not read here.
}

test('children that are not orphaned in time are reported, with what helps', () => {
  const soon = decideDeletion(orphaning(true), deletedAt + minute);
  expect(soon).toMatchObject({ reason: 'Orphaning', actions: [], lookAgainAt: deletedAt + 15 * minute });
  expect(soon.failed).toBeUndefined();
  const late = decideDeletion(orphaning(true), deletedAt + 15 * minute);
  expect(late).toMatchObject({ reason: 'Orphaning', actions: [], failed: true });
  expect(late.message).toContain(
    `kubectl patch -n shop statefulset/orders service/orders --type merge -p '{"metadata":{"ownerReferences":null}}' && ` +
      `kubectl patch -n shop kvs orders --type merge -p '{"metadata":{"finalizers":["kvstore.example.com/finalizer"]}}'`,
  );
});

test('where all have been orphaned, only the finalizer is left to be removed', () => {
  const { message } = decideDeletion(orphaning(false), deletedAt + 15 * minute);
  expect(message).not.toContain('ownerReferences');
  expect(message).toContain('kubectl patch -n shop kvs orders');
});
