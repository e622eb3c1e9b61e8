import type { Case, Json } from '../case.ts';
import { budget, claim, configMap, deployment, job, paths, pod, service, statefulSet } from './objects.ts';

const rbac = 'rbac.authorization.k8s.io';

/** What `kubectl get` shows of a kind: each is created, then shown as a list with all its columns. */
const shown: Readonly<Record<string, readonly [path: string, ...objects: readonly Json[]]>> = {
  ConfigMaps: [paths.configMaps, configMap('a'), configMap('b', { x: '1', y: '2' })],
  Secrets: [
    '/api/v1/namespaces/:ns/secrets',
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, stringData: { user: 'x' } },
  ],
  Pods: [paths.pods, pod('a'), pod('b', { nodeName: 'node-1' })],
  StatefulSets: [paths.statefulSets, statefulSet('web', { replicas: 3 })],
  Deployments: [paths.deployments, deployment('web', { replicas: 2 })],
  Jobs: [paths.jobs, job('task'), job('idle', { suspend: true, completions: 3 })],
  'Services without an address': [paths.services, service('web', { clusterIP: 'None' })],
  Claims: [paths.claims, claim('data')],
  Roles: [paths.roles, { apiVersion: `${rbac}/v1`, kind: 'Role', metadata: { name: 'a' }, rules: [] }],
  RoleBindings: [
    paths.roles.replace('/roles', '/rolebindings'),
    {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata: { name: 'a' },
      roleRef: { apiGroup: rbac, kind: 'Role', name: 'a' },
      subjects: [
        { apiGroup: rbac, kind: 'User', name: 'alice' },
        { apiGroup: rbac, kind: 'Group', name: 'staff' },
        { kind: 'ServiceAccount', name: 'robot', namespace: 'shop' },
      ],
    },
  ],
  Leases: [paths.leases, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'a' }, spec: {} }],
  Budgets: [paths.budgets, budget('web')],
};

/** Tables, with the columns of `-o wide`. */
export const tableCases: readonly Case[] = Object.entries(shown).map(([title, [path, ...objects]]) => ({
  name: `table: ${title}`,
  async body(s) {
    for (const object of objects)
      await s.world.send({ method: 'POST', path: path.replace(':ns', s.namespace), body: object });
    await s.table(`${path}?fieldSelector=metadata.name!=kube-root-ca.crt`);
    await s.table(`${path}/absent`);
  },
}));
