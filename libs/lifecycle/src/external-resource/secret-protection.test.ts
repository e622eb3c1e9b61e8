import type { KubernetesObject } from '@ordinal/client';
import { expect, test } from 'vitest';
import { decideProtection } from './secret-protection.ts';

const finalizer = 'db.example.com/in-use';
const secret = (finalizers: readonly string[], deletionTimestamp?: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: 'account',
    namespace: 'shop',
    uid: '1',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    finalizers,
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
  },
});
const gone = '2026-01-02T00:00:00Z';

test.each([
  ['is protected', true, secret([]), ['addFinalizer']],
  ['is protected once', true, secret([finalizer]), []],
  ['loses its finalizer when nothing needs it', false, secret([finalizer], gone), ['removeFinalizer']],
  ['stays protected while it is being deleted', true, secret([finalizer], gone), []],
  ['gets no finalizer while it is being deleted (I25)', true, secret(['example.com/held'], gone), []],
] as const)('a Secret %s', (_what, isNeeded, object, kinds) => {
  expect(decideProtection(object, isNeeded, finalizer).actions.map(({ kind }) => kind)).toEqual(kinds);
});
