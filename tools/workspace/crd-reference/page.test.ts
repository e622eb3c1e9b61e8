import { describe, expect, test } from 'vitest';
import { pageOf } from './page.ts';

const crd = (spec: string): string => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: boxes.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { kind: BigBox, plural: bigboxes, shortNames: [bb] }
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {} }
      additionalPrinterColumns:
        - { name: Size, type: string, jsonPath: .spec.size, priority: 1, description: How large. }
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
${spec}
`;

const row = (spec: string, field: string): string | undefined =>
  pageOf({ file: 'boxes.yaml', text: crd(spec) })
    .text.split('\n')
    .find((line) => line.startsWith(`| \`${field}\``));

describe('a page of the reference', () => {
  test('is named after the kind, and says how the kind is called', () => {
    const { name, text } = pageOf({ file: 'boxes.yaml', text: crd('              properties: {}') });
    expect(name).toBe('big-box.md');
    expect(text).toContain('`apiVersion: example.com/v1`, `kind: BigBox`; namespaced; `bigboxes`, short `bb`.');
    expect(text).toContain('| Size | `.spec.size` | How large. (with `-o wide`) |');
  });

  test('tells a type, whether it is required, its default and its bounds', () => {
    const spec = `
              required: [size]
              properties:
                size: { type: integer, minimum: 1, maximum: 9, default: 3, description: How large. }`;
    expect(row(spec, 'spec.size')).toBe('| `spec.size` | integer, **required** | `3` | How large.<br>*1 to 9* |');
  });

  test('tells what can’t be changed apart from other rules', () => {
    const spec = `
              properties:
                colour:
                  type: string
                  enum: [red, blue]
                  x-kubernetes-validations:
                    - { rule: self == oldSelf, message: it stays }
                    - { rule: "self != 'grey'", message: no grey }`;
    expect(row(spec, 'spec.colour')).toBe(
      "| `spec.colour` | string |  | *`red`, `blue`*<br>*can't be changed*<br>*rule: no grey* |",
    );
  });

  test('goes into lists and maps', () => {
    const spec = `
              properties:
                parts:
                  type: array
                  x-kubernetes-list-type: map
                  x-kubernetes-list-map-keys: [name]
                  items:
                    type: object
                    required: [name]
                    properties: { name: { type: string } }
                labels: { type: object, additionalProperties: { type: string } }`;
    expect(row(spec, 'spec.parts')).toBe('| `spec.parts` | list of object |  | *unique by `name`* |');
    expect(row(spec, 'spec.parts[].name')).toBe('| `spec.parts[].name` | string, **required** |  |  |');
    expect(row(spec, 'spec.labels')).toBe('| `spec.labels` | map of string |  |  |');
  });

  test('names and links an embedded Kubernetes type, and does not spell it out', () => {
    const spec = `
              properties:
                pod:
                  description: The pod.
                  # embedded: io.k8s.api.core.v1.PodTemplateSpec overlay
                  type: object
                  properties: { metadata: { type: object } }
                  # embedded ends here
                after: { type: string }`;
    const link =
      '[v1 PodTemplateSpec](https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-template-v1/)';
    expect(row(spec, 'spec.pod')).toBe(`| \`spec.pod\` | ${link}, nothing of it required |  | The pod. |`);
    expect(row(spec, 'spec.pod.metadata')).toBeUndefined();
    expect(row(spec, 'spec.after')).toBeDefined();
  });

  test('is refused for an embedded type whose documentation is not known', () => {
    const spec = `
              properties:
                pod:
                  # embedded: io.k8s.api.core.v1.Unheard
                  # embedded ends here`;
    expect(() => row(spec, 'spec.pod')).toThrow(/io\.k8s\.api\.core\.v1\.Unheard/);
  });

  test('keeps a bar in a pattern from ending the cell', () => {
    const spec = `
              properties:
                unit: { type: string, pattern: ^(a|b)$ }`;
    expect(row(spec, 'spec.unit')).toBe('| `spec.unit` | string |  | *pattern `^(a\\|b)$`* |');
  });
});
