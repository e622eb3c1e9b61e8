/**
 * Puts mistakes into a copy of the packages, one at a time, and reports which of them the tests of their kind find.
 *
 *   node verification/mutants/run.ts [--kind cache|kv|external|slots] [--only TEXT]… [--missing|--nowhere] [--stage search|tests] [--workers 2] [--seconds 60]
 *     [--histories N]
 *
 * The tests have to pass without a mistake first. The search of histories comes first, with the share that it has in `npm test`; what it does not find is
 * tried with the other tests. `--seconds` is how much CPU-time each of the two may use for a mistake. A test that does not end in time has found nothing:
 * tests get no limit of their own here, so that a busy machine is no discovery. What came of each mistake is kept in `results.md` beside this file;
 * `--missing` runs those that the (first) stage has not found, `--nowhere` those that none has. Exits 1 when one is not found.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyPackages } from '../mutations/copy.ts';
import { runInGroup } from '../mutations/process-group.ts';
import { MutableWorkspace } from '../mutations/workspace.ts';
import type { MutatedKind, ProjectTests, Stage } from './kinds.ts';
import { mutatedKinds, notTests, stages } from './kinds.ts';
import type { Mutation } from './mutation.ts';
import { editOf } from './mutation.ts';
import { unmatchedPatterns } from './patterns.ts';
import { Results } from './results.ts';
import { readFlags } from '../../tools/flags/flags.ts';

const { values } = readFlags(
  'node verification/mutants/run.ts [--kind cache|kv|external|slots] [--stage search|tests] [--missing | --nowhere] …',
  {
    options: {
      kind: { type: 'string' },
      only: { type: 'string', multiple: true, default: [''] },
      stage: { type: 'string' },
      workers: { type: 'string', default: '2' },
      seconds: { type: 'string', default: '60' },
      histories: { type: 'string' },
      missing: { type: 'boolean', default: false },
      nowhere: { type: 'boolean', default: false },
    },
  },
);

const root = fileURLToPath(new URL('../../', import.meta.url));
const kinds = mutatedKinds.filter(({ kind }) => values.kind === undefined || values.kind === kind);
const chosen = stages.filter((stage) => values.stage === undefined || values.stage === stage);

/** What came of one run of tests: they passed, a test failed, they did not end in time, or what they were to test is no program. */
interface Outcome {
  readonly result: 'passed' | 'failed' | 'late' | 'broken';
  /** The first test that failed, or why none did. */
  readonly by: string;
}

/** Which tests to run. */
interface Run {
  readonly kind: MutatedKind;
  readonly stage: Stage;
}

const options = ['--bail', '1', '--no-isolate', '--maxWorkers', '1', '--testTimeout', '600000'];

/** Runs the tests of a stage, of one project after the other, until one fails. */
async function test(folder: string, { kind, stage }: Run, cpuSeconds: number): Promise<Outcome> {
  const excluded = stage === 'tests' ? notTests.flatMap((pattern) => ['--exclude', pattern]) : [];
  let outcome: Outcome = { result: 'passed', by: 'there is no test' };
  for (const { folder: project, patterns } of kind.tests[stage]) {
    outcome = await testIn(folder, { folder: project, patterns: [...excluded, ...patterns] }, cpuSeconds);
    if (outcome.result !== 'passed') return outcome;
  }
  return outcome;
}

