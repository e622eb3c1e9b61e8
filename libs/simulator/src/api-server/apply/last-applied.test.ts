import { expect, it } from 'vitest';
import { systemClock } from '@ordinal/client';
import { ApiServer } from '../server.ts';

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
const configuration = (data: object): Record<string, unknown> => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a' },
  data,
});
const place = { resource: { group: '', version: 'v1', plural: 'configmaps' }, namespace: 'default', name: 'a' };

/** An object that `kubectl apply` has made, and what becomes of an apply on the server's side. */
function applied(manager: string, live: object, next: object) {
  const server = new ApiServer({ clock: systemClock, random: () => 0.5 });
  const body = configuration(live);
  const annotations = { [annotation]: JSON.stringify(configuration({ key: 'one' })) };
  server.execute({
    ...place,
    verb: 'create',
    body: { ...body, metadata: { name: 'a', annotations } },
    options: { fieldManager: 'kubectl-client-side-apply' },
  });
  return server.execute({ ...place, verb: 'apply', body: configuration(next), options: { fieldManager: manager } });
}

it('takes over what kubectl has applied from the client’s side, and keeps its annotation in step', () => {
  const { status, body } = applied('kubectl', { key: 'one' }, { key: 'two' });
  const { annotations } = body['metadata'] as { annotations: Record<string, string> };
  expect([status, JSON.parse(annotations[annotation] ?? '')]).toMatchObject([200, { data: { key: 'two' } }]);
});

it('takes over nothing that has changed since', () => {
  expect(applied('kubectl', { key: 'changed' }, { key: 'two' }).status).toBe(409);
});

it('takes over nothing for another manager', () => {
  expect(applied('other', { key: 'one' }, { key: 'two' }).status).toBe(409);
});
