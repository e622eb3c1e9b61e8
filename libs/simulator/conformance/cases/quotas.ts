import type { Case, Json, Session } from '../case.ts';
import { configMap, paths, pod } from './objects.ts';

const path = '/api/v1/namespaces/:ns/resourcequotas';
const quota = (name: string, spec: Json): Json => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name },
  spec,
});

const refused: Readonly<Record<string, Json>> = {
  'a name that there is not': { hard: { things: '1' } },
  'a name of nodes only': { hard: { storage: '1Gi' } },
  'a name that is none': { hard: { 'count/': '1' } },
  'less than nothing': { hard: { pods: '-1' } },
  'half a pod': { hard: { pods: '500m' } },
  'half a thing': { hard: { 'example.com/thing': '500m' } },
  'a scope that there is not': { hard: { pods: '1' }, scopes: ['Late'] },
  'a scope of other things': { hard: { pods: '1', services: '1', 'count/pods': '1' }, scopes: ['Terminating'] },
  'scopes that exclude each other': { hard: { pods: '1' }, scopes: ['BestEffort', 'NotBestEffort'] },
  'a selector without values': {
    hard: { pods: '1' },
    scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In' }] },
  },
  'a selector with values': {
    hard: { pods: '1' },
    scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'Exists', values: ['a'] }] },
  },
  'an operator that there is not': {
    hard: { pods: '1' },
    scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'Near', values: ['a'] }] },
  },
  'a plain scope with values': {
    hard: { pods: '1' },
    scopeSelector: { matchExpressions: [{ scopeName: 'BestEffort', operator: 'In', values: ['a'] }] },
  },
  'a selector of other things': {
    hard: { services: '1' },
    scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['a'] }] },
  },
};

/** A quota with a status, as its controller would write it: where no controller runs. */
async function counting(s: Session, name: string, spec: Json, used: Json): Promise<void> {
  await s.create(path, quota(name, spec));
  await s.merge(`${path}/${name}/status`, { status: { hard: spec['hard'], used } });
}

const sized = (name: string, resources: Json, more: Json = {}): Json =>
  pod(name, { containers: [{ name: 'main', image: 'app:1', resources }], ...more });

const service = (name: string, spec: Json): Json => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { ports: [{ name: 'http', port: 80 }], ...spec },
});

const claim = (name: string, storage: string): Json => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'gold', resources: { requests: { storage } } },
});

