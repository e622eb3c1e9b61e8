import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { MutatedKind } from './kinds.ts';
import { stages } from './kinds.ts';

/** What of a kind says which tests are run. */
export type TestPatterns = Pick<MutatedKind, 'kind' | 'tests'>;

/**
 * The patterns of a kind that match no test file of the workspace at this root, each with its kind and package. Vitest runs what the other patterns match and says
 * nothing of these, so that a mistake would be tried with fewer tests than are meant.
 */
export function unmatchedPatterns(root: string, { kind, tests }: TestPatterns): readonly string[] {
  const unmatched = (folder: string, patterns: readonly string[]): readonly string[] => {
    const files = testsIn(join(root, folder));
    return patterns
      .filter((pattern) => !files.some((file) => file.includes(pattern)))
      .map((pattern) => `${kind}: ${folder} has no test like ${pattern}`);
  };
  return stages.flatMap((stage) => tests[stage].flatMap(({ folder, patterns }) => unmatched(folder, patterns)));
}

const testsIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.test.ts') && !file.includes('node_modules'),
  );
