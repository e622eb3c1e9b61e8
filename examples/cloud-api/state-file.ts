import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** State that outlives the server which keeps it, where a file is named; nothing outlives it where none is. */
export class StateFile<State> {
  private readonly path: string | undefined;

  constructor(path: string | undefined) {
    this.path = path;
  }

  /** What was saved last; `empty` where nothing ever was. */
  read(empty: State): State {
    if (this.path === undefined || !existsSync(this.path)) return empty;
    return JSON.parse(readFileSync(this.path, 'utf8')) as State; // Only this program writes this file.
  }

  /** Saves the whole state. A server that is killed meanwhile leaves the state before. */
  write(state: State): void {
    if (this.path === undefined) return;
    writeFileSync(`${this.path}.new`, JSON.stringify(state));
    renameSync(`${this.path}.new`, this.path);
  }
}
