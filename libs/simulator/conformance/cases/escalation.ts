import type { Case, Json, Session } from '../case.ts';
import { paths } from './objects.ts';
import { seen } from './identities.ts';

const rbac = 'rbac.authorization.k8s.io';
const bindings = `/apis/${rbac}/v1/namespaces/:ns/rolebindings`;
const clusterRoles = `/apis/${rbac}/v1/clusterroles`;
const clusterBindings = `/apis/${rbac}/v1/clusterrolebindings`;

const subjects = [{ apiGroup: rbac, kind: 'User', name: 'alice' }];
const role = (name: string, rules: readonly Json[], metadata: Json = {}): Json => ({
  apiVersion: `${rbac}/v1`,
  kind: 'Role',
  metadata: { name, ...metadata },
  rules,
});
const binding = (name: string, roleRef: Json): Json => ({
  apiVersion: `${rbac}/v1`,
  kind: 'RoleBinding',
  metadata: { name },
  roleRef: { apiGroup: rbac, ...roleRef },
  subjects,
});

const managing = {
  apiGroups: [rbac],
  resources: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
  verbs: ['get', 'create', 'update', 'patch', 'delete'],
};
const reading = { apiGroups: [''], resources: ['configmaps', 'pods/log'], verbs: ['get', 'list'] };

const as = (s: Session, method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) =>
  s.send({ method, path, user: 'alice', ...(body !== undefined && { body }) });
const merge = (s: Session, path: string, body: unknown) =>
  s.send({ method: 'PATCH', path, user: 'alice', contentType: 'application/merge-patch+json', body });

/** Lets alice manage roles, with more rules. */
async function manager(s: Session, ...rules: readonly Json[]): Promise<void> {
  await s.create(paths.roles, role('managing', [managing, ...rules]));
  await s.create(bindings, binding('managing', { kind: 'Role', name: 'managing' }));
  await seen(s);
}

/** No user gives more than they have. */
export const escalationCases: readonly Case[] = [
  {
    name: 'escalation: roles',
    async body(s) {
      await manager(s, reading, { apiGroups: ['apps'], resources: ['*/scale'], verbs: ['*'] });
      await as(s, 'POST', paths.roles, role('same', [reading]));
      await as(
        s,
        'POST',
        paths.roles,
        role('scale', [{ apiGroups: ['apps'], resources: ['deployments/scale'], verbs: ['get'] }]),
      );
      await as(s, 'POST', paths.roles, role('more', [{ ...reading, verbs: ['get', 'delete'] }]));
      await as(s, 'POST', paths.roles, role('most', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]));
      await as(
        s,
        'POST',
        paths.roles,
        role('names', [
          { apiGroups: ['', 'apps'], resources: ['secrets'], resourceNames: ['b', 'a'], verbs: ['get', 'list'] },
          { apiGroups: [''], resources: ['configmaps'], resourceNames: ['a'], verbs: ['get'] },
        ]),
      );
      await as(s, 'PUT', `${paths.roles}/same`, role('same', [{ ...reading, verbs: ['watch'] }]));
      await merge(s, `${paths.roles}/same`, { rules: [{ ...reading, resources: ['secrets'] }] });
      await merge(s, `${paths.roles}/same`, { metadata: { labels: { mine: 'true' } } });
      await as(s, 'POST', paths.roles, role('wrong', [{ apiGroups: [''], resources: [], verbs: ['get'] }]));
    },
  },
  {
    name: 'escalation: a role that has more already',
    async body(s) {
      await manager(s);
      await s.create(paths.roles, role('more', [reading]));
      await merge(s, `${paths.roles}/more`, { metadata: { finalizers: ['example.com/mine'] } });
      await merge(s, `${paths.roles}/more`, { metadata: { labels: { mine: 'true' } } });
      await merge(s, `${paths.roles}/more`, { metadata: { finalizers: null } });
    },
  },
  {
    name: 'escalation: the verb escalate',
    async body(s) {
      await manager(s, { apiGroups: [rbac], resources: ['roles'], resourceNames: ['mine'], verbs: ['escalate'] });
      await s.create(paths.roles, role('mine', []));
      await as(s, 'PUT', `${paths.roles}/mine`, role('mine', [reading]));
      await as(s, 'POST', paths.roles, role('other', [reading]));
    },
  },
  {
    name: 'escalation: bindings',
    async body(s) {
      await manager(s, { apiGroups: [rbac], resources: ['clusterroles'], resourceNames: ['view'], verbs: ['bind'] });
      await s.create(paths.roles, role('more', [reading]));
      await as(s, 'POST', bindings, binding('more', { kind: 'Role', name: 'more' }));
      await as(s, 'POST', bindings, binding('managing-too', { kind: 'Role', name: 'managing' }));
      await as(s, 'POST', bindings, binding('none', { kind: 'Role', name: 'none' }));
      await as(s, 'POST', bindings, binding('none', { kind: 'ClusterRole', name: 'none-at-all' }));
      await as(s, 'POST', bindings, binding('view', { kind: 'ClusterRole', name: 'view' }));
      await as(s, 'POST', bindings, binding('admin', { kind: 'ClusterRole', name: 'cluster-admin' }));
      await merge(s, `${bindings}/view`, { subjects: [...subjects, { apiGroup: rbac, kind: 'User', name: 'bob' }] });
    },
  },
  {
    name: 'escalation: across the cluster',
    async body(s) {
      const name = `manager-${s.namespace}`;
      const kind = 'ClusterRole';
      await s.create(clusterRoles, { ...role(name, [managing]), kind });
      await s.create(clusterBindings, { ...binding(name, { kind, name }), kind: 'ClusterRoleBinding' });
      await seen(s);
      const paths403 = [{ nonResourceURLs: ['/metrics', '/debug/*'], verbs: ['get', 'post'] }];
      await as(s, 'POST', clusterRoles, { ...role(`paths-${s.namespace}`, paths403), kind });
      const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { some: 'thing' } }] };
      await as(s, 'POST', clusterRoles, { ...role(`gathers-${s.namespace}`, []), kind, aggregationRule });
      await as(s, 'POST', clusterBindings, {
        ...binding(`admin-${s.namespace}`, { kind, name: 'cluster-admin' }),
        kind: 'ClusterRoleBinding',
      });
      await s.delete(`${clusterBindings}/${name}`);
      await s.delete(`${clusterRoles}/${name}`);
    },
  },
];
