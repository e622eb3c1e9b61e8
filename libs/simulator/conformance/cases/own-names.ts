import type { Case } from '../case.ts';
import { configMap, paths } from './objects.ts';

const list = paths.configMaps;
const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];

/** An object as JSON has it: `__proto__` is a key like others. */
const data = (value: string): unknown =>
  JSON.parse(`{${names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`);

const named = (value: string) => ({ ...configMap('a'), data: data(value) });

/** Keys that every object of JavaScript has by itself, and no object of Kubernetes. */
export const ownNameCases: readonly Case[] = [
  {
    name: 'keys such as __proto__ and constructor: created, changed, removed',
    async body(s) {
      await s.create(list, named('1'));
      await s.get(`${list}/a`);
      await s.update(`${list}/a`, named('2'));
      await s.merge(`${list}/a`, { data: data('3') });
      await s.strategic(`${list}/a`, { data: data('4') });
      await s.strategic(`${list}/a`, { data: { constructor: null } });
      await s.send({
        method: 'PATCH',
        path: `${list}/a`,
        body: '{"data":{"__proto__":null}}',
        contentType: 'application/merge-patch+json',
      });
      await s.update(`${list}/a`, configMap('a', {}));
    },
  },
  {
    name: 'keys such as __proto__ and constructor that come later',
    async body(s) {
      await s.create(list, configMap('a', { key: 'value' }));
      await s.update(`${list}/a`, named('1'));
      await s.create(list, configMap('b', { key: 'value' }));
      await s.merge(`${list}/b`, { data: data('2') });
      await s.create(list, configMap('c', { key: 'value' }));
      await s.strategic(`${list}/c`, { data: data('3') });
      await s.get(list);
    },
  },
  {
    name: 'keys such as __proto__ and constructor, applied',
    async body(s) {
      await s.apply(`${list}/a`, named('1'), { manager: 'first' });
      await s.apply(`${list}/a`, named('2'), { manager: 'second' });
      await s.apply(`${list}/a`, named('2'), { manager: 'second', force: true });
      await s.apply(`${list}/a`, configMap('a', { key: 'value' }), { manager: 'second' });
      await s.apply(`${list}/a`, configMap('a', { key: 'value' }), { manager: 'first' });
      await s.get(`${list}/a`);
    },
  },
  {
    name: 'labels and annotations such as constructor',
    async body(s) {
      const labels = { constructor: 'a', toString: 'b', hasOwnProperty: 'c' };
      await s.create(list, configMap('a', {}, { labels, annotations: labels }));
      await s.create(list, configMap('b', {}));
      await s.create(list, configMap('c', {}, { labels: JSON.parse('{"__proto__":"a"}') as Record<string, string> }));
      for (const text of ['constructor', 'toString=b', '!constructor', 'hasOwnProperty in (c)', 'valueOf'])
        await s.get(`${list}?labelSelector=${encodeURIComponent(text)}`);
    },
  },
  {
    name: 'fields such as __proto__ and constructor',
    async body(s) {
      const text = (where: string): string =>
        `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"${where}},"__proto__":{"data":{"a":"b"}},"constructor":{"prototype":{"x":"y"}}}`;
      for (const validation of ['Warn', 'Strict', 'Ignore'])
        await s.send({ method: 'POST', path: `${list}?dryRun=All&fieldValidation=${validation}`, body: text('') });
      await s.send({ method: 'POST', path: `${list}?dryRun=All`, body: text(',"__proto__":{"labels":{"a":"b"}}') });
      await s.create(list, configMap('b'));
      for (const type of ['merge-patch+json', 'strategic-merge-patch+json'])
        await s.send({
          method: 'PATCH',
          path: `${list}/b`,
          body: '{"__proto__":{"x":"y"},"constructor":{"prototype":{"x":"y"}}}',
          contentType: `application/${type}`,
        });
    },
  },
  {
    name: 'addresses such as __proto__ and constructor',
    async body(s) {
      for (const name of ['__proto__', 'constructor', 'toString']) {
        await s.get(`${list}/${name}`);
        await s.get(`/api/v1/namespaces/:ns/${name}`);
        await s.get(`${paths.pods}/a/${name}`);
        await s.get(`/apis/${name}/v1/things`);
        await s.get(`/api/v1/namespaces/${name}/configmaps`);
        await s.create(`/api/v1/namespaces/${name}/configmaps`, configMap('a'));
      }
    },
  },
];
