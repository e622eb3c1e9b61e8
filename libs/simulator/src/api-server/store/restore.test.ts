import { systemClock } from '@ordinal/client';
import { expect, test } from 'vitest';
import { ApiServer } from '../server.ts';
import type { ApiReply } from '../request.ts';
import { seededRandom } from '../../scheduler/random.ts';

const configMaps = { group: '', version: 'v1', plural: 'configmaps' };
const inDefault = { resource: configMaps, namespace: 'default' };

function world() {
  const server = new ApiServer({ clock: systemClock, random: seededRandom(1) });
  const write = (verb: 'create' | 'update', name: string, data: Record<string, string>): ApiReply =>
    server.execute({
      ...inDefault,
      ...{ verb, ...(verb === 'update' && { name }) },
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data },
    });
  const watch = (resourceVersion: string): string[] => {
    const seen: string[] = [];
    const event = ({ type, object }: { readonly type: string; readonly object: Record<string, unknown> }): void =>
      void seen.push(`${type} ${(object['metadata'] as { readonly name?: string }).name}`);
    server.watch({ ...inDefault, options: { resourceVersion } }, { event, end: () => void seen.push('end') });
    return seen;
  };
  return { server, store: server.store, write, watch };
}

test('what came later is gone, what was changed or deleted is as it was, and revisions are given out anew', () => {
  const { server, store, write } = world();
  write('create', 'changed', { size: '1' });
  write('create', 'deleted', {});
  const { revision } = store;
  const before = store.snapshot('configmaps');
  write('update', 'changed', { size: '2' });
  server.execute({ ...inDefault, verb: 'delete', name: 'deleted' });
  write('create', 'later', {});
  server.restore(revision);
  expect(store.revision).toBe(revision);
  expect(store.snapshot('configmaps')).toEqual(before);
  const { body } = write('create', 'again', {});
  expect(body['metadata']).toMatchObject({ resourceVersion: String(revision + 1) });
  expect(store.changesSince('configmaps', revision).map(({ key }) => key)).toEqual(['default/again']);
});

test('tells the differences, each as restored; another object of the same name is a deletion and a creation', () => {
  const { server, store, write } = world();
  write('create', 'changed', { size: '1' });
  write('create', 'another', {});
  write('create', 'same', {});
  const { revision } = store;
  write('update', 'changed', { size: '2' });
  server.execute({ ...inDefault, verb: 'delete', name: 'another' });
  write('create', 'another', {});
  write('create', 'later', {});
  const reported: string[] = [];
  store.subscribe(({ key, before, deleted, restored }) =>
    reported.push(`${deleted ? 'DELETED' : before ? 'MODIFIED' : 'ADDED'} ${key} ${restored}`),
  );
  server.restore(revision);
  expect(reported.sort()).toEqual([
    'ADDED default/another true',
    'DELETED default/another true',
    'DELETED default/later true',
    'MODIFIED default/changed true',
  ]);
});

test('watches end; one of a revision to come is silent until that has passed, and a list of it is refused', () => {
  const { server, store, write, watch } = world();
  write('create', 'a', {});
  const { revision } = store;
  const open = watch(String(revision));
  write('create', 'b', {});
  write('create', 'c', {});
  const lost = String(store.revision);
  server.restore(revision);
  expect(open).toEqual(['ADDED b', 'ADDED c', 'end']);
  for (const request of [{ verb: 'list' }, { verb: 'get', name: 'a' }] as const)
    expect(server.execute({ ...inDefault, ...request, options: { resourceVersion: lost } })).toMatchObject({
      status: 504,
      body: {
        reason: 'Timeout',
        message: `Timeout: Too large resource version: ${lost}, current: ${revision}`,
        details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 },
      },
    });
  const waiting = watch(lost);
  write('create', 'd', {});
  write('create', 'e', {});
  expect(waiting).toEqual([]);
  write('create', 'f', {});
  expect(waiting).toEqual(['ADDED f']);
});

test('there is no way back to a state that is compacted or still to come', () => {
  const { server, write } = world();
  write('create', 'a', {});
  server.compact();
  expect(() => server.restore(server.store.revision - 1)).toThrow(/no state at revision/);
  expect(() => server.restore(server.store.revision + 1)).toThrow(/no state at revision/);
});
