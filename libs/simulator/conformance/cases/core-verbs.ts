import type { Case, Json } from '../case.ts';
import { budget, claim, configMap, deployment, job, paths, pod, service, statefulSet } from './objects.ts';

const creations: Readonly<Record<string, readonly [string, Json]>> = {
  'a ConfigMap': [paths.configMaps, configMap('a')],
  'a ConfigMap without data': [paths.configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }],
  'a ConfigMap with empty labels': [paths.configMaps, configMap('a', {}, { labels: {}, annotations: {} })],
  'a Secret with stringData': [
    paths.secrets,
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, stringData: { user: 'x' } },
  ],
  'a StatefulSet': [paths.statefulSets, statefulSet('web')],
  'a StatefulSet with OnDelete': [paths.statefulSets, statefulSet('web', { updateStrategy: { type: 'OnDelete' } })],
  'a StatefulSet with a partition': [
    paths.statefulSets,
    statefulSet('web', { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } }, replicas: 0 }),
  ],
  'a StatefulSet with claims': [
    paths.statefulSets,
    statefulSet('web', {
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Mi' } } },
        },
      ],
    }),
  ],
  'a StatefulSet whose selector misses the template': [
    paths.statefulSets,
    statefulSet('web', { selector: { matchLabels: { app: 'other' } } }),
  ],
  'a StatefulSet without containers': [
    paths.statefulSets,
    statefulSet('web', { template: { metadata: { labels: { app: 'web' } }, spec: { containers: [] } } }),
  ],
  'a StatefulSet with negative replicas': [paths.statefulSets, statefulSet('web', { replicas: -1 })],
  'a StatefulSet with a wrong policy': [paths.statefulSets, statefulSet('web', { podManagementPolicy: 'Whenever' })],
  'a StatefulSet with replicas of the wrong type': [paths.statefulSets, statefulSet('web', { replicas: 'three' })],
  'a StatefulSet with an empty selector': [paths.statefulSets, statefulSet('web', { selector: {} })],
  'a StatefulSet with a rich pod': [
    paths.statefulSets,
    statefulSet('web', {
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          terminationGracePeriodSeconds: 5,
          serviceAccountName: 'other',
          containers: [
            {
              name: 'main',
              image: 'registry.example/cache@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
              ports: [{ containerPort: 80, name: 'http' }],
              readinessProbe: { httpGet: { port: 'http' } },
              livenessProbe: { tcpSocket: { port: 80 }, initialDelaySeconds: 3 },
              lifecycle: { preStop: { exec: { command: ['true'] } } },
              env: [
                { name: 'A', value: '' },
                { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
              ],
              resources: { requests: { cpu: '0.5', memory: '1024Mi' }, limits: { cpu: 1 } },
              volumeMounts: [{ name: 'config', mountPath: '/etc/config' }],
            },
          ],
          volumes: [{ name: 'config', configMap: { name: 'a' } }, { name: 'scratch' }],
        },
      },
    }),
  ],
  'a Deployment': [paths.deployments, deployment('web')],
  'a Deployment that recreates': [paths.deployments, deployment('web', { strategy: { type: 'Recreate' } })],
  'a Job': [paths.jobs, job('task')],
  'a Job with a wrong restart policy': [
    paths.jobs,
    job('task', { template: { spec: { restartPolicy: 'Always', containers: [{ name: 'main', image: 'task:1' }] } } }),
  ],
  'a Job with a limit': [
    paths.jobs,
    job('task', { backoffLimit: 0, activeDeadlineSeconds: 30, ttlSecondsAfterFinished: 0 }),
  ],
  'a pod': [paths.pods, pod('a')],
  'a pod with requests and limits': [
    paths.pods,
    pod('a', { containers: [{ name: 'main', image: 'cache', resources: { limits: { cpu: '1', memory: '1Gi' } } }] }),
  ],
  'a pod with a bad container name': [paths.pods, pod('a', { containers: [{ name: 'Main', image: 'cache:1' }] })],
  'a pod without image': [paths.pods, pod('a', { containers: [{ name: 'main' }] })],
  'a pod with twin containers': [
    paths.pods,
    pod('a', {
      containers: [
        { name: 'main', image: 'a:1' },
        { name: 'main', image: 'b:1' },
      ],
    }),
  ],
  'a pod that mounts an unknown volume': [
    paths.pods,
    pod('a', { containers: [{ name: 'main', image: 'a:1', volumeMounts: [{ name: 'none', mountPath: '/x' }] }] }),
  ],
  'a pod of an unknown service account': [paths.pods, pod('a', { serviceAccountName: 'absent' })],
  'a headless Service': [paths.services, service('web')],
  'a Service without ports': [paths.services, service('web', { ports: [], clusterIP: '' })],
  'a Service with unnamed ports': [paths.services, service('web', { ports: [{ port: 80 }, { port: 81 }] })],
  'an ExternalName Service': [
    paths.services,
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web' },
      spec: { type: 'ExternalName', externalName: 'example.com' },
    },
  ],
  'a claim': [paths.claims, claim('data')],
  'a claim without access modes': [paths.claims, claim('data', { accessModes: [] })],
  'a claim with an odd size': [paths.claims, claim('data', { resources: { requests: { storage: '1.5Gi' } } })],
  'a budget': [paths.budgets, budget('web')],
  'a budget with both bounds': [paths.budgets, budget('web', { maxUnavailable: 1 })],
  'a budget in percent': [paths.budgets, budget('web', { minAvailable: '50%' })],
  'a budget with a wrong percentage': [paths.budgets, budget('web', { minAvailable: 'half' })],
  'a Lease': [
    paths.leases,
    {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'a' },
      spec: { holderIdentity: 'x', leaseDurationSeconds: 15, renewTime: '2024-01-01T00:00:00.000000Z' },
    },
  ],
  'a Lease of no duration': [
    paths.leases,
    { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'a' }, spec: { leaseDurationSeconds: 0 } },
  ],
  'a Role': [
    paths.roles,
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'a' },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
    },
  ],
  'a Role without verbs': [
    paths.roles,
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'a' },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: [] }],
    },
  ],
  'an object with a bad name': [paths.configMaps, configMap('Bad_Name')],
  'an object without a name': [paths.configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} }],
  'an object with a bad label': [paths.configMaps, configMap('a', {}, { labels: { 'bad key': 'x' } })],
  'an object with a bad label value': [paths.configMaps, configMap('a', {}, { labels: { key: 'bad value' } })],
  'an object with a bad annotation': [paths.configMaps, configMap('a', {}, { annotations: { 'a/b/c': 'x' } })],
  'an object with a resourceVersion': [paths.configMaps, configMap('a', {}, { resourceVersion: '1' })],
  'an object in another namespace': [paths.configMaps, configMap('a', {}, { namespace: 'other' })],
  'an object with finalizers and owners': [
    paths.configMaps,
    configMap(
      'a',
      {},
      { finalizers: ['example.com/stay'], ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'y' }] },
    ),
  ],
  'an object with an incomplete owner': [
    paths.configMaps,
    configMap('a', {}, { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod' }] }),
  ],
  'an object with a bad finalizer': [paths.configMaps, configMap('a', {}, { finalizers: ['bad name'] })],
  'an object with two controllers': [
    paths.configMaps,
    configMap(
      'a',
      {},
      {
        ownerReferences: [
          { apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'y', controller: true },
          { apiVersion: 'v1', kind: 'Pod', name: 'z', uid: 'w', controller: true },
        ],
      },
    ),
  ],
  'an object with a deletionTimestamp': [
    paths.configMaps,
    configMap('a', {}, { deletionTimestamp: '2024-01-01T00:00:00Z' }),
  ],
  'an object of another kind': [paths.configMaps, { ...pod('a') }],
  'an object of another version': [paths.statefulSets, { ...statefulSet('a'), apiVersion: 'apps/v1beta1' }],
  'an unknown field': [paths.statefulSets, statefulSet('web', { replica: 3 })],
  'a deep unknown field': [
    paths.statefulSets,
    statefulSet('web', {
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'main', image: 'a', imagePolicy: 'x' }] },
      },
    }),
  ],
};

const createCases: readonly Case[] = Object.entries(creations).map(([title, [path, body]]) => ({
  name: `create ${title}`,
  async body(session) {
    await session.create(path, body);
  },
}));

const strictCases: readonly Case[] = ['Strict', 'Warn', 'Ignore'].map((validation) => ({
  name: `create with fieldValidation=${validation} and unknown fields`,
  async body(session) {
    const unknown = statefulSet('web', {
      replica: 3,
      template: {
        metadata: { labels: { app: 'web' }, wrong: 1 },
        spec: { containers: [{ name: 'main', image: 'a' }] },
      },
    });
    await session.create(`${paths.statefulSets}?fieldValidation=${validation}`, unknown);
    await session.create(paths.statefulSets, statefulSet('other'));
    if (validation !== 'Strict')
      await session.merge(`${paths.statefulSets}/other?fieldValidation=${validation}`, { spec: { replica: 1 } });
    await session.update(
      `${paths.statefulSets}/other?fieldValidation=${validation}`,
      statefulSet('other', { replica: 3 }),
    );
  },
}));

/** Creating objects: defaults, normal forms, refusals. */
export const coreVerbCases: readonly Case[] = [...createCases, ...strictCases];