async function testIn(copy: string, { folder, patterns }: ProjectTests, cpuSeconds: number): Promise<Outcome> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { code, output } = await runInGroup([process.execPath, vitest, 'run', ...options, ...patterns], {
    cwd: join(copy, folder),
    env: {
      ...process.env,
      NO_COLOR: '1',
      ...(values.histories !== undefined && { ORDINAL_EXPLORE_HISTORIES: values.histories }),
    },
    cpuSeconds,
  });
  if (code === undefined) return { result: 'late', by: `not ended after ${cpuSeconds} s` };
  if (code === 0) return { result: 'passed', by: 'every test passed' };
  const broken =
    /^.*(?:ReferenceError: .* is not defined|SyntaxError: (?:Identifier|The requested module)|PARSE_ERROR).*$/m.exec(
      output,
    )?.[0];
  if (broken !== undefined) return { result: 'broken', by: broken };
  // A test is named in the list at the end; where what a failure tells is so long that the list is lost, at the failure itself.
  const said = /^ *FAIL +(.*)$/m.exec(output)?.[1] ?? /^ *[×✗] +(.*)$/m.exec(output)?.[1];
  const by = said === undefined ? `no test named\n${output.slice(-2000)}` : `${folder}/${said}`;
  return { result: 'failed', by };
}

/** Tries a mistake with one stage after the other until one finds it. */
async function tryOne(folder: string, mutated: MutatedKind, mutation: Mutation): Promise<boolean> {
  const { kind } = mutated;
  const { name, breaks } = mutation;
  const { file, text } = new MutableWorkspace(folder).mutate(editOf(mutation));
  const path = join(folder, file);
  const before = readFileSync(path, 'utf8');
  writeFileSync(path, text);
  try {
    for (const stage of chosen) {
      const began = performance.now();
      const { result, by } = await test(folder, { kind: mutated, stage }, Number(values.seconds));
      if (result === 'broken') throw new Error(`${name}: what it leaves is no program: ${by}`);
      const found = result === 'failed';
      const seconds = Math.round((performance.now() - began) / 1000);
      console.log(`${found ? 'found    ' : 'NOT FOUND'} ${kind}, ${stage}: ${name} (${breaks}), ${seconds} s: ${by}`);
      results.keep({ kind, name, breaks, stage, found, by, seconds });
      if (found) return true;
    }
    return false;
  } finally {
    writeFileSync(path, before);
  }
}

const unmatched = kinds.flatMap((kind) => unmatchedPatterns(root, kind));
if (unmatched.length > 0) throw new Error(unmatched.join('; '));
const results = new Results(fileURLToPath(new URL('results.md', import.meta.url)));
results.keepOnly(mutatedKinds.flatMap(({ kind, mutations }) => mutations.map(({ name }) => ({ kind, name }))));
const [firstStage = 'search'] = chosen satisfies readonly Stage[];
const waiting = kinds.flatMap((kind) =>
  kind.mutations
    .filter(
      ({ name, breaks }) =>
        values.only.some((text) => `${name} (${breaks})`.includes(text)) &&
        !(values.missing && results.isFound(kind.kind, name, firstStage)) &&
        !(values.nowhere && stages.some((stage) => results.isFound(kind.kind, name, stage))),
    )
    .map((mutation) => ({ kind, mutation })),
);
const all = waiting.length;
let missed = 0;

async function worker(folder: string): Promise<void> {
  for (let next = waiting.shift(); next; next = waiting.shift())
    if (!(await tryOne(folder, next.kind, next.mutation))) missed += 1;
}

const folders = Array.from({ length: Math.max(1, Math.min(2, Number(values.workers))) }, () =>
  mkdtempSync(join(tmpdir(), 'mutations-')),
);
try {
  for (const folder of folders) copyPackages(root, folder);
  const [first = ''] = folders;
  for (const kind of kinds.filter((one) => waiting.some((each) => each.kind === one))) {
    for (const stage of chosen) {
      const began = performance.now();
      const { result, by } = await test(first, { kind, stage }, 600);
      if (result !== 'passed') throw new Error(`the ${stage} of ${kind.kind} do not pass without a mistake: ${by}`);
      console.log(
        `${kind.kind}, ${stage}: passes without a mistake, ${Math.round((performance.now() - began) / 1000)} s`,
      );
    }
  }
  await Promise.all(folders.map(worker));
} finally {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
console.log(`${all - missed} of ${all} found`);
process.exitCode = missed === 0 ? 0 : 1;
