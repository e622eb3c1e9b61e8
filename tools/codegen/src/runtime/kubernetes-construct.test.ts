import { App, ApiObject, Chart, JsonPatch, Lazy, Testing } from 'cdk8s';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { KubernetesConstruct } from './kubernetes-construct.ts';
import type { KubernetesConstructOptions } from './kubernetes-construct.ts';

const thing = (content: object, metadata: object = { name: 'x' }) => ({
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata,
  ...content,
});

const construct = (
  content: object,
  options: Partial<KubernetesConstructOptions> & { readonly metadata?: object } = {},
) => {
  const app = new App();
  const chart = new Chart(app, 'chart');
  const { metadata, ...rest } = options;
  return {
    app,
    chart,
    object: new KubernetesConstruct(chart, 'thing', { manifest: thing(content, metadata), ...rest }),
  };
};

describe('what goes in comes out', () => {
  test.each<readonly [string, object]>([
    ['null', { spec: { a: null, b: [null, { c: null }] } }],
    ['empty lists and objects', { spec: { a: [], b: {}, c: '' } }],
    ['keys that only differ in case', { spec: { mirrorPercent: 1, mirror_percent: 2 } }],
    ['keys that are no identifiers', { spec: { $ref: 1, 'a/b': 2, '': 3, '1st': 4 } }],
    [
      'keys of JavaScript',
      JSON.parse('{"spec":{"__proto__":{"a":1},"constructor":"x","toString":"y","value":1,"resolve":"z"}}') as object,
    ],
    ['strings and numbers as they are', { spec: { port: '80', percent: 50, big: 2 ** 53, zero: 0, no: false } }],
    ['fields beside spec', { data: { a: 'b' }, status: { phase: 'Ready' } }],
  ])('%s', (_, content) => {
    const rendered = construct(content).object.toJson();
    expect(JSON.parse(JSON.stringify(rendered))).toEqual(JSON.parse(JSON.stringify(thing(content))));
  });

  test('empty metadata, and generateName without a name', () => {
    expect(construct({}, { metadata: { name: 'x', labels: {}, finalizers: [] } }).object.toJson()['metadata']).toEqual({
      name: 'x',
      labels: {},
      finalizers: [],
    });
    expect(construct({}, { metadata: { generateName: 'x-' } }).object.toJson()['metadata']).toEqual({
      generateName: 'x-',
    });
  });

  test('through the YAML of a chart', () => {
    const { app } = construct({ spec: { a: null, on: 'on', n: '1e3' } });
    expect(parse(app.synthYaml(), { version: '1.1' })).toEqual(thing({ spec: { a: null, on: 'on', n: '1e3' } }));
  });
});

describe('cdk8s works on it', () => {
  test('JSON patches, metadata and instanceof', () => {
    const { object } = construct({ spec: { replicas: 1 } });
    object.addJsonPatch(JsonPatch.replace('/spec/replicas', 5), JsonPatch.add('/spec/extra', null));
    object.metadata.addLabel('a', 'b');
    expect(object.toJson()).toMatchObject({ metadata: { labels: { a: 'b' } }, spec: { replicas: 5, extra: null } });
    expect(object).toBeInstanceOf(ApiObject);
  });

  test('tokens and the number-or-string classes of cdk8s import', () => {
    class Quantity {
      readonly value: string;
      constructor(value: string) {
        this.value = value;
      }
    }
    const { object } = construct({
      spec: { late: Lazy.any({ produce: () => [1, null] }) as unknown, size: new Quantity('1Gi') },
    });
    expect(object.toJson()['spec']).toEqual({ late: [1, null], size: '1Gi' });
  });

  test('names and namespaces come from the chart, save for kinds without namespaces', () => {
    const app = new App();
    const chart = new Chart(app, 'chart', { namespace: 'shop', labels: { team: 'a' } });
    new KubernetesConstruct(chart, 'a', { manifest: thing({}, {}) });
    new KubernetesConstruct(chart, 'b', { manifest: thing({}, {}), clusterScoped: true });
    const [first, second] = Testing.synth(chart) as { metadata: object }[];
    expect(first?.metadata).toMatchObject({
      namespace: 'shop',
      labels: { team: 'a' },
      name: expect.stringContaining('chart-a') as string,
    });
    expect(second?.metadata).not.toHaveProperty('namespace');
  });

  test('a value that JSON can not say is refused with its path', () => {
    const { object } = construct({ spec: { list: [new Map()] } });
    expect(() => object.toJson()).toThrow(/chart\/thing: spec\.list\.0: an instance of Map can not be written/);
  });
});

describe('validation at synth', () => {
  const validator = {
    problems: (manifest: unknown) => [`spec.replicas: seen ${JSON.stringify((manifest as { spec?: unknown }).spec)}`],
  };

  test('sees the manifest with patches applied, and names the construct', () => {
    const { app, object } = construct({ spec: { replicas: 1 } }, { validator });
    object.addJsonPatch(JsonPatch.replace('/spec/replicas', 0));
    expect(() => app.synthYaml()).toThrow(/\[chart\/thing\] spec\.replicas: seen \{"replicas":0\}/);
  });

  test('can be left to the API server', () => {
    const { app, object } = construct({}, { validator });
    object.skipValidation();
    expect(() => app.synthYaml()).not.toThrow();
  });
});
