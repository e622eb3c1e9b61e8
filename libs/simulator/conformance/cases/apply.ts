import type { Case, Json } from '../case.ts';
import { configMap, deployment, paths, pod, service, statefulSet } from './objects.ts';

const cm = `${paths.configMaps}/a`;
const web = `${paths.statefulSets}/web`;
const bare = (name: string, rest: Json): Json => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...rest });
const partial = (spec: Json, metadata: Json = {}): Json => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'web', ...metadata },
  spec,
});
const containers = (...list: readonly Json[]): Json => ({ template: { spec: { containers: list } } });

/** Server-side apply: ownership, conflicts, merging of lists, removal of what is no longer applied. */
export const applyCases: readonly Case[] = [
  {
    name: 'apply creates',
    async body(s) {
      await s.apply(cm, configMap('a'));
      await s.apply(web, statefulSet('web'));
    },
  },
  {
    name: 'apply twice changes nothing',
    async body(s) {
      await s.apply(cm, configMap('a'));
      await s.apply(cm, configMap('a'));
    },
  },
  {
    name: 'apply removes what is no longer applied',
    async body(s) {
      await s.apply(cm, configMap('a', { one: '1', two: '2' }));
      await s.apply(cm, configMap('a', { one: '1' }));
    },
  },
  {
    name: 'apply removes all',
    async body(s) {
      await s.apply(cm, configMap('a', { one: '1' }, { labels: { x: 'y' } }));
      await s.apply(cm, bare('a', {}));
    },
  },
  {
    name: 'apply conflicts with an applier',
    async body(s) {
      await s.apply(cm, configMap('a', { one: '1', two: '2' }));
      await s.apply(cm, configMap('a', { one: 'x', two: 'y' }), { manager: 'second' });
      await s.apply(cm, configMap('a', { one: 'x', two: '2' }), { manager: 'second' });
      await s.get(cm);
    },
  },
  {
    name: 'apply conflicts with an updater',
    async body(s) {
      await s.create(paths.configMaps, configMap('a', { one: '1' }));
      await s.apply(cm, configMap('a', { one: 'x' }));
      await s.get(cm);
    },
  },
  {
    name: 'apply conflicts with several managers',
    async body(s) {
      await s.apply(cm, configMap('a', { one: '1' }));
      await s.apply(cm, configMap('a', { two: '2' }), { manager: 'second' });
      await s.apply(cm, configMap('a', { one: 'x', two: 'y' }), { manager: 'third' });
    },
  },
  {
    name: 'apply with force takes over',
    async body(s) {
      await s.apply(cm, configMap('a', { one: '1', two: '2' }));
      await s.apply(cm, configMap('a', { one: 'x' }), { manager: 'second', force: true });
      await s.apply(cm, configMap('a', { two: '2' }));
      await s.get(cm);
    },
  },
  {
    name: 'apply shares what is equal',
    async body(s) {
      await s.apply(cm, configMap('a', { one: '1', two: '2' }));
      await s.apply(cm, configMap('a', { one: '1' }), { manager: 'second' });
      await s.apply(cm, configMap('a', { two: '2' }));
      await s.apply(cm, bare('a', {}), { manager: 'second' });
    },
  },
  {
    name: 'update takes fields from appliers',
    async body(s) {
      await s.apply(cm, configMap('a', { one: '1', two: '2' }));
      await s.merge(cm, { data: { one: 'x', three: '3' } });
      await s.apply(cm, configMap('a', { one: '1', two: '2' }));
      await s.apply(cm, configMap('a', { one: '1', two: '2' }), { force: true });
    },
  },
  {
    name: 'update removes fields from appliers',
    async body(s) {
      await s.apply(cm, configMap('a', { one: '1', two: '2' }));
      await s.merge(cm, { data: { one: null } });
      await s.merge(cm, { data: null });
      await s.apply(cm, configMap('a', { one: '1', two: '2' }));
    },
  },
  {
    name: 'apply without a field manager',
    async body(s) {
      await s.send({ method: 'PATCH', path: cm, body: configMap('a'), contentType: 'application/apply-patch+yaml' });
    },
  },
  {
    name: 'apply with managedFields',
    async body(s) {
      await s.apply(cm, configMap('a', {}, { managedFields: [{ manager: 'x' }] }));
    },
  },
  {
    name: 'apply with another name',
    async body(s) {
      await s.apply(cm, configMap('b'));
    },
  },
  {
    name: 'apply with a wrong resourceVersion',
    async body(s) {
      await s.apply(cm, configMap('a'));
      await s.apply(cm, configMap('a', { key: 'new' }, { resourceVersion: '1' }));
    },
  },
  {
    name: 'apply of what has gone, by its uid',
    async body(s) {
      const uid = '0b5e1c5e-6a52-4c5f-9d5e-3f1d0a4c8f11';
      await s.apply(cm, configMap('a', {}, { uid }));
      await s.apply(cm, configMap('a', {}, { uid, resourceVersion: '1' }));
      await s.apply(web, partial({}, { uid, resourceVersion: '1' }));
      await s.apply(cm, configMap('a', {}, { resourceVersion: '1' }));
      await s.apply(cm, configMap('a', {}, { uid }));
      await s.apply(cm, configMap('a', { key: 'new' }, { uid }), { manager: 'second' });
    },
  },
  {
    name: 'apply with an unknown field',
    async body(s) {
      await s.apply(web, statefulSet('web', { replica: 3 }));
    },
  },
  {
    name: 'apply with a value of the wrong type',
    async body(s) {
      await s.apply(web, statefulSet('web', { replicas: 'three' }));
    },
  },
  {
    name: 'apply of a status through the main endpoint',
    async body(s) {
      await s.apply(web, { ...statefulSet('web'), status: { replicas: 3 } });
    },
  },
  {
    name: 'apply of a status',
    async body(s) {
      await s.apply(web, statefulSet('web'));
      await s.apply(
        `${web}/status`,
        { ...partial({}), spec: undefined, status: { replicas: 1, readyReplicas: 1 } },
        { manager: 'kubelet' },
      );
      await s.get(web);
    },
  },
  {
    name: 'apply of a status conflicts',
    async body(s) {
      await s.apply(web, statefulSet('web'));
      await s.merge(`${web}/status`, { status: { replicas: 3, readyReplicas: 2 } });
      await s.apply(
        `${web}/status`,
        { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'web' }, status: { replicas: 1 } },
        { manager: 'kubelet' },
      );
    },
  },
  {
    name: 'apply of containers by name',
    async body(s) {
      await s.apply(web, statefulSet('web'));
      await s.apply(web, partial(containers({ name: 'side', image: 'side:1' })), { manager: 'second' });
      await s.apply(web, partial(containers({ name: 'main', image: 'cache:2' })), { manager: 'second' });
      await s.apply(web, partial(containers({ name: 'side', image: 'side:2', env: [{ name: 'A', value: '1' }] })), {
        manager: 'second',
      });
      await s.apply(web, partial({}), { manager: 'second' });
    },
  },
  {
    name: 'apply of ports by number and protocol',
    async body(s) {
      const path = `${paths.services}/web`;
      await s.apply(
        path,
        service('web', {
          ports: [
            { port: 80, name: 'http' },
            { port: 53, name: 'dns', protocol: 'UDP' },
          ],
        }),
      );
      await s.apply(path, service('web', { ports: [{ port: 443, name: 'https' }] }), { manager: 'second' });
      await s.apply(path, service('web', { ports: [{ port: 80, name: 'web' }] }), { manager: 'second' });
    },
  },
  {
    name: 'apply with twin list entries',
    async body(s) {
      await s.apply(
        web,
        statefulSet('web', containers({ name: 'main', image: 'a:1' }, { name: 'main', image: 'b:1' })),
      );
    },
  },
  {
    name: 'apply keeps the order of lists',
    async body(s) {
      const env = (...names: readonly string[]): Json =>
        containers({ name: 'main', image: 'cache:1', env: names.map((name) => ({ name, value: name })) });
      await s.apply(
        web,
        statefulSet('web', {
          template: { metadata: { labels: { app: 'web' } }, ...(env('A', 'B', 'C')['template'] as Json) },
        }),
      );
      await s.apply(web, partial(env('D', 'B', 'A')), { manager: 'second' });
      await s.apply(web, partial(env('C', 'E')), { manager: 'third' });
    },
  },
  {
    name: 'apply of replicas that another manager scales',
    async body(s) {
      await s.apply(web, statefulSet('web', { replicas: 3 }));
      await s.merge(`${web}/scale`, { spec: { replicas: 5 } });
      await s.apply(web, statefulSet('web', { replicas: 3 }));
      await s.apply(web, statefulSet('web'));
      await s.get(`${web}/scale`);
    },
  },
  {
    name: 'apply after client-side writes',
    async body(s) {
      await s.create(paths.deployments, deployment('web'));
      const path = `${paths.deployments}/web`;
      await s.apply(path, deployment('web'));
      await s.apply(path, deployment('web', { paused: true }));
      await s.apply(path, deployment('web'));
    },
  },
  {
    name: 'apply of finalizers as a set',
    async body(s) {
      const withFinalizers = (...finalizers: readonly string[]): Json =>
        bare('a', { metadata: { name: 'a', finalizers } });
      await s.apply(cm, withFinalizers('example.com/a', 'example.com/b'));
      await s.apply(cm, withFinalizers('example.com/c'), { manager: 'second' });
      await s.apply(cm, withFinalizers('example.com/a'));
      await s.apply(cm, bare('a', {}), { manager: 'second' });
      await s.merge(cm, { metadata: { finalizers: null } });
    },
  },
  {
    name: 'apply of owner references by uid',
    async body(s) {
      const owner = (uid: string): Json => ({ apiVersion: 'v1', kind: 'Pod', name: uid, uid });
      const owned = (...uids: readonly string[]): Json =>
        bare('a', { metadata: { name: 'a', ownerReferences: uids.map(owner) } });
      await s.apply(cm, owned('one'));
      await s.apply(cm, owned('two'), { manager: 'second' });
      await s.apply(cm, owned(), { manager: 'second' });
    },
  },
  {
    name: 'apply of tolerations, which are atomic',
    async body(s) {
      const path = `${paths.pods}/a`;
      await s.apply(path, pod('a', { tolerations: [{ key: 'x', operator: 'Exists' }] }));
    },
  },
  {
    name: 'apply of a selector, which is atomic',
    async body(s) {
      const path = `${paths.services}/web`;
      await s.apply(path, service('web', { selector: { a: '1', b: '2' } }));
      await s.apply(
        path,
        { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { selector: { c: '3' } } },
        { manager: 'second' },
      );
      await s.apply(
        path,
        { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { selector: { c: '3' } } },
        { manager: 'second', force: true },
      );
    },
  },
  {
    name: 'apply dry run',
    async body(s) {
      await s.apply(`${cm}?dryRun=All`, configMap('a'));
      await s.get(cm);
      await s.apply(cm, configMap('a'));
      await s.apply(`${cm}?dryRun=All`, configMap('a', { other: 'x' }));
      await s.get(cm);
    },
  },
  {
    name: 'resetting managed fields',
    async body(s) {
      await s.apply(cm, configMap('a'));
      await s.json(cm, [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }]);
      await s.merge(cm, { data: { other: 'x' } });
      await s.apply(cm, configMap('a', { key: 'value' }), { manager: 'second' });
    },
  },
  {
    name: 'managers of many names',
    async body(s) {
      await s.apply(cm, configMap('a', { key: '0' }));
      for (let index = 0; index < 13; index += 1)
        await s.send({
          method: 'PATCH',
          path: `${cm}?fieldManager=m${index}`,
          body: { data: { [`k${index}`]: 'x' } },
          contentType: 'application/merge-patch+json',
        });
      await s.get(cm);
    },
  },
  {
    name: 'apply of quantities in another form',
    async body(s) {
      await s.apply(
        web,
        statefulSet('web', {
          template: {
            metadata: { labels: { app: 'web' } },
            spec: {
              containers: [{ name: 'main', image: 'a:1', resources: { requests: { cpu: '0.5', memory: '1024Mi' } } }],
            },
          },
        }),
      );
      await s.apply(web, partial(containers({ name: 'main', resources: { requests: { cpu: '500m' } } })), {
        manager: 'second',
      });
      await s.apply(web, partial(containers({ name: 'main', resources: { requests: { cpu: 0.5 } } })), {
        manager: 'second',
      });
    },
  },
  {
    name: 'apply of volume claim templates',
    async body(s) {
      const claims = {
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      };
      await s.apply(web, statefulSet('web', claims));
      await s.apply(web, statefulSet('web', claims));
      await s.apply(web, statefulSet('web', { ...claims, replicas: 0 }));
    },
  },
];
