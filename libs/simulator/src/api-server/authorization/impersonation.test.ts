import { expect, it } from 'vitest';
import { createClient, isApiError, pods, systemClock } from '@ordinal/client';
import { ApiServer } from '../server.ts';

const rbac = 'rbac.authorization.k8s.io';

/** A server on which alice has rules across the cluster. */
function serverWhereAliceMay(...rules: readonly object[]): ApiServer {
  const server = new ApiServer({ clock: systemClock, random: () => 0.5, authorizes: true });
  const create = (plural: string, body: object): void => {
    expect(server.execute({ verb: 'create', resource: { group: rbac, version: 'v1', plural }, body }).status).toBe(201);
  };
  create('clusterroles', { metadata: { name: 'alice' }, rules });
  create('clusterrolebindings', {
    metadata: { name: 'alice' },
    roleRef: { kind: 'ClusterRole', name: 'alice' },
    subjects: [{ kind: 'User', name: 'alice' }],
  });
  return server;
}

const mayListPods = (server: ApiServer, as: { readonly name: string; readonly groups?: readonly string[] }) =>
  createClient({ transport: server.transport({ name: 'alice' }) })
    .impersonate({ groups: [], ...as })(pods)
    .namespace('shop')
    .list()
    .then(
      () => 'yes',
      (error: unknown) => (isApiError(error, 'Forbidden') ? error.status.message : String(error)),
    );

const listing = { apiGroups: [''], resources: ['pods'], verbs: ['list', 'impersonate-on:serviceaccount:list'] };

it('lets a user act as another where a role says impersonate', async () => {
  const server = serverWhereAliceMay({ apiGroups: [''], resources: ['users', 'groups'], verbs: ['impersonate'] });
  expect(await mayListPods(server, { name: 'root', groups: ['system:masters'] })).toBe('yes');
  expect(await mayListPods(server, { name: 'root' })).toContain('User "root" cannot list resource "pods"');
});

it('says of a user that may act as no other what the first way would have needed', async () => {
  const server = serverWhereAliceMay();
  expect(await mayListPods(server, { name: 'root' })).toBe(
    'pods is forbidden: User "alice" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "shop"',
  );
});

it('refuses who names more about another user, and no user, whether permissions are checked or not', async () => {
  for (const authorizes of [true, false]) {
    const server = new ApiServer({ clock: systemClock, random: () => 0.5, authorizes });
    const headers = { 'impersonate-extra-scope': 'read' };
    expect((await server.transport().send({ method: 'GET', path: '/api/v1/pods', headers })).status).toBe(400);
  }
});

it('lets a user act as a service account for one verb alone', async () => {
  const account = {
    apiGroups: ['authentication.k8s.io'],
    resources: ['serviceaccounts'],
    verbs: ['impersonate:serviceaccount'],
  };
  const server = serverWhereAliceMay(account, listing);
  const grant = server.execute({
    verb: 'create',
    namespace: 'shop',
    resource: { group: rbac, version: 'v1', plural: 'rolebindings' },
    body: {
      metadata: { name: 'robots' },
      roleRef: { kind: 'ClusterRole', name: 'alice' },
      subjects: [{ kind: 'Group', name: 'system:serviceaccounts:shop' }],
    },
  });
  expect(grant.status).toBe(201);
  expect(await mayListPods(server, { name: 'system:serviceaccount:shop:robot' })).toBe('yes');
  // With groups of its own it is another identity, which this way does not give.
  expect(await mayListPods(server, { name: 'system:serviceaccount:shop:robot', groups: ['staff'] })).toContain(
    'forbidden',
  );
});
