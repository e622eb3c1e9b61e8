import type { Case, Json, Session } from '../case.ts';
import { budget, claim, configMap, deployment, job, paths, pod, service, statefulSet } from './objects.ts';

const cm = `${paths.configMaps}/a`;
const web = `${paths.statefulSets}/web`;

const template = (image: string, labels: Json = { app: 'web' }): Json => ({
  metadata: { labels },
  spec: { containers: [{ name: 'main', image }] },
});

const immutableChanges: Readonly<Record<string, Json>> = {
  'the service name': { serviceName: 'other' },
  'the selector': { selector: { matchLabels: { app: 'other' } } },
  'the pod management policy': { podManagementPolicy: 'Parallel' },
  replicas: { replicas: 3 },
  'the image': { template: template('cache:2') },
  'the strategy': { updateStrategy: { type: 'OnDelete', rollingUpdate: null } },
  minReadySeconds: { minReadySeconds: 5 },
  'the claim templates': {
    volumeClaimTemplates: [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ],
  },
};

const statefulSetChanges: readonly Case[] = Object.entries(immutableChanges).map(([title, spec]) => ({
  name: `change ${title} of a StatefulSet`,
  async body(s) {
    await s.create(paths.statefulSets, statefulSet('web'));
    await s.merge(web, { spec });
  },
}));

