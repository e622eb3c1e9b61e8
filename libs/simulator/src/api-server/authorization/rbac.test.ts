import { expect, it } from 'vitest';
import { createClient, isApiError, pods, systemClock } from '@ordinal/client';
import { ApiServer } from '../server.ts';

const rbac = 'rbac.authorization.k8s.io';

it('allows a service account what its role covers, and no more', () => {
  const server = new ApiServer({ clock: systemClock, random: () => 0.5, authorizes: true });
  const create = (plural: string, body: object): void => {
    server.execute({ verb: 'create', resource: { group: rbac, version: 'v1', plural }, namespace: 'shop', body });
  };
  create('roles', {
    apiVersion: `${rbac}/v1`,
    kind: 'Role',
    metadata: { name: 'reader' },
    rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }],
  });
  create('rolebindings', {
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    metadata: { name: 'reader' },
    roleRef: { kind: 'Role', name: 'reader' },
    subjects: [{ kind: 'ServiceAccount', name: 'operator', namespace: 'shop' }],
  });
  const list = (namespace: string): number =>
    server.execute({
      verb: 'list',
      user: { name: 'system:serviceaccount:shop:operator' },
      resource: { group: '', version: 'v1', plural: 'pods' },
      namespace,
    }).status;
  expect([list('shop'), list('other')]).toEqual([200, 403]);
});

it('lets whoever has a name ask what is served and what they may do', () => {
  const server = new ApiServer({ clock: systemClock, random: () => 0.5, authorizes: true });
  const review = server.execute({
    verb: 'create',
    user: { name: 'alice' },
    resource: { group: 'authorization.k8s.io', version: 'v1', plural: 'selfsubjectaccessreviews' },
    body: { spec: { resourceAttributes: { verb: 'list', resource: 'pods', namespace: 'shop' } } },
  });
  expect(review).toMatchObject({ status: 201, body: { status: { allowed: false } } });
});

it('shows no anonymous user what is served', async () => {
  const server = new ApiServer({ clock: systemClock, random: () => 0.5, authorizes: true });
  const statusFor = async (name: string, group: string): Promise<number> =>
    (await server.transport({ name, groups: [group] }).send({ method: 'GET', path: '/apis' })).status;
  expect(await statusFor('alice', 'staff')).toBe(200);
  expect(await statusFor('system:anonymous', 'system:unauthenticated')).toBe(403);
});

it('counts a user who acts as another as a member of each group that is named', async () => {
  const server = new ApiServer({ clock: systemClock, random: () => 0.5, authorizes: true });
  const mayList = (...groups: readonly string[]): Promise<boolean> =>
    createClient({ transport: server.transport() })
      .impersonate({ name: 'alice', groups })(pods)
      .namespace('shop')
      .list()
      .then(
        () => true,
        (error: unknown) => !isApiError(error, 'Forbidden'),
      );
  expect(await mayList('staff', 'system:masters')).toBe(true);
  expect(await mayList('staff')).toBe(false);
  // A name may have a comma.
  expect(await mayList('staff,system:masters')).toBe(false);
});
