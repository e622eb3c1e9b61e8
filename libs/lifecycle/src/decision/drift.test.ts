import { expect, test } from 'vitest';
import { driftOf, quantity } from './drift.ts';

test.each([
  ['defaults of the server', { a: 1, more: true }, { a: 1 }, undefined],
  ['another value', { spec: { replicas: 5 } }, { spec: { replicas: 3 } }, 'spec.replicas'],
  [
    'a named entry elsewhere in its list',
    { c: [{ name: 'x' }, { name: 'y', image: '2' }] },
    { c: [{ name: 'y', image: '2' }] },
    undefined,
  ],
  ['a named entry that lacks something', { c: [{ name: 'y' }] }, { c: [{ name: 'y', image: '2' }] }, 'c.0.image'],
  ['a list of another length', { args: ['a', 'b'] }, { args: ['a'] }, 'args'],
  [
    'a quantity written in another way',
    { limits: { cpu: '1', memory: '1Gi' } },
    { limits: { cpu: '1000m', memory: '1024Mi' } },
    undefined,
  ],
  ['another quantity', { limits: { cpu: '1' } }, { limits: { cpu: '2000m' } }, 'limits.cpu'],
  ['text that only looks like a quantity', { value: '1' }, { value: '1000m' }, 'value'],
  ['an empty object that the server drops', {}, { securityContext: {} }, undefined],
])('%s', (_what, observed, wanted, path) => {
  expect(driftOf(observed, wanted)).toBe(path);
});

test.each([
  ['1500m', 1.5],
  ['1Gi', 2 ** 30],
  ['2', 2],
  ['1e3', 1000],
  ['much', undefined],
])('the quantity %s', (text, number) => {
  expect(quantity(text)).toBe(number);
});

test('what differs in metadata comes after all else: what a user has changed stands in the spec', () => {
  const of = (hash: string, image: string) => ({
    metadata: { annotations: { hash } },
    spec: { template: { metadata: { annotations: { hash } }, spec: { containers: [{ name: 'app', image }] } } },
  });
  expect(driftOf(of('a', 'app:1'), of('b', 'app:2'))).toBe('spec.template.spec.containers.0.image');
  expect(driftOf(of('a', 'app:1'), of('b', 'app:1'))).toBe('spec.template.metadata.annotations.hash');
});
