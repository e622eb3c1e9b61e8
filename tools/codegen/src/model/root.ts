import type { JsonSchemaProps } from '@ordinal/schema';
import type { Definition, DefinitionVersion } from '../crd/definition.ts';
import { deprecationOf } from '../crd/definition.ts';
import { builtIn, convert, internForms, memberForms } from './convert.ts';
import type { Conversion } from './convert.ts';
import { factsOf } from './facts.ts';
import { kindTypeName } from './name.ts';
import type { Member } from './shape.ts';

/** Interns the object itself: apiVersion, kind and metadata are the API server's own, whatever the schema says of them. */
export function internRoot(conversion: Conversion, definition: Definition, version: DefinitionVersion): void {
  const schema = version.schema.openAPIV3Schema;
  const properties: Readonly<Record<string, JsonSchemaProps>> = schema.properties ?? {};
  const required = new Set(schema.required ?? []);
  const literal = (key: string, value: string): Member => ({
    key,
    optional: false,
    type: { text: `'${value}'` },
    prose: '',
    facts: [],
  });
  const metadata = (type: string): Member => ({
    key: 'metadata',
    optional: false,
    type: { text: `${builtIn}.${type}` },
    prose: '',
    facts: metadataFacts(properties['metadata']),
  });
  const fixed = [
    literal('apiVersion', `${definition.group}/${version.name}`),
    literal('kind', definition.names.kind),
  ].map((member) => ({ read: member, write: member }));
  const own = Object.keys(properties)
    .filter((key) => !rootKeys.has(key))
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map((key) => {
      const property = properties[key] ?? {};
      return memberForms(key, property, required.has(key), convert(conversion, property, [key]));
    });
  const open =
    schema['x-kubernetes-preserve-unknown-fields'] === true
      ? ({ read: { text: 'unknown' }, write: { text: 'unknown' } } as const)
      : undefined;
  internForms(conversion, [...fixed, { read: metadata('ObjectMeta'), write: metadata('ObjectMetaInput') }, ...own], {
    path: [],
    name: kindTypeName(definition.names.kind),
    rest: open,
    prose: schema.description ?? '',
    facts: [...factsOf(schema), ...deprecationFacts(definition, version)],
  });
}

/** What every object has, whatever its schema says. */
export const rootKeys = new Set(['apiVersion', 'kind', 'metadata']);

const rank = (key: string): number => (key === 'spec' ? 0 : key === 'status' ? 1 : 2);

function deprecationFacts(definition: Definition, version: DefinitionVersion): string[] {
  const warning = deprecationOf(definition, version);
  return warning === undefined ? [] : [`\0@deprecated ${warning.replace(/\s+/g, ' ')}`];
}

/** A CRD may bound an object's name, and nothing else of its metadata. */
function metadataFacts(schema: JsonSchemaProps | undefined): string[] {
  return ['name', 'generateName'].flatMap((key) => {
    const property = schema?.properties?.[key];
    return property === undefined ? [] : factsOf(property).map((fact) => `\`${key}\`: ${fact}`);
  });
}
