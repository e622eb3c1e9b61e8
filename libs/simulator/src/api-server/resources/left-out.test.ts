import { expect, it } from 'vitest';
import { systemClock } from '@ordinal/client';
import { ApiServer } from '../server.ts';
import { leftOutPath } from './left-out.ts';

it('refuses what it would have to guess with 501', () => {
  const server = new ApiServer({ clock: systemClock, random: () => 0.5 });
  const created = server.execute({
    verb: 'create',
    resource: { group: 'apiregistration.k8s.io', version: 'v1', plural: 'apiservices' },
    body: { metadata: { name: 'v1.example.com' } },
  });
  expect(created).toMatchObject({ status: 501, body: { reason: 'NotImplemented' } });
});

it('says of what it knows nothing about that it is left out', async () => {
  const transport = new ApiServer({ clock: systemClock, random: () => 0.5 }).transport();
  const statusOf = async (path: string): Promise<number> => (await transport.send({ method: 'GET', path })).status;
  const paths = ['/api/v1/componentstatuses'];
  expect(await Promise.all(paths.map(statusOf))).toEqual(paths.map(() => 501));
  expect(await statusOf('/apis/resource.k8s.io/v1alpha1/resourceclaims')).toBe(404);
});

it('knows the paths of a real server that it leaves out', () => {
  for (const path of ['/', '/metrics', '/api/v1/watch/namespaces/a/pods', '/apis/apps/v1/watch/statefulsets'])
    expect(leftOutPath(path)).toBe(true);
  for (const path of ['/version', '/api/v1/namespaces/watch/pods', '/apis/watch/v1/pods'])
    expect(leftOutPath(path)).toBe(false);
});
