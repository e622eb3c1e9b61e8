import type { Case, Json } from '../case.ts';
import { configMap, paths, pod, statefulSet } from './objects.ts';

const list = paths.configMaps;

const five = async (s: Parameters<Case['body']>[0]): Promise<void> => {
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    await s.create(list, configMap(name, {}, { labels: { odd: String(name.charCodeAt(0) % 2), name } }));
};

const versionOf = (body: Json): string => String((body['metadata'] as Json)['resourceVersion']);
const tokenOf = (body: Json): string => String((body['metadata'] as Json)['continue']);

const selectors: readonly string[] = [
  'name=a',
  'name==a',
  'name!=a',
  'name in (a,b)',
  'name notin (a, b)',
  'name',
  '!name',
  '!other',
  'other notin (a)',
  'odd=1,name!=c',
  'name in (a',
  'bad key=x',
  'name=bad value',
  ',',
];

/** Lists, pages, selectors and watches. */
export const readingCases: readonly Case[] = [
  {
    name: 'get an absent object',
    async body(s) {
      await s.get(`${list}/none`);
      await s.get(`${paths.statefulSets}/none`);
    },
  },
  {
    name: 'get an unknown path',
    async body(s) {
      await s.get('/apis/none.example.com/v1/things');
      await s.get('/api/v1/namespaces/:ns/things');
    },
  },
  {
    name: 'list of none',
    async body(s) {
      await s.get(list);
      await s.get(paths.statefulSets);
    },
  },
  {
    name: 'list',
    async body(s) {
      await five(s);
      await s.get(list);
    },
  },
  {
    name: 'list in pages',
    async body(s) {
      await five(s);
      const first = await s.get(`${list}?limit=2`);
      await s.delete(`${list}/d`);
      await s.create(list, configMap('f'));
      const second = await s.get(`${list}?limit=2&continue=${tokenOf(first.body)}`);
      await s.get(`${list}?limit=2&continue=${tokenOf(second.body)}`);
    },
  },
  {
    name: 'list in pages with a selector',
    async body(s) {
      await five(s);
      const first = await s.get(`${list}?limit=1&labelSelector=odd%3D1`);
      await s.get(`${list}?limit=9&labelSelector=odd%3D1&continue=${tokenOf(first.body)}`);
    },
  },
  {
    name: 'list with a bad continue',
    async body(s) {
      await s.get(`${list}?limit=2&continue=nonsense`);
    },
  },
  {
    name: 'list at an exact version',
    async body(s) {
      await five(s);
      const { body } = await s.get(list);
      await s.delete(`${list}/a`);
      await s.get(`${list}?resourceVersion=${versionOf(body)}&resourceVersionMatch=Exact`);
      await s.get(`${list}?resourceVersion=${versionOf(body)}&resourceVersionMatch=NotOlderThan`);
    },
  },
  {
    name: 'list with options that do not go together',
    async body(s) {
      await s.get(`${list}?resourceVersionMatch=Exact`);
      await s.get(`${list}?resourceVersion=0&resourceVersionMatch=Exact`);
      await s.get(`${list}?resourceVersion=x`);
      await s.get(`${list}?resourceVersion=0&resourceVersionMatch=Sometimes`);
    },
  },
  ...selectors.map((selector): Case => ({
    name: `list by labels: ${selector}`,
    async body(s) {
      await five(s);
      await s.get(`${list}?labelSelector=${encodeURIComponent(selector)}`);
    },
  })),
  {
    name: 'list by name',
    async body(s) {
      await five(s);
      await s.get(`${list}?fieldSelector=metadata.name%3Db`);
      await s.get(`${list}?fieldSelector=metadata.name!%3Db`);
      await s.get(`${list}?fieldSelector=data.key%3Db`);
    },
  },
  {
    name: 'list pods by node and phase',
    async body(s) {
      await s.create(paths.pods, pod('a', { nodeName: 'node-1' }));
      await s.create(paths.pods, pod('b'));
      await s.get(`${paths.pods}?fieldSelector=spec.nodeName%3Dnode-1`);
      await s.get(`${paths.pods}?fieldSelector=status.phase%3DPending%2Cspec.nodeName%3D`);
      await s.get(`${paths.pods}?fieldSelector=spec.priority%3D0`);
    },
  },
  {
    name: 'watch from a version',
    async body(s) {
      const { body } = await s.get(list);
      await five(s);
      await s.merge(`${list}/a`, { data: { x: 'y' } });
      await s.delete(`${list}/a`);
      await s.get(`${list}?watch=true&timeoutSeconds=1&resourceVersion=${versionOf(body)}`);
    },
  },
  {
    name: 'watch by labels sees objects come and go',
    async body(s) {
      const { body } = await s.get(list);
      await five(s);
      await s.merge(`${list}/b`, { metadata: { labels: { odd: '1' } } });
      await s.merge(`${list}/a`, { metadata: { labels: { odd: '0' } } });
      await s.delete(`${list}/a`);
      await s.delete(`${list}/c`);
      await s.get(`${list}?watch=true&timeoutSeconds=1&labelSelector=odd%3D1&resourceVersion=${versionOf(body)}`);
    },
  },
  {
    name: 'watch with initial events',
    async body(s) {
      await five(s);
      await s.get(
        `${list}?watch=true&timeoutSeconds=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan`,
      );
    },
  },
  {
    name: 'watch from the start',
    async body(s) {
      await five(s);
      await s.get(`${list}?watch=true&timeoutSeconds=1`);
    },
  },
  {
    name: 'watch with options that do not go together',
    async body(s) {
      await s.get(`${list}?watch=true&timeoutSeconds=1&sendInitialEvents=true`);
      await s.get(`${list}?watch=true&timeoutSeconds=1&resourceVersion=x`);
      await s.get(`${list}?watch=true&timeoutSeconds=1&resourceVersionMatch=NotOlderThan`);
    },
  },
  {
    name: 'watch of a graceful and a forced deletion',
    async body(s) {
      const { body } = await s.get(paths.pods);
      await s.create(paths.pods, pod('a', { nodeName: 'node-1' }));
      await s.delete(`${paths.pods}/a`);
      await s.delete(`${paths.pods}/a`, { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0 });
      await s.create(paths.pods, pod('b'));
      await s.delete(`${paths.pods}/b`);
      await s.get(`${paths.pods}?watch=true&timeoutSeconds=1&resourceVersion=${versionOf(body)}`);
    },
  },
  {
    name: 'watch of writes that change nothing',
    async body(s) {
      const { body } = await s.get(list);
      const created = await s.create(list, configMap('a', { key: 'value' }));
      await s.update(`${list}/a`, created.body);
      await s.merge(`${list}/a`, { data: { key: 'value' } });
      await s.strategic(`${list}/a`, { data: { key: 'value' } });
      await s.json(`${list}/a`, [{ op: 'replace', path: '/data/key', value: 'value' }]);
      await s.get(`${list}?watch=true&timeoutSeconds=1&resourceVersion=${versionOf(body)}`);
    },
  },
  {
    name: 'watch of finalizers and foreground deletion',
    async body(s) {
      const { body } = await s.get(paths.statefulSets);
      await s.create(paths.statefulSets, statefulSet('web'));
      await s.delete(`${paths.statefulSets}/web?propagationPolicy=Foreground`);
      await s.delete(`${paths.statefulSets}/web`);
      await s.json(`${paths.statefulSets}/web`, [{ op: 'remove', path: '/metadata/finalizers' }]);
      await s.get(`${paths.statefulSets}?watch=true&timeoutSeconds=1&resourceVersion=${versionOf(body)}`);
    },
  },
  {
    name: 'get partial metadata',
    async body(s) {
      await s.create(list, configMap('a'));
      await s.send({
        method: 'GET',
        path: `${list}/a`,
        accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
      });
      await s.send({
        method: 'GET',
        path: list,
        accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
      });
    },
  },
];
