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
  Endpoints: [
    '/api/v1/namespaces/:ns/endpoints',
    {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { name: 'a' },
      subsets: [
        {
          addresses: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }],
          ports: [
            { name: 'a', port: 80 },
            { name: 'b', port: 81 },
          ],
        },
      ],
    },
    { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 'b' }, subsets: [{ addresses: [{ ip: '10.0.0.1' }] }] },
    { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 'c' } },
  ],
  'Slices of endpoints': [
    '/apis/discovery.k8s.io/v1/namespaces/:ns/endpointslices',
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'a' },
      addressType: 'IPv4',
      ports: [
        { name: 'a', port: 80 },
        { name: 'b', port: 81 },
      ],
      endpoints: [1, 2, 3, 4].map((last) => ({ addresses: [`10.0.0.${last}`] })),
    },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'b' },
      addressType: 'IPv4',
      endpoints: [],
    },
  ],
  Ingresses: [
    '/apis/networking.k8s.io/v1/namespaces/:ns/ingresses',
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'a' },
      spec: { defaultBackend: { service: { name: 'a', port: { number: 80 } } } },
    },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'b' },
      spec: {
        ingressClassName: 'x',
        tls: [{ hosts: ['a.example.com'], secretName: 's' }],
        rules: [{ host: 'a.example.com' }, { host: 'b.example.com' }],
      },
    },
  ],
  'Network policies': [
    '/apis/networking.k8s.io/v1/namespaces/:ns/networkpolicies',
    { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name: 'a' }, spec: { podSelector: {} } },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: 'b' },
      spec: { podSelector: { matchLabels: { a: 'b' } } },
    },
  ],
  CronJobs: [
    '/apis/batch/v1/namespaces/:ns/cronjobs',
    {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'a' },
      spec: {
        schedule: '* * * * *',
        jobTemplate: {
          spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'task:1' }] } } },
        },
      },
    },
  ],
  PodTemplates: [
    '/api/v1/namespaces/:ns/podtemplates',
    {
      apiVersion: 'v1',
      kind: 'PodTemplate',
      metadata: { name: 'a' },
      template: { metadata: { labels: { a: 'b', c: 'd' } }, spec: { containers: [{ name: 'main', image: 'task:1' }] } },
    },
  ],
};

/** Of these the cells alone: their managed fields have a history of versions that the simulation does not know. */
const cellsOf: typeof shown = {
  DaemonSets: [
    '/apis/apps/v1/namespaces/:ns/daemonsets?includeObject=None',
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'a' },
      spec: {
        selector: { matchLabels: { app: 'a' } },
        template: {
          metadata: { labels: { app: 'a' } },
          spec: { nodeSelector: { disk: 'ssd', arch: 'x' }, containers: [{ name: 'main', image: 'task:1' }] },
        },
      },
    },
  ],
};

/** Tables, with the columns of `-o wide`. */
export const tableCases: readonly Case[] = Object.entries({ ...shown, ...cellsOf }).map(
  ([title, [path, ...objects]]) => ({
    name: `table: ${title}`,
    async body(s) {
      const [address = '', query] = path.split('?');
      for (const object of objects)
        await s.world.send({ method: 'POST', path: address.replace(':ns', s.namespace), body: object });
      await s.table(`${path}${query === undefined ? '?' : '&'}fieldSelector=metadata.name!=kube-root-ca.crt`);
      await s.table(`${address}/absent`);
    },
  }),
);
