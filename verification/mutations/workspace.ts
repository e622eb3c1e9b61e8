import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Edit } from './mutate.ts';
import { Mutable } from './mutate.ts';

/** A file with the mistake in it. */
export interface Mutated {
  /** From the root of the workspace. */
  readonly file: string;
  readonly text: string;
}

/** The files of a workspace that mistakes are made in. Each is read and parsed once: it must not change meanwhile. */
export class MutableWorkspace {
  readonly #root: string;
  readonly #files = new Map<string, Mutable>();
  #known: ReadonlySet<string> | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  /** Makes the mistake, in memory. Throws as `Mutable` does. */
  mutate(edit: Edit): Mutated {
    const file = this.#fileOf(edit);
    return { file, text: this.#mutable(file).mutate(edit) };
  }

  /** What makes the mutation unfit, if anything does: see `Mutable`. */
  faultOf(edit: Edit): string | undefined {
    try {
      return this.#mutable(this.#fileOf(edit)).faultOf(edit, (name) => this.#words().has(name));
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** The file that the edit names. Where that is gone, the only one of its package that has a place of this shape. */
  #fileOf(edit: Edit): string {
    if (existsSync(join(this.#root, edit.file))) return edit.file;
    const folder = /^[^/]+\/[^/]+/.exec(edit.file)?.[0] ?? '.';
    const found = sourcesIn(this.#root, folder).filter((file) => this.#mutable(file).places(edit) > 0);
    const [file, ...others] = found;
    if (file === undefined || others.length > 0)
      throw new Error(
        `${edit.file} is gone, and ${folder} has ${String(found.length)} files, and not one, with: ${edit.find}`,
      );
    return file;
  }

  /** Every word of the packages' sources and of the platform's own objects. */
  #words(): ReadonlySet<string> {
    return (this.#known ??= new Set([
      ...members,
      ...packagesOf(this.#root).flatMap((text) => text.match(/[\w$]+/g) ?? []),
    ]));
  }

  #mutable(file: string): Mutable {
    const known = this.#files.get(file) ?? new Mutable(file, readFileSync(join(this.#root, file), 'utf8'));
    this.#files.set(file, known);
    return known;
  }
}

const members = [Array.prototype, Map.prototype, Object, Math, Number, String.prototype].flatMap((object) =>
  Object.getOwnPropertyNames(object),
);

/** The texts of all packages' sources. */
const packagesOf = (root: string): string[] =>
  ['libs', 'apps', 'tools'].flatMap((folder) =>
    readdirSync(join(root, folder)).flatMap((name) => {
      const sources = join(root, folder, name, 'src');
      return (existsSync(sources) ? readdirSync(sources, { recursive: true, encoding: 'utf8' }) : [])
        .filter((file) => /(?<!\.test)\.ts$/.test(file))
        .map((file) => readFileSync(join(sources, file), 'utf8'));
    }),
  );

/** What a package is made of, without its tests. */
const sourcesIn = (root: string, folder: string): string[] =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .map((name) => join(folder, name))
        .filter((name) => /(?<!\.test|\.d)\.ts$/.test(name) && !/\/(?:node_modules|dist|test|generated)\//.test(name))
    : [];
