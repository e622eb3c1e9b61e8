import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { MutableWorkspace } from '../mutations/workspace.ts';
import { mutatedKinds } from './kinds.ts';
import { editOf } from './mutation.ts';
import { unmatchedPatterns } from './patterns.ts';
import { Results } from './results.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

test('every mutation has one place to be made at, whatever the names are there, so that none is passed over in silence', () => {
  const workspace = new MutableWorkspace(root);
  const faults = mutatedKinds
    .flatMap(({ mutations }) => mutations)
    .map((mutation) => ({ name: mutation.name, fault: workspace.faultOf(editOf(mutation)) }));
  expect(faults.filter(({ fault }) => fault !== undefined)).toEqual([]);
}, 120_000);

test('every pattern of tests matches one, so that no mistake is tried with fewer tests than are meant', () => {
  expect(mutatedKinds.flatMap((kind) => unmatchedPatterns(root, kind))).toEqual([]);
});

test('a pattern that matches no test is named', () => {
  const tests = {
    search: [{ folder: 'verification/search', patterns: ['clustered-cache/explore'] }],
    tests: [
      { folder: 'libs/reconcilers', patterns: ['src/clustered-cash', 'test/clustered-cache/'] },
      { folder: 'libs/lifecycle', patterns: ['src/rollout/', 'src/roll/'] },
    ],
  };
  expect(unmatchedPatterns(root, { kind: 'cache', tests })).toEqual([
    'cache: libs/reconcilers has no test like src/clustered-cash',
    'cache: libs/lifecycle has no test like src/roll/',
  ]);
});

test('the results name tests that are there', () => {
  const files = new Results(join(import.meta.dirname, 'results.md')).testFiles();
  expect(files.length).toBeGreaterThan(50);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
