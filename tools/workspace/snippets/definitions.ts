import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileSchema } from '@ordinal/schema';
import type { CompiledSchema, JsonSchemaProps } from '@ordinal/schema';
import { cel } from '@ordinal/schema/cel';
import { parse } from 'yaml';

/** The schema of one of our kinds. */
export interface KindSchema {
  readonly apiVersion: string;
  readonly kind: string;
  /** Every name that kubectl knows it by. */
  readonly names: readonly string[];
  readonly root: JsonSchemaProps;
  /** Compiled when it is first asked for. */
  compiled(): CompiledSchema;
}

interface Definition {
  readonly spec: {
    readonly group: string;
    readonly names: {
      readonly kind: string;
      readonly plural: string;
      readonly singular: string;
      readonly shortNames?: readonly string[];
    };
    readonly versions: readonly {
      readonly name: string;
      readonly schema: { readonly openAPIV3Schema: JsonSchemaProps };
    }[];
  };
}

const crds = join(import.meta.dirname, '../../../libs/api/crds');

/** The schemas of our kinds, one for each version. */
export const kindSchemas: readonly KindSchema[] = readdirSync(crds).flatMap((file) => {
  const { spec } = parse(readFileSync(join(crds, file), 'utf8'), { maxAliasCount: -1 }) as Definition;
  const { kind, plural, singular, shortNames = [] } = spec.names;
  return spec.versions.map((version): KindSchema => {
    const root = version.schema.openAPIV3Schema;
    let compiled: CompiledSchema | undefined;
    return {
      apiVersion: `${spec.group}/${version.name}`,
      kind,
      names: [plural, singular, ...shortNames],
      root,
      compiled: () => (compiled ??= compileSchema(root, { cel })),
    };
  });
});

/** The schema of a kind by any name that kubectl knows it by; undefined where it is none of ours. */
export const schemaOf = (name: string): KindSchema | undefined => kindSchemas.find(({ names }) => names.includes(name));
