import { expect, it } from 'vitest';
import { systemClock } from '@ordinal/client';
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
