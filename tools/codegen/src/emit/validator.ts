import type { JsonSchemaProps } from '@ordinal/schema';
import type { KindModel } from '../model/kind.ts';
import { inputName, lowerFirst, moduleName } from '../model/name.ts';
import { banner } from './banner.ts';
import type { EmitOptions } from './options.ts';
import { foldedLiteral } from './folded.ts';
import { comment } from './text.ts';

/** The name of a kind's validator. */
export const validatorName = (model: KindModel): string => `${lowerFirst(model.name)}Validator`;

/** The module that judges one version of a kind. It holds the original schema, save words that only people read. */
export function emitValidator(model: KindModel, options: EmitOptions): string {
  const { definition, version, name } = model;
  const apiVersion = `${definition.group}/${version.name}`;
  const kind = `{ apiVersion: '${apiVersion}', kind: '${definition.names.kind}', statusSubresource: ${String(hasStatus(model))} }`;
  const schema = foldedLiteral(withoutWords(version.schema.openAPIV3Schema));
  // Written twice, because the compiler takes longer to infer them.
  const forms = `<types.${name}, types.${inputName(name)}>`;
  return (
    `${banner([definition])}import { KindValidator } from '../../kubernetes-validator${options.extension}';\n` +
    `import type * as types from './${moduleName(model.definition.names.kind)}${options.extension}';\n\n` +
    `const schema = ${schema};\n\n` +
    `${comment([`Validates ${name} of ${apiVersion} and fills in its defaults, as the API server does.`])}` +
    `export const ${validatorName(model)}: KindValidator${forms} = /* @__PURE__ */ new KindValidator${forms}(\n  ${kind},\n  schema,\n);\n`
  );
}

const hasStatus = ({ version }: KindModel): boolean => version.subresources?.status !== undefined;

const words = new Set(['description', 'title', 'example', 'externalDocs']);

/** The schema without descriptions. What a `properties` holds are names, not keywords, and values of enums and defaults are data. */
function withoutWords(schema: JsonSchemaProps): JsonSchemaProps {
  return strip(schema, 'schema') as JsonSchemaProps;
}

type Place = 'schema' | 'schemas' | 'data';

const places: Readonly<Record<string, Place>> = {
  properties: 'schemas',
  items: 'schema',
  additionalProperties: 'schema',
  not: 'schema',
  allOf: 'schema',
  anyOf: 'schema',
  oneOf: 'schema',
};

function strip(value: unknown, place: Place): unknown {
  if (typeof value !== 'object' || value === null || place === 'data') return value;
  if (Array.isArray(value)) return value.map((item) => strip(item, place));
  const entries = Object.entries(value).filter(([key]) => place === 'schemas' || !words.has(key));
  return Object.fromEntries(
    entries.map(([key, member]) => [
      key,
      strip(member, place === 'schemas' ? 'schema' : Object.hasOwn(places, key) ? (places[key] ?? 'data') : 'data'),
    ]),
  );
}
