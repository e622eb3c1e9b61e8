import type { Case, Json, Session } from '../case.ts';
import { configMap, paths } from './objects.ts';

const rbac = 'rbac.authorization.k8s.io';
const bindings = `/apis/${rbac}/v1/namespaces/:ns/rolebindings`;
const reviews = '/apis/authorization.k8s.io/v1/subjectaccessreviews';

const role = (rules: readonly Json[]): Json => ({
  apiVersion: `${rbac}/v1`,
  kind: 'Role',
  metadata: { name: 'reader' },
  rules,
});
const binding = (subject: Json, name = 'reader'): Json => ({
  apiVersion: `${rbac}/v1`,
  kind: 'RoleBinding',
  metadata: { name: 'reader' },
  roleRef: { apiGroup: rbac, kind: 'Role', name },
  subjects: [subject],
});
const alice = { apiGroup: rbac, kind: 'User', name: 'alice' };
const read = { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] };

const as = (s: Session, method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) =>
  s.send({ method, path, user: 'alice', ...(body !== undefined && { body }) });

const question = (namespace: string, attributes: Json, user = 'alice'): Json => ({
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SubjectAccessReview',
  spec: { user, resourceAttributes: { namespace, ...attributes } },
});

/** Roles and bindings: what is refused, in which words, and what reviews answer. */
export const permissionCases: readonly Case[] = [
  {
    name: 'permissions: none',
    async body(s) {
      await as(s, 'GET', paths.configMaps);
      await as(s, 'GET', `${paths.configMaps}/a`);
      await as(s, 'POST', paths.configMaps, configMap('a'));
      await as(s, 'DELETE', `${paths.statefulSets}/web`);
      await as(s, 'GET', '/api/v1/nodes');
      await as(s, 'GET', `${paths.statefulSets}/web/status`);
    },
  },
  {
    name: 'permissions: by role',
    async body(s) {
      await s.create(paths.roles, role([read]));
      await s.create(bindings, binding(alice));
      await s.create(paths.configMaps, configMap('a'));
      await new Promise((resolve) => setTimeout(resolve, s.world.name === 'real' ? 500 : 0));
      await as(s, 'GET', `${paths.configMaps}/a`);
      await as(s, 'DELETE', `${paths.configMaps}/a`);
      await as(s, 'GET', paths.secrets);
    },
  },
  {
    name: 'permissions: a missing role',
    async body(s) {
      await s.create(bindings, binding(alice, 'none'));
      await new Promise((resolve) => setTimeout(resolve, s.world.name === 'real' ? 500 : 0));
      await as(s, 'GET', paths.configMaps);
    },
  },
  {
    name: 'permissions: reviews',
    async body(s) {
      await s.create(
        paths.roles,
        role([read, { apiGroups: ['apps'], resources: ['statefulsets/status'], resourceNames: ['web'], verbs: ['*'] }]),
      );
      await s.create(bindings, binding(alice));
      await new Promise((resolve) => setTimeout(resolve, s.world.name === 'real' ? 500 : 0));
      const status = async (attributes: Json): Promise<void> => {
        await s.create(reviews, question(s.namespace, attributes));
      };
      await status({ verb: 'get', resource: 'configmaps' });
      await status({ verb: 'delete', resource: 'configmaps' });
      await status({ verb: 'patch', group: 'apps', resource: 'statefulsets', subresource: 'status', name: 'web' });
      await status({ verb: 'patch', group: 'apps', resource: 'statefulsets', subresource: 'status', name: 'other' });
      await status({ verb: 'patch', group: 'apps', resource: 'statefulsets', name: 'web' });
    },
  },
];
