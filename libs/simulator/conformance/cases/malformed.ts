import type { Case, Session } from '../case.ts';
import { configMap, paths } from './objects.ts';

const list = paths.configMaps;
const whole = JSON.stringify(configMap('a', { key: 'value' }));

/** A text as the body of a request, whatever is in it. */
const post = (s: Session, body: string | Uint8Array, options: { type?: string; path?: string } = {}) =>
  s.send({ method: 'POST', path: options.path ?? list, body, contentType: options.type ?? 'application/json' });

const patch = (s: Session, type: string, body: string) =>
  s.send({ method: 'PATCH', path: `${list}/a?fieldManager=m`, body, contentType: `application/${type}` });

const noObjects: readonly string[] = ['[]', '"x"', '1', 'true', '-', '{}', ''];

const broken: readonly string[] = [
  '{',
  '{"a":',
  '{"a"',
  '{"a" 1}',
  '{"a":1',
  '{"a":1]',
  '{"a":1,}',
  '{a:1}',
  "{'a':1}",
  '{"a":tru}',
  '{"a":nul1}',
  '{"a":01}',
  '{"a":1.}',
  '{"a":1e}',
  '{"a":-}',
  '{"a":+1}',
  '{"a":"\t"}',
  '{"a":"\\x"}',
  '{"a":"\\u12g4"}',
  '{"a":"b',
  '[1,2',
  '[1 2]',
  ' { ',
  `${whole}x`,
  `${whole}${whole}`,
  `\ufeff${whole}`,
  'junk',
];

