import { ApiError } from '@ordinal/client';
import type { Client, KubernetesObject, ResourceDescriptor } from '@ordinal/client';
import { expect, test } from 'vitest';
import { writeBack } from './write-back.ts';

interface Thing extends KubernetesObject {
  readonly status?: { readonly id?: string };
}

const descriptor: ResourceDescriptor<Thing, never> = {
  group: 'test',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  scope: 'Namespaced',
};
const thing = (uid: string, resourceVersion = '1'): Thing => ({
  apiVersion: 'test/v1',
  kind: 'Thing',
  metadata: { name: 'one', namespace: 'default', uid, resourceVersion, creationTimestamp: '2026-01-01T00:00:00Z' },
});

/** A client whose object is as given, and which refuses the first patches. */
function clientWith(found: Thing | undefined, conflicts = 0) {
  const patches: unknown[] = [];
  const resource = {
    find: () => Promise.resolve(found),
    status: {
      patch: (_name: string, { body }: { readonly body: unknown }) => {
        patches.push(body);
        const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 409, reason: 'Conflict' } as const;
        return patches.length <= conflicts ? Promise.reject(new ApiError(status, 'patch')) : Promise.resolve(found);
      },
    },
  };
  // Only what is called here.
  return { patches, client: (() => ({ in: () => resource })) as unknown as Client };
}

const { signal } = new AbortController();
const seal = ({ status }: { readonly status: object }) => ({ ...status, seal: 'ours' });
const write = { descriptor, object: thing('mine'), statusAfter: () => ({ id: 't1' }), seal };

test('what was learnt is written on the condition that the object is as it was read', async () => {
  const { client, patches } = clientWith(thing('mine', '7'));
  await writeBack(write, { client, signal });
  expect(patches).toEqual([{ metadata: { resourceVersion: '7' }, status: { id: 't1', seal: 'ours' } }]);
});

test('a conflict is no reason to forget it', async () => {
  const { client, patches } = clientWith(thing('mine'), 3);
  await writeBack(write, { client, signal });
  expect(patches).toHaveLength(4);
});

test.each([
  ['is gone', undefined],
  ['has given its name to another one (I13)', thing('other')],
])('an object that %s is left alone', async (_what, found) => {
  const { client, patches } = clientWith(found);
  await writeBack(write, { client, signal });
  expect(patches).toEqual([]);
});
