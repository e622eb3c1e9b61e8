import type { Json } from '../case.ts';

/** A ConfigMap with one entry, by default. */
export const configMap = (name: string, data: Json = { key: 'value' }, metadata: Json = {}): Json => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
});

/** A StatefulSet of one container; `spec` is laid over. */
export const statefulSet = (name: string, spec: Json = {}): Json => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name },
  spec: {
    serviceName: name,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'cache:1' }] } },
    ...spec,
  },
});

/** A Deployment of one container; `spec` is laid over. */
export const deployment = (name: string, spec: Json = {}): Json => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'cache:1' }] } },
    ...spec,
  },
});

/** A Job of one container; `spec` is laid over. */
export const job = (name: string, spec: Json = {}): Json => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'task:1' }] } }, ...spec },
});

/** A pod of one container without a token; `spec` is laid over. */
export const pod = (name: string, spec: Json = {}, metadata: Json = {}): Json => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { automountServiceAccountToken: false, containers: [{ name: 'main', image: 'cache:1' }], ...spec },
});

/** A headless Service; `spec` is laid over. */
export const service = (name: string, spec: Json = {}): Json => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { clusterIP: 'None', selector: { app: name }, ports: [{ port: 80 }], ...spec },
});

/** A claim for 1 GiB; `spec` is laid over. */
export const claim = (name: string, spec: Json = {}): Json => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
});

/** A budget of which one pod must stay; `spec` is laid over. */
export const budget = (name: string, spec: Json = {}): Json => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name },
  spec: { minAvailable: 1, selector: { matchLabels: { app: name } }, ...spec },
});

/** Where the kinds of a case’s namespace are. */
export const paths = {
  configMaps: '/api/v1/namespaces/:ns/configmaps',
  pods: '/api/v1/namespaces/:ns/pods',
  services: '/api/v1/namespaces/:ns/services',
  secrets: '/api/v1/namespaces/:ns/secrets',
  claims: '/api/v1/namespaces/:ns/persistentvolumeclaims',
  statefulSets: '/apis/apps/v1/namespaces/:ns/statefulsets',
  deployments: '/apis/apps/v1/namespaces/:ns/deployments',
  jobs: '/apis/batch/v1/namespaces/:ns/jobs',
  budgets: '/apis/policy/v1/namespaces/:ns/poddisruptionbudgets',
  leases: '/apis/coordination.k8s.io/v1/namespaces/:ns/leases',
  roles: '/apis/rbac.authorization.k8s.io/v1/namespaces/:ns/roles',
} as const;
