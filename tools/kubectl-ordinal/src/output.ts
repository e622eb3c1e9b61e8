import wrapAnsi from 'wrap-ansi';
import { stringify } from 'yaml';
import { readable } from './terminal/readable.ts';
import type { World } from './world.ts';

/** How results are printed. */
export type Output = 'text' | 'json' | 'yaml';

/** The values of `--output`. */
export const outputs: readonly Output[] = ['text', 'json', 'yaml'];

/** Prints a result: as data, or as the lines that `lines` makes for a person. At a terminal, a line that is too long is broken between words. */
export function print(
  world: Pick<World, 'out' | 'isTerminal' | 'columns'>,
  output: Output,
  result: { readonly data: unknown; readonly lines: () => readonly string[] },
): void {
  const { data, lines } = result;
  if (output === 'json') world.out(`${JSON.stringify(data, undefined, 2)}\n`);
  else if (output === 'yaml') world.out(stringify(JSON.parse(JSON.stringify(data))));
  else
    world.out(
      lines()
        .map(readable)
        .map((line) => `${world.isTerminal ? wrapAnsi(line, world.columns, { trim: false, hard: true }) : line}\n`)
        .join(''),
    );
}
