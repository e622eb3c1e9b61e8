import type { Case, Json } from '../case.ts';
import { configMap, paths, statefulSet } from './objects.ts';

const namespace = '/api/v1/namespaces/:ns';
const held = (name: string, ...finalizers: readonly string[]): Json => configMap(name, {}, { finalizers });

/** What ends in several steps, and what the server says of itself. */
export const lifetimeCases: readonly Case[] = [
  {
    name: 'a namespace that is being deleted lets its content change and go',
    async body(s) {
      await s.create(paths.configMaps, held('a', 'example.com/hold'));
      await s.create(paths.configMaps, configMap('b'));
      await s.delete(namespace);
      await s.merge(`${paths.configMaps}/b`, { data: { key: 'changed' } });
      await s.delete(`${paths.configMaps}/a`);
      await s.create(paths.statefulSets, statefulSet('web'));
      await s.merge(`${paths.configMaps}/a`, { metadata: { finalizers: null } });
      await s.get(`${paths.configMaps}/a`);
      await s.get(namespace);
    },
  },
  {
    name: 'finalize lets a namespace go that is empty',
    async body(s) {
      const { body } = await s.delete(namespace);
      const finalize = { ...body, spec: { finalizers: [] } };
      await s.update(`${namespace}/finalize`, finalize);
      await s.get(namespace);
    },
  },
  {
    name: 'finalize leaves a namespace that has a finalizer of its own',
    async body(s) {
      await s.merge(namespace, { metadata: { finalizers: ['example.com/hold'] } });
      const { body } = await s.delete(namespace);
      await s.update(`${namespace}/finalize`, { ...body, spec: { finalizers: [] } });
      await s.get(namespace);
      await s.merge(namespace, { metadata: { finalizers: null } });
      await s.get(namespace);
    },
  },
  {
    name: 'finalizers go one after the other',
    async body(s) {
      await s.create(paths.configMaps, held('a', 'example.com/first', 'example.com/second'));
      await s.delete(`${paths.configMaps}/a`, { propagationPolicy: 'Foreground' });
      await s.merge(`${paths.configMaps}/a`, { metadata: { finalizers: ['example.com/second', 'example.com/third'] } });
      await s.merge(`${paths.configMaps}/a`, { metadata: { finalizers: ['foregroundDeletion'] } });
      await s.delete(`${paths.configMaps}/a`, { propagationPolicy: 'Orphan' });
      await s.merge(`${paths.configMaps}/a`, { metadata: { finalizers: [] } });
      await s.get(`${paths.configMaps}/a`);
    },
  },
  {
    name: 'the versions and groups that are served',
    async body(s) {
      await s.get('/apis/policy');
      await s.get('/apis/coordination.k8s.io');
      await s.get('/apis/no-such.example.com');
      await s.get('/apis/apps/v2');
    },
  },
];
