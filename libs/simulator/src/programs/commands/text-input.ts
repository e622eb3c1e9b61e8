import { normalPath } from '../file-system.ts';
import type { CommandIo } from '../shell/command.ts';

const missing = 'No such file or directory';

/** What a command reads: the files that it is given, or its input; undefined where one of the files does not exist. */
export function inputOf(
  name: string,
  paths: readonly string[],
  { files, folder, stdin, err }: CommandIo,
): string | undefined {
  if (paths.length === 0) return stdin;
  let text: string | undefined = '';
  for (const path of paths) {
    const read = path === '-' ? stdin : files.read(normalPath(path, folder));
    if (read === undefined) err(`${name}: can't open '${path}': ${missing}\n`);
    text = read === undefined ? undefined : text === undefined ? undefined : text + read;
  }
  return text;
}

/** The lines of a text. What comes after the last break is a line unless it is empty. */
export const linesOf = (text: string): readonly string[] => {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
};
