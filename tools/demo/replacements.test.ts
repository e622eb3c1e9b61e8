import type { Pod } from '@ordinal/client';
import { expect, test } from 'vitest';
import { record } from './replacements.ts';

const pod = (ordinal: number, uid: string, more: { readonly ready?: boolean; readonly going?: boolean } = {}): Pod =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `set-${ordinal}`,
      uid,
      ...(more.going === true && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    },
    spec: { containers: [{ name: 'main', image: `image:${uid}` }] },
    status: { conditions: [{ type: 'Ready', status: more.ready === false ? 'False' : 'True' }] },
  }) as unknown as Pod; // What the server adds besides plays no part.

const begin = (...pods: readonly Pod[]) => ({
  present: new Map(pods.map((one) => [one.metadata.name, one])),
  seen: { came: [] as string[], versions: new Map<string, string[]>(), fewestReady: pods.length },
});

test('a pod of another UID has come, a changed one has not', () => {
  const { present, seen } = begin(pod(0, 'a'));
  record({ type: 'MODIFIED', kind: 'Pod', object: pod(0, 'a', { going: true }) }, present, seen);
  record({ type: 'DELETED', kind: 'Pod', object: pod(0, 'a', { going: true }) }, present, seen);
  record({ type: 'ADDED', kind: 'Pod', object: pod(0, 'b') }, present, seen);
  expect(seen.came).toEqual(['set-0']);
  expect(seen.versions.get('set-0')).toEqual(['b']);
});

test('the worst moment counts, and a pod that is going does not serve', () => {
  const { present, seen } = begin(pod(0, 'a'), pod(1, 'b'));
  record({ type: 'MODIFIED', kind: 'Pod', object: pod(1, 'b', { going: true }) }, present, seen);
  record({ type: 'DELETED', kind: 'Pod', object: pod(1, 'b') }, present, seen);
  record({ type: 'ADDED', kind: 'Pod', object: pod(1, 'c') }, present, seen);
  expect(seen.fewestReady).toBe(1);
});
