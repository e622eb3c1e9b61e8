import { createSecretKey } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { KubernetesObject, ResourceDescriptor } from '@ordinal/client';
import { converting, convertedVersion, readConversionReview } from './index.ts';

interface V1 extends KubernetesObject {
  readonly spec: { readonly address: string; readonly period?: string; readonly note?: string };
}
interface V2 extends KubernetesObject {
  readonly spec: {
    readonly host: string;
    readonly port: number;
    readonly seconds?: number;
    readonly mode?: string;
    readonly gates?: readonly { readonly name: string; readonly path?: string }[];
  };
}
interface V3 extends KubernetesObject {
  readonly spec: { readonly where: string; readonly gates?: readonly string[] };
}

const descriptor = <T extends KubernetesObject>(version: string): ResourceDescriptor<T> => ({
  group: 'example.com',
  version,
  kind: 'Timer',
  plural: 'timers',
  scope: 'Namespaced',
});

/** Both directions lose something: `note` has no place in the hub, `mode` and `gates` have none in v1. */
const v1 = convertedVersion<V2, V1>(descriptor<V1>('v1'), {
  toHub: ({ spec: { address, period } }) => {
    const [host = '', port = '80'] = address.split(':');
    return { spec: { host, port: Number(port), ...(period !== undefined && { seconds: parseInt(period, 10) }) } };
  },
  fromHub: ({ spec: { host, port, seconds } }) => ({
    spec: { address: `${host}:${port}`, ...(seconds !== undefined && { period: `${seconds}s` }) },
  }),
});
const v3 = convertedVersion<V2, V3>(descriptor<V3>('v3'), {
  toHub: ({ spec: { where, gates } }) => ({
    spec: { host: where, port: 1, ...(gates && { gates: gates.map((name) => ({ name })) }) },
  }),
  fromHub: ({ spec: { host, gates } }) => ({
    spec: { where: host, ...(gates && { gates: gates.map(({ name }) => name) }) },
  }),
});
const key = createSecretKey(Buffer.alloc(32, 1));
const webhook = converting(descriptor<V2>('v2'), [v1, v3], { keys: () => [key] });

interface Answer {
  readonly response: {
    readonly uid: string;
    readonly result: { readonly status: string; readonly message?: string };
    readonly convertedObjects: readonly KubernetesObject[];
  };
}

/** As the API server asks: through text, in another order of the fields. */
function convert<T extends KubernetesObject>(object: KubernetesObject, version: string, by = webhook): T {
  const request = { uid: 'u', desiredAPIVersion: `example.com/${version}`, objects: [reversed(object)] };
  const review = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', request };
  const reply = by.convert(readConversionReview(JSON.stringify(review))) as Answer;
  expect(reply.response.result).toEqual({ status: 'Success' });
  return JSON.parse(JSON.stringify(reply.response.convertedObjects[0])) as T;
}

const reversed = (value: unknown): unknown =>
  typeof value !== 'object' || value === null
    ? value
    : Array.isArray(value)
      ? value.map(reversed)
      : Object.fromEntries(
          Object.entries(value)
            .reverse()
            .map(([key, field]) => [key, reversed(field)]),
        );

