import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { MutatedKind } from './kinds.ts';
import { stages } from './kinds.ts';

/** What of a kind says which tests are run. */
export type TestPatterns = Pick<MutatedKind, 'kind' | 'tests' | 'lifecycle'>;

/**
 * The patterns of a kind that match no test file of the workspace at this root, each with its kind and package. Vitest runs what the other patterns match and says
 * nothing of these, so that a mistake would be tried with fewer tests than are meant.
 */
export function unmatchedPatterns(root: string, { kind, tests, lifecycle }: TestPatterns): readonly string[] {
  const unmatched = (folder: string, patterns: readonly string[]): readonly string[] => {
    const files = testsIn(join(root, folder));
    return patterns
      .filter((pattern) => !files.some((file) => file.includes(pattern)))
      .map((pattern) => `${kind}: ${folder} has no test like ${pattern}`);
  };
  return [
    ...stages.flatMap((stage) => unmatched('libs/reconcilers', tests[stage])),
    ...unmatched(
      'libs/lifecycle',
      lifecycle.map((name) => `src/${name}/`),
    ),
  ];
}

const testsIn = (folder: string): readonly string[] =>
  ['src', 'test'].flatMap((part) =>
    readdirSync(join(folder, part), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => join(part, file)),
  );
