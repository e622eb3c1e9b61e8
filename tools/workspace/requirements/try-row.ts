import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MutableWorkspace } from '../../../verification/mutations/workspace.ts';
import type { Pair } from './pairs.ts';
import type { RunOptions } from './vitest.ts';
import { runTests } from './vitest.ts';

/** Whether a row's tests notice its mistake: the title of one that does, or why none does. */
export interface Verdict {
  readonly noticed: boolean;
  readonly by: string;
}

/** Puts the mistake in, runs the tests, and takes it out again. A test that fails without the mistake too notices nothing. */
export async function tryRow({ mutation, tests }: Pair, options: RunOptions): Promise<Verdict> {
  const mutated = new MutableWorkspace(options.folder).mutate(mutation);
  const path = join(options.folder, mutated.file);
  const before = readFileSync(path, 'utf8');
  let why = '';
  for (const test of tests) {
    writeFileSync(path, mutated.text);
    const outcome = await runTests(test, options).finally(() => writeFileSync(path, before));
    const [failed] = outcome.failed;
    if (outcome.end !== 'ended') {
      why = `${test.file}: ${outcome.end === 'late' ? '' : 'no test ran: '}${outcome.because}`;
      continue;
    }
    if (failed === undefined) {
      why = `${test.file}: ${String(outcome.passed.length)} tests passed`;
      continue;
    }
    const sound = await runTests(test, options);
    if (sound.failed.length === 0 && sound.passed.length > 0) return { noticed: true, by: `${test.file}: ${failed}` };
    why = `${test.file} does not pass without the mistake: ${sound.because}`;
  }
  return { noticed: false, by: why };
}
