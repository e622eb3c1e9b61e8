import { expect, it } from 'vitest';
import { systemClock } from '@ordinal/client';
import { ApiServer } from '../server.ts';

const configMaps = { group: '', version: 'v1', plural: 'configmaps' };

function seenFrom(server: ApiServer, resourceVersion: string): string[] {
  const seen: string[] = [];
  server.watch(
    { resource: configMaps, namespace: 'default', options: { resourceVersion } },
    { event: ({ type, object }) => void seen.push(type === 'ERROR' ? String(object['code']) : type) },
  );
  return seen;
}

it('resumes after a version, and says 410 once that is compacted', () => {
  const server = new ApiServer({ clock: systemClock, random: () => 0.5 });
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
  const start = String(server.store.revision);
  server.execute({ verb: 'create', resource: configMaps, namespace: 'default', body });
  server.execute({ verb: 'delete', resource: configMaps, namespace: 'default', name: 'a' });
  expect(seenFrom(server, start)).toEqual(['ADDED', 'DELETED']);
  server.compact();
  expect(seenFrom(server, start)).toEqual(['410']);
});
