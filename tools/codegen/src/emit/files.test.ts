import { expect, test } from 'vitest';
import { generate } from '../generate.ts';

const crd = (group: string, version: string): string => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: things.${group} }
spec:
  group: ${group}
  scope: Namespaced
  names: { kind: Thing, plural: things }
  versions:
    - name: ${version}
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties: { spec: { type: object, properties: { at: { type: object, properties: { host: { type: string } } } } } }
`;

test('a structure of another group comes from the module that declares it, under the name of the place', () => {
  const text = `${crd('b.example.com', 'v2')}---${crd('a-b.example.com', 'v1')}`;
  const files = new Map(generate([{ file: 'crds.yaml', text }]).map(({ path, text }) => [path, text]));
  expect(files.get('a-b.example.com/v1/thing.ts')).toContain('export interface ThingSpecAt {');
  const other = files.get('b.example.com/v2/thing.ts');
  expect(other).toContain("import type * as a_b$example$com$v1$thing from '../../a-b.example.com/v1/thing.js';");
  expect(other).toContain('readonly spec?: a_b$example$com$v1$thing.ThingSpec;');
  expect(other).toContain("  ThingSpec, ThingSpecAt,\n} from '../../a-b.example.com/v1/thing.js';");
});
