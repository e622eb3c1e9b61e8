import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FieldError, JsonObject } from '@ordinal/schema';
import { generate } from '../../tools/codegen/src/index.ts';
import type { Crd } from './crds.ts';

/** What a generated validator module exports, with types for objects of any kind. */
export interface GeneratedValidator {
  readonly statusSubresource: boolean;
  validate(object: JsonObject, old?: JsonObject): FieldError[];
  withDefaults(object: JsonObject): JsonObject;
  unknownFields(object: JsonObject): readonly string[];
}

/**
 * Generates the validators of all CRDs into one folder outside the workspace, imports those of the storage versions, and takes the folder away again.
 */
export async function generatedValidators(crds: readonly Crd[]): Promise<ReadonlyMap<Crd, GeneratedValidator>> {
  const folder = mkdtempSync(join(tmpdir(), 'ordinal-validators-'));
  try {
    symlinkSync(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const sources = crds.map((crd) => ({ file: crd.metadata.name, text: JSON.stringify(crd) }));
    for (const { path, text } of generate(sources, { parts: ['validators'], importExtension: '.ts' })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const validators = new Map<Crd, GeneratedValidator>();
    for (const crd of crds) validators.set(crd, await importValidator(folder, crd));
    return validators;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function importValidator(folder: string, { metadata, spec }: Crd): Promise<GeneratedValidator> {
  const version = spec.versions.find(({ storage }) => storage);
  const file = join(folder, spec.group, version?.name ?? '', `${spec.names.kind.toLowerCase()}.validator.ts`);
  const module = (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>;
  const [validator] = Object.values(module);
  if (validator === undefined) throw new Error(`${metadata.name}: its generated module exports no validator`);
  // The module has one export, the validator; its types of one kind are left behind here.
  const generated = validator as Omit<GeneratedValidator, 'statusSubresource'>;
  return {
    statusSubresource: version?.subresources?.status !== undefined,
    validate: (object, old) => generated.validate(object, old),
    withDefaults: (object) => generated.withDefaults(object),
    unknownFields: (object) => generated.unknownFields(object),
  };
}
