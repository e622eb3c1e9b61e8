import type { JsonSchemaProps } from '@ordinal/schema';
import { compile } from 'json-schema-to-typescript';
import { expect, test } from 'vitest';
import { hasDefault } from '../src/model/facts.ts';
import { generate } from '../src/index.ts';
import { compileErrors, ownCrds, realCrds } from './program.ts';
import { expression, moduleOf, sampleAll, spoilt, typeOf } from './samples.ts';
import type { Sampled } from './samples.ts';

/**
 * A CRD's schema as plain JSON Schema, which is what the other generator reads: objects are closed unless they keep unknown fields, a field with a default
 * need not be written, and what bounds values beyond their type is left out.
 */
function plain(schema: JsonSchemaProps): Record<string, unknown> {
  const { properties, items, additionalProperties, required = [], nullable, type, description } = schema;
  const values = schema.enum;
  const open = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const each = Object.entries(properties ?? {});
  const optional = new Set(each.filter(([, property]) => hasDefault(property)).map(([key]) => key));
  return {
    ...(description === undefined ? {} : { description }),
    ...(nullable === true ? { nullable } : {}),
    ...(schema['x-kubernetes-int-or-string'] === true
      ? { type: ['integer', 'string'] }
      : type === undefined
        ? {}
        : { type }),
    ...(values === undefined ? {} : { enum: values }),
    ...(items === undefined ? {} : { items: plain(items) }),
    ...(type !== 'object'
      ? {}
      : {
          properties: Object.fromEntries(each.map(([key, property]) => [key, plain(property)])),
          required: required.filter((key) => !optional.has(key)),
          additionalProperties:
            typeof additionalProperties === 'object' ? plain(additionalProperties) : (additionalProperties ?? open),
        }),
  };
}

/** What every object has at its root, described or not. */
const root: Readonly<Record<string, JsonSchemaProps>> = {
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
  metadata: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
};

/** The other generator's module, with a type `Witness` for what is written. */
function witnessOf({ schema }: Sampled): Promise<string> {
  const whole = { ...schema, properties: { ...schema.properties, ...root } };
  return compile({ ...plain(whole), title: 'Witness' }, 'Witness', { format: false, bannerComment: '' });
}

/** Which objects the compiler refuses in a folder: `12.ts:7` for the seventh line of its twelfth module. */
const refusedIn = (folder: string, errors: readonly string[]): string[] =>
  [
    ...new Set(
      errors
        .filter((error) => error.startsWith(folder))
        .map((error) => error.slice(folder.length).split(':', 2).join(':')),
    ),
  ].sort();

test(
  'json-schema-to-typescript and this generator make types that accept the same objects',
  { timeout: 240_000 },
  async () => {
    const sampled = sampleAll();
    const files = generate([...realCrds(), ...ownCrds()], { parts: ['types'], importExtension: '.ts' });
    const checks = [];
    let objects = 0;
    for (const [index, each] of sampled.entries()) {
      const valid = each.objects;
      const lines = [...valid, ...valid.flatMap((object) => spoilt(each.schema, object).slice(0, 12))].map(expression);
      objects += lines.length;
      const text = (from: string, type: string): string =>
        [
          `import type { ${type} } from '${from}';`,
          `export type Subject = ${type};`,
          ...lines.map((line) => `(${line}) satisfies ${type};`),
        ].join('\n');
      checks.push(
        { path: `witness-${String(index)}.ts`, text: await witnessOf(each) },
        { path: `ours/${String(index)}.ts`, text: text(`.${moduleOf(each)}`, `${typeOf(each)}Input`) },
        { path: `theirs/${String(index)}.ts`, text: text(`../witness-${String(index)}.ts`, 'Witness') },
      );
    }
    const errors = compileErrors([...files, ...checks]);
    const refused = refusedIn('ours/', errors);
    expect(refusedIn('theirs/', errors)).toEqual(refused);
    expect(errors.filter((error) => error.startsWith('witness-'))).toEqual([]);
    expect(refused.length).toBeGreaterThan(objects / 2);
    expect(refused.length).toBeLessThan(objects);
  },
);
