import { stripVTControlCharacters } from 'node:util';
import type { World } from '../world.ts';
import { readable } from './readable.ts';

const escape = '\u001b';

/** Draws lines over those that were drawn before. Where the output is no terminal, each picture that differs follows the last one. */
export class Repaint {
  readonly #world: Pick<World, 'out' | 'isTerminal' | 'columns' | 'rows'>;
  #drawn = 0;
  #last = '';

  constructor(world: Pick<World, 'out' | 'isTerminal' | 'columns' | 'rows'>) {
    this.#world = world;
  }

  /** Draws a picture: of one that is higher than the terminal, its beginning. */
  draw(lines: readonly string[]): void {
    const { out, isTerminal, rows, columns } = this.#world;
    const text = readable(lines.join('\n'));
    if (text === this.#last) return;
    this.#last = text;
    if (!isTerminal) {
      out(`${text}\n\n`);
      return;
    }
    const shown = text.split('\n', Math.max(1, rows - 1)).map((line) => fitted(line, columns));
    const up = this.#drawn === 0 ? '' : `${escape}[${this.#drawn}A`;
    out(`${up}${shown.map((line) => `${escape}[2K${line}\n`).join('')}${escape}[0J`);
    this.#drawn = shown.length;
  }

  /** Leaves the last picture where it is. */
  end(): void {
    this.#drawn = 0;
  }
}

/** A line that is no longer than the terminal is wide: one that is longer would take two, and be drawn over in part. Its colors end with it. */
function fitted(line: string, columns: number): string {
  if (stripVTControlCharacters(line).length <= columns) return line;
  const parts = line.split(new RegExp(`(${escape}\\[[0-9;]*m)`));
  let left = columns - 1;
  let text = '';
  for (const part of parts) {
    if (part.startsWith(escape)) text += part;
    else {
      text += part.slice(0, left);
      left -= Math.min(left, part.length);
    }
  }
  return `${text}…${line.includes(escape) ? `${escape}[0m` : ''}`;
}
