import type { Case, Json } from '../case.ts';
import { budget, claim, configMap, job, paths, pod, service, statefulSet } from './objects.ts';

const cm = `${paths.configMaps}/a`;
const web = `${paths.statefulSets}/web`;
const held = (name: string): Json => configMap(name, {}, { finalizers: ['example.com/stay'] });
const options = (fields: Json): Json => ({ kind: 'DeleteOptions', apiVersion: 'v1', ...fields });
const bound = (name: string, spec: Json = {}, metadata: Json = {}): Json =>
  pod(name, { nodeName: 'node-1', ...spec }, metadata);
const evict = (name: string, deleteOptions?: Json): Json => ({
  apiVersion: 'policy/v1',
  kind: 'Eviction',
  metadata: { name },
  ...(deleteOptions && { deleteOptions }),
});

/** Deleting: finalizers, grace, propagation, preconditions, eviction, collections. */
export const deletionCases: readonly Case[] = [
  {
    name: 'delete',
    async body(s) {
      await s.create(paths.configMaps, configMap('a'));
      await s.delete(cm);
      await s.delete(cm);
    },
  },
  {
    name: 'delete with a finalizer',
    async body(s) {
      await s.create(paths.configMaps, held('a'));
      await s.delete(cm);
      await s.delete(cm);
      await s.merge(cm, { metadata: { finalizers: ['example.com/stay', 'example.com/more'] } });
      await s.merge(cm, { data: { still: 'here' } });
      await s.merge(cm, { metadata: { finalizers: null } });
      await s.get(cm);
    },
  },
  {
    name: 'create again while it is being deleted',
    async body(s) {
      await s.create(paths.configMaps, held('a'));
      await s.delete(cm);
      await s.create(paths.configMaps, configMap('a'));
      await s.merge(cm, { metadata: { finalizers: [] } });
    },
  },
  {
    name: 'delete a StatefulSet with a finalizer',
    async body(s) {
      await s.create(paths.statefulSets, {
        ...statefulSet('web'),
        metadata: { name: 'web', finalizers: ['example.com/stay'] },
      });
      await s.delete(web);
      await s.merge(web, { spec: { replicas: 2 } });
      await s.merge(web, { metadata: { finalizers: null } });
    },
  },
  ...['Background', 'Foreground', 'Orphan', 'Sideways'].map((policy): Case => ({
    name: `delete with propagation ${policy}`,
    async body(s) {
      await s.create(paths.statefulSets, statefulSet('web'));
      await s.delete(web, options({ propagationPolicy: policy }));
      await s.get(web);
      await s.merge(web, { metadata: { finalizers: null } });
    },
  })),
  {
    name: 'delete by a query’s options',
    async body(s) {
      await s.create(paths.statefulSets, statefulSet('web'));
      await s.delete(`${web}?propagationPolicy=Foreground`);
      await s.delete(`${web}?propagationPolicy=Background`);
    },
  },
  {
    name: 'delete with orphanDependents',
    async body(s) {
      await s.create(paths.jobs, job('task'));
      await s.delete(`${paths.jobs}/task`, options({ orphanDependents: true }));
    },
  },
  {
    name: 'delete with preconditions',
    async body(s) {
      const { body } = await s.create(paths.configMaps, configMap('a'));
      const { uid, resourceVersion } = body['metadata'] as { uid: string; resourceVersion: string };
      await s.delete(cm, options({ preconditions: { uid: '11111111-2222-3333-4444-555555555555' } }));
      await s.delete(cm, options({ preconditions: { resourceVersion: '1' } }));
      await s.delete(cm, options({ preconditions: { uid, resourceVersion } }));
    },
  },
  {
    name: 'delete a pod without a node',
    async body(s) {
      await s.create(paths.pods, pod('a'));
      await s.delete(`${paths.pods}/a`);
      await s.get(`${paths.pods}/a`);
    },
  },
  {
    name: 'delete a pod on a node',
    async body(s) {
      await s.create(paths.pods, bound('a'));
      await s.delete(`${paths.pods}/a`);
      await s.delete(`${paths.pods}/a`);
      await s.delete(`${paths.pods}/a`, options({ gracePeriodSeconds: 60 }));
      await s.delete(`${paths.pods}/a`, options({ gracePeriodSeconds: 5 }));
      await s.delete(`${paths.pods}/a`, options({ gracePeriodSeconds: 0 }));
      await s.get(`${paths.pods}/a`);
    },
  },
  {
    name: 'delete a pod with a finalizer',
    async body(s) {
      const path = `${paths.pods}/a`;
      await s.create(paths.pods, bound('a', {}, { finalizers: ['example.com/stay'] }));
      await s.delete(path);
      await s.delete(path, options({ gracePeriodSeconds: 0 }));
      await s.get(path);
      await s.merge(path, { metadata: { finalizers: null } });
      await s.get(path);
    },
  },
  {
    name: 'delete a pod that has ended',
    async body(s) {
      const path = `${paths.pods}/a`;
      await s.create(paths.pods, bound('a'));
      await s.merge(`${path}/status`, { status: { phase: 'Succeeded' } });
      await s.delete(path);
      await s.get(path);
    },
  },
  {
    name: 'delete a pod with a grace period of its own',
    async body(s) {
      await s.create(paths.pods, bound('a', { terminationGracePeriodSeconds: 3 }));
      await s.delete(`${paths.pods}/a`);
    },
  },
  {
    name: 'delete a claim',
    async body(s) {
      await s.create(paths.claims, claim('data'));
      await s.delete(`${paths.claims}/data`);
      await s.merge(`${paths.claims}/data`, { metadata: { finalizers: null } });
      await s.get(`${paths.claims}/data`);
    },
  },
  {
    name: 'delete a Service',
    async body(s) {
      await s.create(paths.services, service('web'));
      await s.delete(`${paths.services}/web`);
    },
  },
  {
    name: 'delete a collection',
    async body(s) {
      await s.create(paths.configMaps, configMap('a', {}, { labels: { set: 'one' } }));
      await s.create(paths.configMaps, configMap('b', {}, { labels: { set: 'two' } }));
      await s.create(paths.configMaps, held('c'));
      await s.delete(`${paths.configMaps}?labelSelector=set%3Done`);
      await s.get(paths.configMaps);
      await s.delete(paths.configMaps);
      await s.get(paths.configMaps);
    },
  },
  {
    name: 'delete the default namespace',
    async body(s) {
      await s.delete('/api/v1/namespaces/default');
    },
  },
  {
    name: 'evict without a budget',
    async body(s) {
      await s.create(paths.pods, bound('a'));
      await s.create(`${paths.pods}/a/eviction`, evict('a'));
      await s.get(`${paths.pods}/a`);
    },
  },
  {
    name: 'evict an absent pod',
    async body(s) {
      await s.create(`${paths.pods}/a/eviction`, evict('a'));
    },
  },
  {
    name: 'evict with another name',
    async body(s) {
      await s.create(paths.pods, bound('a'));
      await s.create(`${paths.pods}/a/eviction`, evict('b'));
    },
  },
  {
    name: 'evict with a budget that is not observed yet',
    async body(s) {
      await s.create(paths.budgets, budget('web'));
      await s.create(paths.pods, bound('a', {}, { labels: { app: 'web' } }));
      await s.merge(`${paths.pods}/a/status`, {
        status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
      });
      await s.create(`${paths.pods}/a/eviction`, evict('a'));
    },
  },
  {
    name: 'evict with a budget that allows none, and one',
    async body(s) {
      await s.create(paths.budgets, budget('web'));
      await s.create(paths.pods, bound('a', {}, { labels: { app: 'web' } }));
      await s.merge(`${paths.pods}/a/status`, {
        status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
      });
      const status = {
        observedGeneration: 1,
        disruptionsAllowed: 0,
        currentHealthy: 1,
        desiredHealthy: 1,
        expectedPods: 1,
      };
      await s.merge(`${paths.budgets}/web/status`, { status });
      await s.create(`${paths.pods}/a/eviction`, evict('a'));
      await s.merge(`${paths.budgets}/web/status`, { status: { ...status, disruptionsAllowed: 1, currentHealthy: 2 } });
      await s.create(`${paths.pods}/a/eviction`, evict('a', { gracePeriodSeconds: 3 }));
      await s.get(`${paths.pods}/a`);
      await s.get(`${paths.budgets}/web`);
    },
  },
  {
    name: 'namespace termination',
    async body(s) {
      await s.delete('/api/v1/namespaces/:ns');
      await s.create(paths.configMaps, configMap('a'));
      await s.apply(cm, configMap('a'));
      await s.get('/api/v1/namespaces/:ns');
      await s.delete('/api/v1/namespaces/:ns');
    },
  },
  {
    name: 'an absent namespace',
    async body(s) {
      await s.create('/api/v1/namespaces/no-such/configmaps', configMap('a'));
      await s.get('/api/v1/namespaces/no-such/configmaps');
      await s.get('/api/v1/namespaces/no-such');
    },
  },
];
