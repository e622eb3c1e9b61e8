import { mkdir, open, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { RecordingSink } from '@ordinal/runtime/recording';

/** For the operator's own user alone. */
const mode = 0o600;

const missingIsFine = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'ENOENT') throw error;
};

/**
 * A file that is put aside where another one begins: `FILE` becomes `FILE.1`, that becomes `FILE.2`, and the last of `files` is deleted. So is what an earlier process
 * has left. The folder is made where it is missing.
 */
export class RotatingFile implements RecordingSink {
  readonly #path: string;
  readonly #files: number;
  #handle: FileHandle | undefined;

  constructor(path: string, files: number) {
    this.#path = path;
    this.#files = files;
  }

  /** Rejects as the file system does: where there is no space, or the folder is read-only. */
  async append(part: Uint8Array, isFirst: boolean): Promise<void> {
    if (isFirst || this.#handle === undefined) await this.#begin();
    await this.#handle?.appendFile(part);
  }

  /** Closes the file. */
  async close(): Promise<void> {
    await this.#handle?.close();
    this.#handle = undefined;
  }

  async #begin(): Promise<void> {
    await this.close();
    await mkdir(dirname(this.#path), { recursive: true });
    const nameOf = (generation: number): string => (generation === 0 ? this.#path : `${this.#path}.${generation}`);
    await rm(nameOf(this.#files - 1), { force: true });
    for (let generation = this.#files - 2; generation >= 0; generation -= 1)
      await rename(nameOf(generation), nameOf(generation + 1)).catch(missingIsFine);
    this.#handle = await open(this.#path, 'a', mode);
  }
}