const metadata = { name: 'a', uid: 'a', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
const object = <T>(version: string, spec: T) => ({
  apiVersion: `example.com/${version}`,
  kind: 'Timer',
  metadata: { ...metadata, annotations: { mine: 'x' } },
  spec,
});

const word = fc.stringMatching(/^[a-z]{1,6}$/);
const seconds = fc.integer({ min: 0, max: 999 });
const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
const defined = <T extends object>(spec: T): T => JSON.parse(JSON.stringify(spec)) as T;
const specOf1 = fc
  .record({
    address: fc.oneof(
      word,
      fc.tuple(word, seconds).map(([host, port]) => `${host}:${port}`),
    ),
    note: optional(word),
    period: optional(seconds.map((count) => `${count}s`)),
  })
  .map(defined);
const specOf2 = fc
  .record({
    host: word,
    port: seconds,
    seconds: optional(seconds),
    mode: optional(word),
    gates: optional(fc.array(fc.record({ name: word, path: word }), { maxLength: 3 })),
  })
  .map(defined);

it('no round trip loses anything, whatever the functions leave out', () => {
  fc.assert(
    fc.property(specOf1, specOf2, fc.array(fc.constantFrom('v1', 'v2', 'v3'), { maxLength: 5 }), (one, two, way) => {
      for (const [home, spec] of [
        ['v1', one],
        ['v2', two],
      ] as const) {
        let travelling: KubernetesObject = object(home, spec);
        for (const version of way) travelling = convert(travelling, version);
        const back = convert<KubernetesObject & { readonly spec: unknown }>(travelling, home);
        expect(back.spec).toEqual(spec);
      }
    }),
    { numRuns: 300, seed: 1 },
  );
});

it('a field that was changed in the other version counts as it was changed there, and the rest comes back', () => {
  fc.assert(
    fc.property(specOf2, word, (two, host) => {
      const old = convert<V1>(object('v2', two), 'v1');
      const [, port] = old.spec.address.split(':');
      const edited = { ...old, spec: { ...old.spec, address: `${host}:${port}` } };
      expect(convert<V2>(edited, 'v2').spec).toEqual({ ...two, host });
    }),
    { numRuns: 300, seed: 1 },
  );
});

it('an edit of one item of a list keeps what the other version can not say of the items', () => {
  const gates = [
    { name: 'a', path: '/a' },
    { name: 'b', path: '/b' },
  ];
  const other = convert<V3>(object('v2', { host: 'h', port: 7, gates }), 'v3');
  const edited = { ...other, spec: { ...other.spec, gates: ['a', 'c'] } };
  expect(convert<V2>(edited, 'v2').spec).toEqual({
    host: 'h',
    port: 7,
    gates: [
      { name: 'a', path: '/a' },
      { name: 'c', path: '/b' },
    ],
  });
});

it('carries nothing along where nothing is lost, and leaves the annotations of others alone', () => {
  const there = convert<V2>(object('v1', { address: 'h:1', period: '5s' }), 'v2');
  expect(there).toEqual(object('v2', { host: 'h', port: 1, seconds: 5 }));
  const lossy = convert<V2>(object('v1', { address: 'h:1', note: 'n' }), 'v2');
  expect(Object.keys(lossy.metadata.annotations ?? {})).toEqual(['mine', 'ordinal.dev/unconverted']);
  expect(convert<V1>(lossy, 'v1').metadata.annotations).toEqual({ mine: 'x' });
});

it('what another client wrote into the annotation counts as nothing', () => {
  for (const text of ['no JSON', '[]', '{"example.com/v2":{"fields":1}}', 'null']) {
    const strange = {
      ...object('v1', { address: 'h:1' }),
      metadata: { ...metadata, annotations: { 'ordinal.dev/unconverted': text } },
    };
    expect(convert<V2>(strange, 'v2').spec).toEqual({ host: 'h', port: 1 });
  }
});

it('what another client wrote in our words, or copied from another object, counts as nothing', () => {
  const carrying = convert<V1>(object('v2', { host: 'h', port: 1, mode: 'root' }), 'v1');
  const { annotations = {} } = carrying.metadata;
  expect(convert<V2>(carrying, 'v2').spec).toMatchObject({ mode: 'root' });
  const forged = annotations['ordinal.dev/unconverted']?.replace('root', 'more');
  for (const changed of [
    { ...metadata, annotations: { 'ordinal.dev/unconverted': forged } },
    { ...metadata, uid: 'another', annotations },
  ]) {
    const strange = { ...carrying, metadata: changed } as V1;
    expect(convert<V2>(strange, 'v2').spec).toEqual({ host: 'h', port: 1 });
  }
});

it('a key that is replaced verifies for as long as it is there', () => {
  const next = createSecretKey(Buffer.alloc(32, 2));
  const carrying = convert<V1>(object('v2', { host: 'h', port: 1, mode: 'm' }), 'v1');
  const under = (...keys: readonly (typeof key)[]) => converting(descriptor<V2>('v2'), [v1, v3], { keys: () => keys });
  expect(convert<V2>(carrying, 'v2', under(next, key)).spec).toMatchObject({ mode: 'm' });
  expect(convert<V2>(carrying, 'v2', under(next)).spec).toEqual({ host: 'h', port: 1 });
});

it('says why where it can not convert: an unknown version, or a function that throws', () => {
  const request = { uid: 'u', desiredAPIVersion: 'example.com/v9', objects: [object('v1', { address: 'h' })] };
  const failure = (message: string): object => ({
    response: { uid: 'u', result: { status: 'Failure', message }, convertedObjects: [] },
  });
  expect(webhook.convert(request)).toMatchObject(
    failure(
      'there is no conversion to or from example.com/v9: example.com/v2, example.com/v1, example.com/v3 are known',
    ),
  );
  const broken = converting(
    descriptor<V2>('v2'),
    [
      convertedVersion<V2, V1>(descriptor<V1>('v1'), {
        toHub: () => {
          throw new Error('the address has no host');
        },
        fromHub: () => ({ spec: { address: '' } }),
      }),
    ],
    { keys: () => [key] },
  );
  expect(broken.convert({ ...request, desiredAPIVersion: 'example.com/v2' })).toMatchObject(
    failure('the address has no host'),
  );
  expect(() => converting(descriptor<V2>('v2'), [v1, v1], { keys: () => [key] })).toThrow(
    'two of the versions are the same',
  );
});

it('reads nothing but a ConversionReview', () => {
  const review = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview' };
  const request = { uid: 'u', desiredAPIVersion: 'example.com/v2', objects: [object('v1', {})] };
  expect(readConversionReview(JSON.stringify({ ...review, request }))).toEqual(request);
  const wrong = [
    { ...review },
    { ...review, apiVersion: 'admission.k8s.io/v1', request },
    { ...review, request: { ...request, uid: 1 } },
    { ...review, request: { ...request, uid: 'u'.repeat(129) } },
    { ...review, request: { ...request, objects: [{ kind: 'Timer', metadata: {} }] } },
    { ...review, request: { ...request, objects: [{ ...object('v1', {}), metadata: { annotations: { a: 1 } } }] } },
  ];
  for (const body of wrong) expect(() => readConversionReview(JSON.stringify(body))).toThrow(TypeError);
});