/** Quotas as objects, and what the server refuses because of them. */
export const quotaCases: readonly Case[] = [
  ...Object.entries(refused).map(([name, spec]): Case => ({
    name: `quotas: refused with ${name}`,
    body: async (s) => void (await s.create(path, quota('a', spec))),
  })),
  {
    name: 'quotas: create, change, table; scopes stay',
    async body(s) {
      const hard = { 'limits.cpu': '0.5', cpu: '1000m', memory: '1024Mi', 'count/widgets.example.com': '3' };
      await s.create(path, { ...quota('a', { hard }), status: { hard: { pods: '1' } } });
      await s.create(path, quota('b', { hard: { pods: '3' }, scopes: ['BestEffort'] }));
      await s.merge(`${path}/a`, { spec: { hard: { pods: '5', 'requests.example.com/gpu': '2' } } });
      await s.merge(`${path}/b`, { spec: { scopes: ['NotBestEffort'] } });
      await s.merge(`${path}/a/status`, { status: { hard, used: { cpu: '250m', 'limits.cpu': '100m' } } });
      await s.table(path);
      await s.delete(`${path}/b`);
    },
  },
  {
    name: 'quotas: nothing is refused while nothing is counted; what is used has to be known',
    async body(s) {
      await s.create(path, quota('a', { hard: { configmaps: '0' } }));
      await s.create(paths.configMaps, configMap('a'));
      await s.merge(`${path}/a/status`, { status: { hard: { configmaps: '1' } } });
      await s.create(paths.configMaps, configMap('b'));
      await s.merge(`${path}/a/status`, { status: { used: { configmaps: '0' } } });
      await s.create(`${paths.configMaps}?dryRun=All`, configMap('b'));
      await s.create(paths.configMaps, configMap('b'));
      await s.get(`${path}/a`);
      await s.create(paths.configMaps, configMap('c'));
      await s.update(`${paths.configMaps}/b`, configMap('b', { key: 'value' }));
    },
  },
  {
    name: 'quotas: a name that is taken counts all the same',
    async body(s) {
      await counting(
        s,
        'a',
        { hard: { 'count/configmaps': '3', configmaps: '4' } },
        { 'count/configmaps': '0', configmaps: '1' },
      );
      await s.create(paths.configMaps, configMap('a'));
      await s.create(paths.configMaps, configMap('a'));
      await s.get(`${path}/a`);
    },
  },
  {
    name: 'quotas: what pods ask for and are limited to',
    async body(s) {
      const hard = {
        pods: '3',
        cpu: '1',
        'requests.memory': '1Gi',
        'limits.cpu': '2',
        'requests.example.com/gpu': '1',
      };
      const used = { pods: '0', cpu: '0', 'requests.memory': '0', 'limits.cpu': '0', 'requests.example.com/gpu': '0' };
      await counting(s, 'a', { hard }, used);
      await s.create(paths.pods, pod('none'));
      await s.create(paths.pods, sized('half', { requests: { cpu: '100m' } }));
      await s.create(paths.pods, sized('one', { requests: { cpu: '600m', memory: '512Mi' }, limits: { cpu: '1' } }));
      await s.create(
        paths.pods,
        sized('two', { requests: { cpu: '600m', memory: '768Mi' }, limits: { cpu: '1500m' } }),
      );
      await s.create(
        paths.pods,
        sized('gpu', {
          requests: { cpu: '100m', memory: '1Mi', 'example.com/gpu': '2' },
          limits: { cpu: '1', 'example.com/gpu': '2' },
        }),
      );
      const resources = { requests: { cpu: '300m', memory: '1Mi' }, limits: { cpu: '500m' } };
      const first = {
        name: 'first',
        image: 'app:1',
        resources: { ...resources, requests: { cpu: '350m', memory: '2Mi' } },
      };
      await s.create(paths.pods, sized('three', resources, { initContainers: [first] }));
      await s.get(`${path}/a`);
    },
  },
  {
    name: 'quotas: pods in scopes',
    async body(s) {
      const hard = { pods: '1' };
      await counting(s, 'best-effort', { hard, scopes: ['BestEffort'] }, { pods: '0' });
      await counting(s, 'bounded', { hard, scopes: ['Terminating'] }, { pods: '0' });
      const scopeSelector = {
        matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['system-node-critical'] }],
      };
      await counting(s, 'important', { hard, scopeSelector }, { pods: '0' });
      await s.create(paths.pods, pod('a'));
      await s.create(paths.pods, pod('b'));
      await s.create(paths.pods, sized('c', { requests: { cpu: '1m' } }, { activeDeadlineSeconds: 60 }));
      await s.create(paths.pods, sized('d', { requests: { cpu: '1m' } }));
      await s.merge(`${paths.pods}/d`, { spec: { activeDeadlineSeconds: 60 } });
      await s.create(
        paths.pods,
        sized('e', { requests: { cpu: '1m' } }, { priorityClassName: 'system-node-critical' }),
      );
      await s.create(
        paths.pods,
        sized('f', { requests: { cpu: '1m' } }, { priorityClassName: 'system-node-critical' }),
      );
      await s.get(path);
    },
  },
  {
    name: 'quotas: Services and claims, new and changed',
    async body(s) {
      const hard = {
        ...{ services: '2', 'services.nodeports': '1', 'services.loadbalancers': '1' },
        ...{ 'requests.storage': '3Gi', 'gold.storageclass.storage.k8s.io/requests.storage': '2Gi' },
      };
      await counting(s, 'a', { hard }, Object.fromEntries(Object.keys(hard).map((name) => [name, '0'])));
      const services = '/api/v1/namespaces/:ns/services';
      await s.create(services, service('a', { type: 'ExternalName', externalName: 'example.com' }));
      await s.create(services, service('b', { clusterIP: 'None' }));
      await s.create(services, service('c', { clusterIP: 'None' }));
      const claims = '/api/v1/namespaces/:ns/persistentvolumeclaims';
      await s.create(claims, claim('a', '1Gi'));
      await s.create(claims, claim('b', '1500Mi'));
      await s.create(claims, claim('c', '1073741824'));
      await s.get(`${path}/a`);
    },
  },
];
