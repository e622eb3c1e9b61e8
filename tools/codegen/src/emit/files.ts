import type { Definition } from '../crd/definition.ts';
import { builtIn } from '../model/convert.ts';
import { modelOf } from '../model/kind.ts';
import type { KindModel } from '../model/kind.ts';
import { banner } from './banner.ts';
import { emitClients } from './clients.ts';
import { emitDescriptor } from './descriptor.ts';
import { emitTypes } from './types.ts';
import { emitIndex } from './version-index.ts';

/** What can be asked for with `--only`. */
export type Part = 'types' | 'clients' | 'constructs' | 'validators';

/** A file to write. */
export interface GeneratedFile {
  /** Relative to the output folder, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** How files are emitted. */
export interface EmitOptions {
  readonly parts: ReadonlySet<Part>;
  readonly extension: string;
  readonly typesFrom: string | undefined;
}

/** All files for the definitions, sorted by path. */
export function emitFiles(definitions: readonly Definition[], options: EmitOptions): GeneratedFile[] {
  const models = definitions.flatMap((definition) =>
    definition.versions.filter((version) => version.served !== false).map((version) => modelOf(definition, version)),
  );
  const folders = Map.groupBy(models, folderOf);
  const files = [...folders].flatMap(([folder, kinds]) => [
    ...kinds.map((model) => ({ path: `${folder}/${moduleName(model)}.ts`, text: emitKind(model, options) })),
    ...emitFolder(folder, kinds, options),
  ]);
  return files.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

/** `cert-manager.io/v1`. */
export const folderOf = ({ definition, version }: KindModel): string => `${definition.group}/${version.name}`;

/** The module of a kind: the kind in lower case, as kubectl writes it. */
export const moduleName = ({ definition }: KindModel): string => definition.names.kind.toLowerCase();

function emitKind(model: KindModel, options: EmitOptions): string {
  const descriptor = options.parts.has('clients') ? `\n${emitDescriptor(model)}` : '';
  return `${banner([model.definition])}import type * as ${builtIn} from '@ordinal/client';\n\n${emitTypes(model)}${descriptor}`;
}

function emitFolder(folder: string, kinds: readonly KindModel[], options: EmitOptions): GeneratedFile[] {
  const files = [{ path: `${folder}/index.ts`, text: emitIndex(kinds, options) }];
  if (options.parts.has('clients')) files.push({ path: `${folder}/clients.ts`, text: emitClients(kinds, options) });
  return files;
}