/** Requests whose bodies are not what they say they are. */
export const malformedCases: readonly Case[] = [
  {
    name: 'bodies that are no objects',
    async body(s) {
      for (const text of noObjects) await post(s, text);
      await post(s, 'null');
    },
  },
  {
    name: 'bodies that are no JSON',
    async body(s) {
      for (const text of broken) await post(s, text);
    },
  },
  {
    name: 'bodies that are nested too deeply',
    async body(s) {
      for (const depth of [5000, 9998, 10_001])
        await post(s, whole.replace('{', `{"x":${'['.repeat(depth)}${']'.repeat(depth)},`), {
          path: `${list}?dryRun=All`,
        });
      await post(s, '['.repeat(20_000));
      await post(s, whole.replace('{', `{"x":${'{"a":'.repeat(20_000)}`));
    },
  },
  {
    name: 'bodies and data that are too large',
    async body(s) {
      await post(s, JSON.stringify(configMap('a', { key: 'x'.repeat(3_145_728) })));
      await post(s, JSON.stringify(configMap('a', { key: 'x'.repeat(1_048_577) })));
      await post(s, JSON.stringify(configMap('b', { key: 'x'.repeat(1_048_573) })), { path: `${list}?dryRun=All` });
      await s.create(paths.secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'a' },
        stringData: { key: 'x'.repeat(1_048_577) },
      });
    },
  },
  {
    name: 'content types that are not understood',
    async body(s) {
      for (const type of [
        'application/xml',
        'text/plain',
        '///',
        '*/*',
        'text/yaml',
        'application/x-yaml',
        'application/json-patch+json',
      ])
        await post(s, whole, { type });
      for (const type of ['APPLICATION/JSON', 'application/json; charset=utf-8', ' application/json ;q=1'])
        await post(s, whole, { type, path: `${list}?dryRun=All` });
    },
  },
  {
    name: 'fields that are given twice',
    async body(s) {
      const twice = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":"1","a":"2","b":"3"}}';
      for (const validation of ['Warn', 'Ignore', 'Strict'])
        await post(s, twice, { path: `${list}?dryRun=All&fieldValidation=${validation}` });
      await post(s, twice.replace('"kind"', '"kind":"ConfigMap","kind"'), { path: `${list}?dryRun=All` });
      const spec =
        '"ports":[{"port":80,"protokoll":"TCP","port":81}],"unknown":1,"type":"ClusterIP","type":"ClusterIP","other":1';
      const service = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"a","nam":"b"},"spec":{${spec}}}`;
      for (const validation of ['Warn', 'Strict'])
        await post(s, service, { path: `/api/v1/namespaces/:ns/services?dryRun=All&fieldValidation=${validation}` });
      await s.create(list, configMap('a'));
      await patch(s, 'merge-patch+json', '{"data":{"a":"1","a":"2"}}');
      await patch(s, 'strategic-merge-patch+json', '{"data":{"b":"1","b":"2"}}');
      const applied = '{"apiVersion":"v1","kind":"ConfigMap",\n"data":{"c":"1","c":"2"}}';
      for (const validation of ['Warn', 'Ignore', 'Strict'])
        await s.send({
          method: 'PATCH',
          path: `${list}/a?fieldManager=m&fieldValidation=${validation}`,
          body: applied,
          contentType: 'application/apply-patch+yaml',
        });
      await post(s, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\ndata:\n  a: "1"\n  a: "2"\n', {
        type: 'application/yaml',
      });
    },
  },
  {
    name: 'half of a surrogate pair, and bytes that are no UTF-8',
    async body(s) {
      await post(s, whole.replace('value', '\\ud800'));
      await post(
        s,
        Buffer.concat([Buffer.from(whole.slice(0, -4)), Buffer.from([0xff]), Buffer.from(whole.slice(-4))]),
        {
          path: `${list}?dryRun=All`,
        },
      );
    },
  },
  {
    name: 'kinds and versions that can not be read',
    async body(s) {
      for (const kind of ['Constructor', 'constructor', 'Pod']) await post(s, whole.replace('ConfigMap', kind));
      for (const version of ['a/b/c', 'v2', 'apps/v1', '/v1', '']) await post(s, whole.replace('"v1"', `"${version}"`));
      await post(s, whole.replace('"v1"', '1'));
      await post(s, whole.replace('"ConfigMap"', '{}'));
    },
  },
  {
    name: 'patches that are no patches',
    async body(s) {
      await s.create(list, configMap('a', { key: 'value' }));
      for (const text of ['[]', '"a"', '1', '{', '']) await patch(s, 'merge-patch+json', text);
      for (const text of [
        '{}',
        '"a"',
        '[1]',
        '[',
        '',
        '[{"op":"boo","path":"/data/x"}]',
        '[{"op":"add"}]',
        '[{"path":"/data"}]',
      ])
        await patch(s, 'json-patch+json', text);
      for (const text of ['[]', '"a"', '{', '']) await patch(s, 'strategic-merge-patch+json', text);
      for (const text of [
        '[]',
        '"a"',
        '1',
        '',
        '{}',
        '{"apiVersion":"v1"}',
        '{"kind":"ConfigMap"}',
        '{"apiVersion":"apps/v1"}',
      ])
        await patch(s, 'apply-patch+yaml', text);
    },
  },
  {
    name: 'JSON patches of what is not there',
    async body(s) {
      await s.create(list, configMap('a', { key: 'value' }));
      for (const operation of [
        { op: 'test', path: '/data/none', value: null },
        { op: 'test', path: '/data/none', value: 'x' },
        { op: 'copy', from: '/data/none', path: '/data/copied' },
        { op: 'copy', from: '/none/at/all', path: '/data/copied' },
        { op: 'move', from: '/data/none', path: '/data/moved' },
        { op: 'remove', path: '/data/none' },
        { op: 'add', path: '/none/field', value: 'x' },
        { op: 'add', path: '/metadata/finalizers/7', value: 'a.example.com/b' },
      ])
        await s.json(`${list}/a?dryRun=All`, [operation]);
    },
  },
  {
    name: 'JSON patches that are too long, or copy too much',
    async body(s) {
      await s.create(list, configMap('a', { key: 'value' }));
      const test = { op: 'test', path: '/kind', value: 'ConfigMap' };
      await s.json(
        `${list}/a`,
        Array.from({ length: 10_001 }, () => test),
      );
      await s.json(`${list}/a`, [
        { op: 'add', path: '/x', value: ['many', 'many', 'many', 'many'] },
        ...Array.from({ length: 24 }, () => ({ op: 'copy', from: '/x', path: '/x/-' })),
      ]);
    },
  },
  {
    name: 'directives of strategic patches that are none',
    async body(s) {
      await s.create(list, configMap('a', { key: 'value' }));
      await s.strategic(`${list}/a`, { $patch: 'boo' });
      await s.strategic(`${list}/a`, { data: { $patch: 'boo', x: 'y' } });
      await s.strategic(`${list}/a`, { data: { $retainKeys: 1 } });
    },
  },
  {
    name: 'options of a deletion that can not be read',
    async body(s) {
      await s.create(list, configMap('a', { key: 'value' }));
      for (const text of [
        '{',
        '[]',
        '{"kind":"Foo"}',
        '{"apiVersion":"v1","kind":"ConfigMap"}',
        '{"propagationPolicy":"Foo"}',
      ])
        await s.send({ method: 'DELETE', path: `${list}/a`, body: text });
      await s.delete(`${list}/a?propagationPolicy=Foo`);
    },
  },
];
