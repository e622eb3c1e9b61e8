import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Passage } from './passage.ts';
import type { Finding } from './rules.ts';

/** The words of passages that no dictionary of `cspell.json` has. Throws where cspell does not run. */
export function misspelt(root: string, passages: readonly Passage[]): readonly Finding[] {
  const program = join(root, 'node_modules/.bin/cspell');
  const flags = ['lint', '--no-progress', '--no-summary', '--no-color', '--language-id', 'plaintext'];
  const { status, stdout, stderr } = spawnSync(program, [...flags, 'stdin://prose.txt'], {
    cwd: root,
    encoding: 'utf8',
    input: passages.map(({ text }) => text).join('\n'),
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0 && stdout === '') throw new Error(`cspell failed: ${stderr}`);
  return [...stdout.matchAll(/:(\d+):\d+ - Unknown word \(([^)]+)\)/g)].flatMap(([, line, word = '']) => {
    const passage = passages[Number(line) - 1];
    return passage === undefined ? [] : [{ ...passage, problem: `“${word}”: in no dictionary` }];
  });
}
