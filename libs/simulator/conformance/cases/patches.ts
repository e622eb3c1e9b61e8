import type { Case } from '../case.ts';
import { configMap, paths, statefulSet } from './objects.ts';

const cm = `${paths.configMaps}/a`;
const web = `${paths.statefulSets}/web`;

/** Patches of each type. */
export const patchCases: readonly Case[] = [
  {
    name: 'patch of the status, each type',
    async body(s) {
      await s.create(paths.statefulSets, statefulSet('web'));
      await s.merge(`${web}/status`, { status: { replicas: 1, conditions: [{ type: 'A', status: 'True' }] } });
      await s.strategic(`${web}/status`, { status: { conditions: [{ type: 'B', status: 'False' }] } });
      await s.json(`${web}/status`, [{ op: 'replace', path: '/status/replicas', value: 4 }]);
      await s.get(`${web}/status`);
    },
  },
  {
    name: 'merge patch removes by null',
    async body(s) {
      await s.create(paths.configMaps, configMap('a', { one: '1', two: '2' }, { labels: { x: 'y' } }));
      await s.merge(cm, { data: { one: null, three: '3' }, metadata: { labels: null, annotations: { a: 'b' } } });
    },
  },
  {
    name: 'patch with a stale version',
    async body(s) {
      await s.create(paths.configMaps, configMap('a'));
      await s.merge(cm, { metadata: { resourceVersion: '1' }, data: { key: 'x' } });
    },
  },
  {
    name: 'patch with another uid',
    async body(s) {
      await s.create(paths.configMaps, configMap('a'));
      await s.merge(cm, { metadata: { uid: '11111111-2222-3333-4444-555555555555' } });
    },
  },
  {
    name: 'patch of the name',
    async body(s) {
      await s.create(paths.configMaps, configMap('a'));
      await s.merge(cm, { metadata: { name: 'b' } });
    },
  },
  {
    name: 'patch of an absent object',
    async body(s) {
      await s.merge(cm, { data: {} });
    },
  },
  {
    name: 'patch that changes nothing',
    async body(s) {
      await s.create(paths.configMaps, configMap('a'));
      await s.merge(cm, { data: { key: 'value' } });
    },
  },
  {
    name: 'json patch',
    async body(s) {
      await s.create(paths.configMaps, configMap('a', { one: '1' }));
      await s.json(cm, [
        { op: 'add', path: '/data/two', value: '2' },
        { op: 'remove', path: '/data/one' },
      ]);
      await s.json(cm, [
        { op: 'test', path: '/data/two', value: '2' },
        { op: 'replace', path: '/data/two', value: '3' },
      ]);
    },
  },
  {
    name: 'json patch whose test fails',
    async body(s) {
      await s.create(paths.configMaps, configMap('a'));
      await s.json(cm, [{ op: 'test', path: '/data/key', value: 'other' }]);
    },
  },
  {
    name: 'json patch of an absent field',
    async body(s) {
      await s.create(paths.configMaps, configMap('a'));
      await s.json(cm, [{ op: 'remove', path: '/data/none' }]);
      await s.json(cm, [{ op: 'replace', path: '/spec/x', value: 1 }]);
    },
  },
  {
    name: 'json patch that is none',
    async body(s) {
      await s.create(paths.configMaps, configMap('a'));
      await s.json(cm, { data: {} });
    },
  },
  {
    name: 'strategic patch of containers',
    async body(s) {
      await s.create(paths.statefulSets, statefulSet('web'));
      await s.strategic(web, { spec: { template: { spec: { containers: [{ name: 'side', image: 'side:1' }] } } } });
      await s.strategic(web, { spec: { template: { spec: { containers: [{ name: 'main', image: 'cache:2' }] } } } });
      await s.strategic(web, { spec: { template: { spec: { containers: [{ name: 'side', $patch: 'delete' }] } } } });
      await s.strategic(web, {
        spec: { template: { spec: { containers: [{ $patch: 'replace' }, { name: 'only', image: 'x:1' }] } } },
      });
    },
  },
  {
    name: 'strategic patch with an element order',
    async body(s) {
      await s.create(
        paths.statefulSets,
        statefulSet('web', {
          template: {
            metadata: { labels: { app: 'web' } },
            spec: {
              containers: [
                { name: 'a', image: 'a:1' },
                { name: 'b', image: 'b:1' },
              ],
            },
          },
        }),
      );
      await s.strategic(web, {
        spec: {
          template: {
            spec: {
              '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }],
              containers: [{ name: 'a', image: 'a:2' }],
            },
          },
        },
      });
    },
  },
  {
    name: 'strategic patch of finalizers',
    async body(s) {
      await s.create(paths.configMaps, configMap('a', {}, { finalizers: ['example.com/a'] }));
      await s.strategic(cm, { metadata: { finalizers: ['example.com/b'] } });
      await s.strategic(cm, {
        metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/a', 'example.com/b'] },
      });
    },
  },
  {
    name: 'strategic patch that replaces a map',
    async body(s) {
      await s.create(paths.configMaps, configMap('a', { one: '1', two: '2' }));
      await s.strategic(cm, { data: { $patch: 'replace', three: '3' } });
    },
  },
  {
    name: 'patch of an unknown content type',
    async body(s) {
      await s.create(paths.configMaps, configMap('a'));
      await s.send({ method: 'PATCH', path: cm, body: {}, contentType: 'application/json' });
    },
  },
];
