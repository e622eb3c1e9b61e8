import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MutableWorkspace } from '../../../verification/mutations/workspace.ts';
import type { Pair } from './pairs.ts';

/**
 * Stands for all that a row's result is about: the file with the mistake in it, the tests and their files, each as it is in `folder`. Where none of these has
 * changed, the result of an earlier commit still counts. What else the tests run may have changed: a run without `--resume` looks at that too.
 */
export function fingerprintOf({ mutation, tests }: Pair, folder: string): string {
  const { file, text } = new MutableWorkspace(folder).mutate(mutation);
  const hash = createHash('sha256').update(JSON.stringify([file, text, tests]));
  for (const test of tests) hash.update(readFileSync(join(folder, test.file)));
  return hash.digest('hex').slice(0, 16);
}
