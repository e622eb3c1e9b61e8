import { admitted, compileSchema } from '@ordinal/schema';
import { App, Chart } from 'cdk8s';
import { expect, test } from 'vitest';
import { generate } from '../src/index.ts';
import { descriptorName } from '../src/model/name.ts';
import { KubernetesConstruct } from '../src/runtime/kubernetes-construct.ts';
import type { Manifest } from '../src/runtime/kubernetes-construct.ts';
import { compileErrors, ownCrds, realCrds } from './program.ts';
import { expression, moduleOf, sampleAll, spoilt, typeOf } from './samples.ts';

test(
  'valid objects have the written type, defaulted ones the read type, and spoilt ones neither',
  { timeout: 240_000 },
  () => {
    const sampled = sampleAll();
    let right = 0;
    let wrong = 0;
    const checks = sampled.map((each, index) => {
      const type = typeOf(each);
      const schema = compileSchema(each.schema, { rules: 'ignore' });
      const lines = each.objects.flatMap((object) => {
        const filled = {
          ...admitted(schema, object),
          metadata: { name: 'sample', uid: 'u', resourceVersion: '1', creationTimestamp: 't' },
        };
        const broken = spoilt(each.schema, object).slice(0, 12);
        right += 2;
        wrong += broken.length;
        return [
          `(${expression(object)}) satisfies ${type}Input;`,
          `(${expression(filled)}) satisfies ${type};`,
          ...broken.map((spoiled) => `// @ts-expect-error spoilt\n(${expression(spoiled)}) satisfies ${type}Input;`),
        ];
      });
      const imports = `import { ${descriptorName(each.definition.names.kind, each.definition.names.plural)} as descriptor } from '${moduleOf(each)}';\nimport type { ${type}, ${type}Input } from '${moduleOf(each)}';\n`;
      return {
        path: `check-${String(index)}.ts`,
        text: `${imports}void descriptor;\nvoid (0 as unknown as [${type}, ${type}Input]);\n${lines.join('\n')}\n`,
      };
    });
    const files = generate([...realCrds(), ...ownCrds()], { parts: ['types', 'clients'], importExtension: '.ts' });
    expect(compileErrors([...files, ...checks])).toEqual([]);
    expect(right).toBeGreaterThan(sampled.length);
    expect(wrong).toBeGreaterThan(right);
  },
);

test('what goes into a construct comes out of it', { timeout: 120_000 }, () => {
  const chart = new Chart(new App(), 'chart');
  const objects = sampleAll().flatMap((each) => each.objects);
  objects.forEach((object, index) => {
    const manifest = object as unknown as Manifest;
    expect(new KubernetesConstruct(chart, String(index), { manifest }).toJson()).toEqual(object);
  });
  expect(objects.length).toBeGreaterThan(50);
});
