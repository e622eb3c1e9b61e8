import type { Case, Json } from '../case.ts';
import { configMap, paths, service, statefulSet } from './objects.ts';

const list = paths.configMaps;
const encoded = (text: string): string => Buffer.from(text).toString('base64url');

/** Addresses, options and selectors that a careless client may send. */
export const addressCases: readonly Case[] = [
  {
    name: 'addresses: a Service becomes a name, and has an address again',
    async body(s) {
      const services = '/api/v1/namespaces/:ns/services';
      const spec = { clusterIP: 'None', ports: [{ port: 80 }] };
      await s.create(services, { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec });
      await s.merge(`${services}/a`, { spec: { type: 'ExternalName', externalName: 'example.com' } });
      await s.merge(`${services}/a`, { spec: { type: 'ClusterIP', externalName: null, clusterIP: 'None' } });
      const named = { type: 'ExternalName', externalName: 'example.com' };
      await s.create(services, { apiVersion: 'v1', kind: 'Service', metadata: { name: 'b' }, spec: named });
      await s.merge(`${services}/b`, {
        spec: { type: 'ClusterIP', externalName: null, clusterIP: 'None', ports: [{ port: 80 }] },
      });
    },
  },
  {
    name: 'addresses: the ports of a Service on nodes, and a Service that changes its type',
    async body(s) {
      const path = `${paths.services}/a`;
      const ports = (nodePort?: number): readonly Json[] => [
        { name: 'dns', port: 53, protocol: 'UDP', ...(nodePort === undefined ? {} : { nodePort }) },
        { name: 'dns-tcp', port: 53, ...(nodePort === undefined ? {} : { nodePort }) },
      ];
      const made = (spec: Json, name = 'a'): Promise<unknown> =>
        s.create(paths.services, service(name, { clusterIP: '', type: 'NodePort', ...spec }));
      await made({ clusterIP: '10.96.12.77', ports: [ports(31_853)[0] ?? {}, ports()[1] ?? {}] });
      await made({ ports: ports(31_853) }, 'b');
      await made({ ports: ports(80) }, 'b');
      await made({ ports: ports(31_854), type: 'ClusterIP' }, 'b');
      await s.merge(path, { spec: { ports: ports() } }); // Both keep what they had, by their names.
      await s.merge(path, { spec: { type: 'ClusterIP' } });
      await s.merge(path, { spec: { type: 'NodePort', ports: ports(31_853) } }, { dryRun: 'All' });
      await s.merge(path, { spec: { type: 'NodePort', ports: [{ ...ports(31_855)[0] }] } });
      await s.merge(path, { spec: { type: 'ExternalName', externalName: 'example.com' } });
      await s.merge(path, { spec: { type: 'ClusterIP', externalName: null, clusterIP: 'None' } });
      await s.merge(path, { spec: { ports: [{ ...ports(31_856)[0] }] } });
    },
  },
  {
    name: 'methods that an address does not know',
    async body(s) {
      await s.create(list, configMap('a'));
      await s.create(`${list}/a`, configMap('a'));
      await s.update(list, configMap('a'));
      await s.merge(list, {});
      await s.send({ method: 'PUT', path: '/api/v1/configmaps', body: configMap('a') });
      await s.send({ method: 'POST', path: '/api/v1/configmaps', body: configMap('a') });
      await s.send({ method: 'DELETE', path: '/api/v1/configmaps' });
      await s.get('/api/v1/configmaps/a');
      await s.send({ method: 'DELETE', path: '/api/v1/configmaps/a' });
      await s.get('/api/v1/namespaces/:ns/nodes');
      await s.get('/api/v1/namespaces/:ns/nodes/a');
      await s.create('/api/v1/namespaces/:ns/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' } });
    },
  },
  {
    name: 'names in addresses that no object can have',
    async body(s) {
      await s.get(`${list}/a%2Fb`);
      await s.get(`${list}/a%20b`);
      await s.get(`${list}/%zz`);
      await s.get('/api/v1/namespaces//configmaps?labelSelector=none%3Dthere');
    },
  },
  {
    name: 'names, labels and finalizers that are too long',
    async body(s) {
      const long = 'a'.repeat(64);
      const longer = 'a'.repeat(254);
      await s.create(list, configMap(longer));
      await s.create(paths.services, {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: long },
        spec: { ports: [{ port: 80 }] },
      });
      await s.create(paths.statefulSets, { ...statefulSet('a'), metadata: { name: long } });
      for (const serviceName of [long, 'A_b', 'a.b', '1a'])
        await s.create(`${paths.statefulSets}?dryRun=All`, statefulSet('b', { serviceName }));
      await s.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: long } });
      for (const labels of [{ [long]: 'a' }, { b: long }, { [`${longer}/c`]: 'd' }]) {
        await s.create(list, configMap('a', {}, { labels }));
        await s.create(list, configMap('a', {}, { annotations: labels, name: 'b' }));
      }
      await s.create(list, configMap('a', {}, { finalizers: [`${longer}/c`, `a/${long}`] }));
      await s.create(list, configMap('a', {}, { annotations: { a: 'x'.repeat(262_144) } }));
      await s.create(list, configMap('a', { ['k'.repeat(254)]: 'v' }));
      const owner = { apiVersion: 'a/b/c', kind: 'X', name: 'x', uid: 'u' };
      await s.create(list, configMap('a', {}, { ownerReferences: [owner, { ...owner, apiVersion: '' }] }));
      await s.create(
        list,
        configMap('a', {}, { ownerReferences: [{ ...owner, apiVersion: 'v1', kind: '', name: '', uid: '' }] }),
      );
    },
  },
  {
    name: 'options of writes that are none',
    async body(s) {
      for (const query of [
        'fieldValidation=Foo',
        'dryRun=Foo',
        `fieldManager=${'x'.repeat(129)}`,
        'fieldManager=%01',
        'fieldManager=%C3%A4',
        'fieldValidation=Foo&dryRun=Foo&fieldManager=%01',
      ]) {
        await s.create(`${list}?${query}`, configMap('a'));
        await s.update(`${list}/a?${query}`, configMap('a'));
        await s.merge(`${list}/a?${query}`, {});
      }
      await s.merge(`${list}/a?force=true`, {});
      await s.delete(`${list}/a?gracePeriodSeconds=abc`);
    },
  },
  {
    name: 'limits, continuations and versions that are none',
    async body(s) {
      await s.create(list, configMap('a'));
      for (const query of [
        'limit=abc',
        'limit=-1',
        'limit=99999999999999999999',
        'limit=1.5',
        `limit=1&continue=${encoded('null')}`,
        `limit=1&continue=${encoded('{}')}`,
        `limit=1&continue=${encoded('[]')}`,
        `limit=1&continue=${encoded('{"v":"meta.k8s.io/v1","rv":0,"start":"a"}')}`,
        `limit=1&continue=${encoded('{"v":"meta.k8s.io/v1","rv":1,"start":""}')}`,
        `limit=1&continue=${encoded('{"v":"meta.k8s.io/v1","rv":1,"start":"../../x"}')}`,
        `limit=1&continue=${encoded('{"v":"v2","rv":1,"start":"a"}')}`,
        'resourceVersion=-1',
        'resourceVersion=1.5',
      ])
        await s.get(`${list}?${query}`);
    },
  },
  {
    name: 'versions that are still to come',
    async body(s) {
      await s.create(list, configMap('a'));
      const masked = (body: { readonly message?: unknown }): string =>
        String(body.message).replace(/current: \d+/, 'current: <masked>');
      for (const path of [`${list}?resourceVersion=999999999999`, `${list}/a?resourceVersion=999999999999`]) {
        const reply = await s.world.send({ method: 'GET', path: path.replace(':ns', s.namespace) });
        // The current version stands in the message, and nowhere that the mask looks.
        const body = reply.body as { readonly message?: unknown };
        s.record(path, { ...body, message: masked(body), status: reply.status });
      }
    },
  },
  {
    name: 'selectors by fields that there are not',
    async body(s) {
      for (const field of ['constructor', '__proto__', 'toString', 'spec.none', 'a b'])
        for (const path of [list, paths.pods, paths.statefulSets])
          await s.get(`${path}?fieldSelector=${encodeURIComponent(`${field}=x`)}`);
      for (const text of ['===', 'metadata.name', '=', 'metadata.name=a\\', ',,'])
        await s.get(`${list}?fieldSelector=${encodeURIComponent(text)}`);
    },
  },
  {
    name: 'selectors by labels that no object can have',
    async body(s) {
      await s.create(list, configMap('a'));
      for (const text of [
        'constructor',
        'toString=x',
        '__proto__',
        '!hasOwnProperty',
        `${'a'.repeat(64)}`,
        'a/b/c',
        '%zz',
        'a===',
      ])
        await s.get(`${list}?labelSelector=${encodeURIComponent(text)}`);
    },
  },
  {
    name: 'replies that no server can write',
    async body(s) {
      for (const accept of [
        'application/xml',
        'text/html, application/xml;q=0.9',
        ';;;,,//',
        'application/json;as=Table;g=meta.k8s.io;v=v2',
        'application/json;as=Foo;g=meta.k8s.io;v=v1',
      ])
        await s.send({ method: 'GET', path: list, accept });
      for (const accept of [
        'application/json;as=Foo;g=meta.k8s.io;v=v1,application/json',
        'text/html,*/*;q=0.1',
        'application/*',
        '*/*',
      ])
        await s.send({ method: 'GET', path: list, accept });
    },
  },
];