/** Updates and patches: versions, generations, what may change, how each patch type merges. */
export const changeCases: readonly Case[] = [
  ...statefulSetChanges,
  {
    name: 'update with the stored version',
    async body(s) {
      const { body } = await s.create(paths.configMaps, configMap('a'));
      await s.update(cm, { ...body, data: { key: 'new' } });
      await s.update(cm, { ...body, data: { key: 'newer' } });
    },
  },
  {
    name: 'update without a version',
    async body(s) {
      await s.create(paths.configMaps, configMap('a'));
      await s.update(cm, configMap('a', { key: 'new' }));
    },
  },
  {
    name: 'update a budget without a version',
    async body(s) {
      await s.create(paths.budgets, budget('web'));
      await s.update(`${paths.budgets}/web`, budget('web', { minAvailable: 2 }));
    },
  },
  {
    name: 'update an absent object',
    async body(s) {
      await s.update(cm, configMap('a'));
    },
  },
  {
    name: 'update an absent lease',
    async body(s) {
      await s.update(`${paths.leases}/a`, {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'a' },
        spec: { holderIdentity: 'x' },
      });
    },
  },
  {
    name: 'update with another name',
    async body(s) {
      await s.create(paths.configMaps, configMap('a'));
      await s.update(cm, configMap('b'));
    },
  },
  {
    name: 'update with another uid',
    async body(s) {
      await s.create(paths.configMaps, configMap('a'));
      await s.update(cm, configMap('a', {}, { uid: '11111111-2222-3333-4444-555555555555' }));
    },
  },
  {
    name: 'update that changes nothing',
    async body(s) {
      const { body } = await s.create(paths.configMaps, configMap('a'));
      await s.update(cm, body);
    },
  },
  {
    name: 'update ignores the status',
    async body(s) {
      const { body } = await s.create(paths.statefulSets, statefulSet('web'));
      await s.update(web, { ...body, status: { replicas: 7 } });
    },
  },
  {
    name: 'update of the status ignores the spec',
    async body(s) {
      const { body } = await s.create(paths.statefulSets, statefulSet('web'));
      await s.update(`${web}/status`, {
        ...body,
        spec: { ...(body['spec'] as Json), replicas: 9 },
        status: { replicas: 2, observedGeneration: 1 },
      });
      await s.get(web);
    },
  },
  {
    name: 'generation of a Deployment',
    async body(s) {
      const path = `${paths.deployments}/web`;
      await s.create(paths.deployments, deployment('web'));
      await s.merge(path, { metadata: { labels: { a: 'b' } } });
      await s.merge(path, { spec: { replicas: 2 } });
      await s.merge(`${path}/status`, { status: { replicas: 2 } });
    },
  },
  {
    name: 'change the selector of a Deployment',
    async body(s) {
      await s.create(paths.deployments, deployment('web'));
      await s.merge(`${paths.deployments}/web`, {
        spec: { selector: { matchLabels: { app: 'web', b: 'c' } }, template: template('a', { app: 'web', b: 'c' }) },
      });
    },
  },
  {
    name: 'change the template of a Job',
    async body(s) {
      await s.create(paths.jobs, job('task', { suspend: true }));
      await s.merge(`${paths.jobs}/task`, { spec: { completions: 3 } });
      await s.merge(`${paths.jobs}/task`, { spec: { parallelism: 3, activeDeadlineSeconds: 20 } });
    },
  },
  {
    name: 'change the image of a pod',
    async body(s) {
      await s.create(paths.pods, pod('a'));
      await s.merge(`${paths.pods}/a`, { spec: { containers: [{ name: 'main', image: 'cache:2' }] } });
    },
  },
  {
    name: 'change the hostname of a pod',
    async body(s) {
      await s.create(paths.pods, pod('a'));
      await s.strategic(`${paths.pods}/a`, { metadata: { labels: { a: 'b' } } });
    },
  },
  {
    name: 'add a container to a pod',
    async body(s) {
      await s.create(paths.pods, pod('a'));
      await s.strategic(`${paths.pods}/a`, { spec: { containers: [{ name: 'b', image: 'b:1' }] } });
    },
  },
  {
    name: 'change the status of a pod',
    async body(s) {
      await s.create(paths.pods, pod('a'));
      await s.strategic(`${paths.pods}/a/status`, {
        status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
      });
      await s.get(`${paths.pods}/a`);
    },
  },
  {
    name: 'bind a pod',
    async body(s) {
      await s.create(paths.pods, pod('a'));
      await s.create(`${paths.pods}/a/binding`, {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'a' },
        target: { kind: 'Node', name: 'node-1' },
      });
      await s.get(`${paths.pods}/a`);
      await s.create(`${paths.pods}/a/binding`, {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'a' },
        target: { kind: 'Node', name: 'node-2' },
      });
    },
  },
  {
    name: 'change a claim',
    async body(s) {
      await s.create(paths.claims, claim('data'));
      await s.merge(`${paths.claims}/data`, { metadata: { labels: { a: 'b' } } });
    },
  },
  ...Object.entries({
    'a claim': [paths.claims, claim('a')],
    'a Job': [paths.jobs, job('a')],
    'a Job with labels': [paths.jobs, { ...job('a'), metadata: { name: 'a', labels: { a: 'b' } } }],
    'a ConfigMap': [paths.configMaps, configMap('a')],
  } as const).map(([title, [path, object]]) => ({
    name: `the first patches of ${title}, which change nothing`,
    async body(s: Session) {
      const versions = [await s.create(path, object)];
      for (let count = 0; count < 2; count += 1) versions.push(await s.merge(`${path}/a`, {}));
      const texts = versions.map(({ body }) => String((body['metadata'] as Json)['resourceVersion']));
      s.record('what was stored', { first: texts[0] !== texts[1], second: texts[1] !== texts[2] });
    },
  })),
  {
    name: 'change the cluster IP of a Service',
    async body(s) {
      await s.create(paths.services, service('web'));
      await s.merge(`${paths.services}/web`, { spec: { clusterIP: '10.96.3.3' } });
    },
  },
  {
    name: 'change an immutable ConfigMap',
    async body(s) {
      await s.create(paths.configMaps, { ...configMap('a'), immutable: true });
      await s.merge(cm, { data: { key: 'new' } });
      await s.merge(cm, { immutable: false });
      await s.merge(cm, { metadata: { labels: { a: 'b' } } });
    },
  },
  {
    name: 'change the type of a Secret',
    async body(s) {
      await s.create(paths.secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, data: { a: 'Yg==' } });
      await s.merge(`${paths.secrets}/a`, { type: 'other' });
      await s.merge(`${paths.secrets}/a`, { stringData: { a: 'c' } });
    },
  },
  {
    name: 'dry runs store nothing',
    async body(s) {
      await s.create(`${paths.configMaps}?dryRun=All`, configMap('a'));
      await s.get(cm);
      await s.create(paths.configMaps, configMap('a'));
      await s.merge(`${cm}?dryRun=All`, { data: { key: 'x' } });
      await s.delete(`${cm}?dryRun=All`);
      await s.get(cm);
      await s.create(`${paths.configMaps}?dryRun=Some`, configMap('b'));
    },
  },
  {
    name: 'scale subresource',
    async body(s) {
      await s.create(paths.statefulSets, statefulSet('web', { replicas: 2 }));
      const { body } = await s.get(`${web}/scale`);
      await s.update(`${web}/scale`, { ...body, spec: { replicas: 4 } });
      await s.update(`${web}/scale`, { ...body, spec: { replicas: 5 } });
      await s.merge(`${web}/scale`, { spec: { replicas: 0 } });
      await s.get(web);
    },
  },
  {
    name: 'replace a role binding’s role',
    async body(s) {
      const path = '/apis/rbac.authorization.k8s.io/v1/namespaces/:ns/rolebindings';
      const binding = (role: string): Json => ({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'a' },
        roleRef: { kind: 'Role', name: role },
        subjects: [
          { kind: 'ServiceAccount', name: 'x', namespace: 'y' },
          { kind: 'User', name: 'z' },
        ],
      });
      await s.create(path, binding('one'));
      await s.update(`${path}/a`, binding('two'));
    },
  },
];
