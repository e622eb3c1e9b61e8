import { expect, test } from 'vitest';
import { generate } from '../index.ts';

const crd = (kind: string): string => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: ${kind.toLowerCase()}s.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { kind: ${kind}, plural: ${kind.toLowerCase()}s }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, properties: { spec: { type: object, properties: { a: { type: string } } } } } }
`;

const indexOf = (...kinds: string[]): string[] => {
  const files = generate([{ file: 'crds.yaml', text: kinds.map(crd).join('---\n') }], { parts: ['types'] });
  return (files.find(({ path }) => path === 'example.com/v1/index.ts')?.text ?? '').trim().split('\n').slice(1);
};

test('a kind has its own names and, below its name with an underscore, all of its module', () => {
  expect(indexOf('Cluster')).toEqual([
    "export type { Cluster, ClusterInput, ClusterSpec } from './cluster.js';",
    "export type * as Cluster_ from './cluster.js';",
  ]);
});

test('a derived name that is another kind is still there, and a line says where', () => {
  expect(indexOf('Cluster', 'ClusterSpec')).toEqual([
    '// ClusterSpec is a kind of its own: that of Cluster is Cluster_.ClusterSpec.',
    "export type { Cluster, ClusterInput } from './cluster.js';",
    "export type * as Cluster_ from './cluster.js';",
    "export type { ClusterSpec, ClusterSpecInput, ClusterSpecSpec } from './clusterspec.js';",
    "export type * as ClusterSpec_ from './clusterspec.js';",
  ]);
});
