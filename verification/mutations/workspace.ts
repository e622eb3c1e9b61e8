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
      return this.#mutable(this.#fileOf(edit)).faultOf(edit);
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

  #mutable(file: string): Mutable {
    const known = this.#files.get(file) ?? new Mutable(file, readFileSync(join(this.#root, file), 'utf8'));
    this.#files.set(file, known);
    return known;
  }
}

/** What a package is made of, without its tests. */
const sourcesIn = (root: string, folder: string): string[] =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .map((name) => join(folder, name))
        .filter((name) => /(?<!\.test|\.d)\.ts$/.test(name) && !/\/(?:node_modules|dist|test|generated)\//.test(name))
    : [];
