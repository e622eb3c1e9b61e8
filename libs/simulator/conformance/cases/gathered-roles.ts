import type { Case, Json } from '../case.ts';
import { until } from './until.ts';

const rbac = 'rbac.authorization.k8s.io';
const clusterRoles = `/apis/${rbac}/v1/clusterroles`;

const role = (name: string, parts: Json, labels: Json = {}): Json => ({
  apiVersion: `${rbac}/v1`,
  kind: 'ClusterRole',
  metadata: { name, labels },
  ...parts,
});
const rulesOf = (body: Json): readonly Json[] => (body['rules'] ?? []) as readonly Json[];
const reading = { apiGroups: ['example.com'], resources: ['widgets'], verbs: ['get'] };
const writing = { ...reading, verbs: ['update'] };

/** Cluster roles that gather others: for worlds whose controllers run. */
export const gatheredRoleCases: readonly Case[] = [
  {
    name: 'permissions: admin, edit and view have their rules',
    async body(s) {
      for (const name of ['view', 'edit', 'admin']) {
        await until(s, `${clusterRoles}/${name}`, (_, body) => rulesOf(body).length > 5);
        await s.get(`${clusterRoles}/${name}`);
      }
    },
  },
  {
    name: 'permissions: a role gathers others',
    async body(s) {
      const label = { gathered: s.namespace };
      const name = `all-${s.namespace}`;
      const path = `${clusterRoles}/${name}`;
      const aggregationRule = { clusterRoleSelectors: [{ matchLabels: label }] };
      await s.create(clusterRoles, role(name, { aggregationRule, rules: [writing] }));
      await until(s, path, (_, body) => rulesOf(body).length === 0);
      await s.create(clusterRoles, role(`b-${s.namespace}`, { rules: [writing, reading] }, label));
      await until(s, path, (_, body) => rulesOf(body).length === 2);
      await s.create(clusterRoles, role(`a-${s.namespace}`, { rules: [reading] }, label));
      const first = (body: Json): unknown => (rulesOf(body)[0]?.['verbs'] as readonly string[])[0];
      await until(s, path, (_, body) => first(body) === 'get');
      await s.get(path);
      for (const own of [name, `a-${s.namespace}`, `b-${s.namespace}`]) await s.delete(`${clusterRoles}/${own}`);
    },
  },
];
