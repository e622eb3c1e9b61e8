import { expect, test } from 'vitest';
import { stopMembers } from './deletion-members.ts';
import type { Observation } from './observation.ts';

const minute = 60_000;
const deletedAt = Date.parse('2026-01-01T00:00:00Z');

/** A cluster whose StatefulSet has been going, with these finalizers; its member ends then, or is not being deleted. */
function stopping(finalizers: readonly string[], memberEndsAt?: string): Observation {
  const deletionTimestamp = '2026-01-01T00:00:00Z';
  const ownerReferences = [{ kind: 'StatefulSet', name: 'orders', uid: 's1', controller: true }];
  const member = { name: 'orders-0', namespace: 'shop', uid: 'p0', ownerReferences };
  return {
    cluster: { metadata: { name: 'orders', namespace: 'shop', uid: 'u1', deletionTimestamp } },
    statefulSet: { metadata: { name: 'orders', namespace: 'shop', uid: 's1', deletionTimestamp, finalizers } },
    pods: [{ metadata: { ...member, ...(memberEndsAt && { deletionTimestamp: memberEndsAt }) }, spec: {} }],
    claims: [],
  } as unknown as Observation; // The rest is not read here.
}

test.each([
  ['another client holds', ['example.com/a', 'foregroundDeletion'], undefined, '{"finalizers":["foregroundDeletion"]}'],
  ['another client holds, as long as its members take', ['example.com/a'], '2026-01-01T01:00:00Z', '{"finalizers":[]}'],
  ['the garbage collector does not look at', ['foregroundDeletion'], undefined, 'kube-controller-manager'],
])('a StatefulSet that %s is reported after a quarter of an hour', (_what, finalizers, memberEndsAt, message) => {
  const seen = stopping(finalizers, memberEndsAt);
  expect(stopMembers(seen, deletedAt + minute)).toMatchObject({ lookAgainAt: deletedAt + 15 * minute });
  const late = stopMembers(seen, deletedAt + 15 * minute);
  expect(late).toMatchObject({ reason: 'StoppingMembers', failed: true, actions: [] });
  expect(late?.message).toContain(message);
});

// Found by a reader: nothing was reported, for ever.
test('a member whose StatefulSet is gone, and that no controller deletes, is reported after a quarter of an hour', () => {
  const { statefulSet: _gone, ...left } = stopping([]);
  expect(stopMembers(left, deletedAt + minute)).toMatchObject({ lookAgainAt: deletedAt + 15 * minute });
  const late = stopMembers(left, deletedAt + 15 * minute);
  expect(late).toMatchObject({ failed: true, actions: [] });
  expect(late?.message).toContain('by hand: kubectl delete pod -n shop orders-0');
  const finishedAt = '2026-01-01T00:10:00Z';
  const cluster = {
    ...left.cluster,
    status: { hooks: [{ purpose: 'FinalBackup', job: 'j', subject: 'u1', finishedAt }] },
  };
  expect(stopMembers({ ...left, cluster }, deletedAt + 15 * minute)?.lookAgainAt).toBe(deletedAt + 25 * minute);
});

test('one that waits for members that take long is not, before they do', () => {
  const seen = stopping(['foregroundDeletion'], '2026-01-01T01:00:00Z');
  const late = stopMembers(seen, deletedAt + 60 * minute);
  expect(late).toMatchObject({ lookAgainAt: deletedAt + 75 * minute });
  expect(late?.failed).toBeUndefined();
  expect(stopMembers(seen, deletedAt + 75 * minute)?.message).toContain('kubectl delete pod -n shop orders-0');
});
