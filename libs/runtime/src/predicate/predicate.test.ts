import type { KubernetesObject } from '@ordinal/client';
import { describe, expect, test } from 'vitest';
import { primaryChanged } from './predicate.ts';

const metadata: KubernetesObject['metadata'] = { name: 'x', uid: 'u', resourceVersion: '1', creationTimestamp: '' };
const object = (change: object = {}, rest: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { ...metadata, generation: 1, ...change },
  ...rest,
});
const passes = (old: KubernetesObject, now: KubernetesObject): boolean =>
  primaryChanged({ type: 'updated', old, object: now, initial: false });

describe('a controller’s own kind', () => {
  test.each([
    ['its generation', { generation: 2 }],
    ['its annotations', { annotations: { a: 'b' } }],
    ['its finalizers, which raise no generation', { finalizers: ['ours'] }],
    ['its deletion', { deletionTimestamp: '2026-01-01T00:00:00Z' }],
  ])('wakes it by %s', (_what, change) => {
    expect(passes(object(), object({ ...change, resourceVersion: '2' }))).toBe(true);
  });

  test.each([
    ['its status', {}, { status: { ready: 1 } }],
    ['its labels', { labels: { a: 'b' } }, {}],
    ['nothing but its version', {}, {}],
  ])('does not wake it by %s', (_what, change, rest) => {
    expect(passes(object(), object({ ...change, resourceVersion: '2' }, rest))).toBe(false);
  });
});
