/**
 * Puts mistakes into a copy of the packages, one at a time, and tells which of them the tests of their kind find.
 *
 *   node libs/reconcilers/test/mutations/run.ts [--kind cache|kv|external] [--only TEXT] [--missing] [--lanes 2] [--seconds 180] [--histories N]
 *
 * The tests have to pass without a mistake first. They run in stages, what is quick and likely to find it before the search of histories. A test that does
 * not end in time has found nothing: tests get no limit of their own here, so that a busy machine is no discovery. What came of each mistake is kept in
 * `results.md` beside this file; `--missing` runs those that have no row there, or were not found. Exits 1 when one is not found.
 */
import { execFile, execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cacheMutations } from './cache.ts';
import { externalMutations } from './external.ts';
import { kvMutations } from './kv.ts';
import type { Mutation } from './mutation.ts';
import { Results } from './results.ts';

const { values } = parseArgs({
  options: {
    kind: { type: 'string' },
    only: { type: 'string', default: '' },
    lanes: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '180' },
    histories: { type: 'string' },
    missing: { type: 'boolean', default: false },
  },
});

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** What kinds share is tested with each. */
const shared = ['src/rollout', 'src/task', 'src/decision', 'src/health-check', 'src/error-management'];

const kinds = [
  {
    kind: 'cache',
    mutations: cacheMutations,
    stages: [
      [...shared, 'src/clustered-cache'],
      ['test/clustered-cache/lifecycle', 'test/clustered-cache/drain', 'test/clustered-cache/writes'],
      ['test/clustered-cache/explore'],
    ],
  },
  {
    kind: 'kv',
    mutations: kvMutations,
    stages: [
      [
        ...shared,
        ...['lifecycle', 'guarantees', 'hooks', 'judgement', 'deletion', 'idle', 'writes', 'trouble'].map(
          (name) => `test/kv-store-cluster/${name}`,
        ),
      ],
      ['test/kv-store-cluster/explore'],
    ],
  },
  {
    kind: 'external',
    mutations: externalMutations,
    stages: [
      [
        ...['src/decision', 'src/task', 'src/external-resource', 'src/cloud-database', 'src/monitored-stateful-set'],
        ...['lifecycle', 'policies', 'secrets', 'shards', 'validity'].map((name) => `test/cloud-database/${name}`),
        ...['lifecycle', 'quiet', 'validity'].map((name) => `test/monitored-stateful-set/${name}`),
      ],
      ['test/external/', 'test/cloud-database/histories', 'test/monitored-stateful-set/histories'],
    ],
  },
].filter(({ kind }) => values.kind === undefined || values.kind === kind);

/** A copy of what git knows of the packages, and of what is not committed yet, whose workspace packages are the copies. */
function copyTo(folder: string): void {
  const listed = execFileSync(
    'git',
    [
      'ls-files',
      '-z',
      '--cached',
      '--others',
      '--exclude-standard',
      'libs',
      'tools',
      'apps',
      'examples/cloud-api',
      '*.json',
      'vitest.shared.ts',
    ],
    { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  // What git knows and somebody has just deleted is not there.
  for (const path of listed.split('\0').filter((text) => text !== '' && existsSync(join(root, text)))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path), { force: true });
  }
  const modules = join(folder, 'node_modules');
  mkdirSync(modules, { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    // The links of the workspace are relative: copied, they lead to the copies.
    if (name === '@ordinal')
      cpSync(join(root, 'node_modules', name), join(modules, name), { recursive: true, verbatimSymlinks: true });
    else symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
}

/** What came of one run of tests: they passed, a test failed, or they did not end in time. */
interface Outcome {
  readonly result: 'passed' | 'failed' | 'late';
  /** The first test that failed. */
  readonly by: string;
}

function test(folder: string, tests: readonly string[]): Promise<Outcome> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const histories = values.histories === undefined ? {} : { ORDINAL_EXPLORE_HISTORIES: values.histories };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [vitest, 'run', '--bail', '1', '--no-isolate', '--maxWorkers', '1', '--testTimeout', '600000', ...tests],
      {
        cwd: join(folder, 'libs/reconcilers'),
        env: { ...process.env, ...histories, NO_COLOR: '1' },
        timeout: Number(values.seconds) * 1000,
        killSignal: 'SIGKILL',
        maxBuffer: 64 * 1024 * 1024,
      },
      (failure, stdout, stderr) => {
        if (!failure) return resolve({ result: 'passed', by: '' });
        if (failure.killed === true) return resolve({ result: 'late', by: `not ended after ${values.seconds} s` });
        const said = /^ *FAIL +(.*)$/m.exec(`${stdout}\n${stderr}`)?.[1];
        return resolve({
          result: 'failed',
          by: said ?? `no test named\n${stdout.slice(-800)}\n${stderr.slice(-2000)}`,
        });
      },
    );
  });
}

async function inStages(folder: string, stages: readonly (readonly string[])[]): Promise<Outcome> {
  for (const stage of stages) {
    const outcome = await test(folder, stage);
    if (outcome.result !== 'passed') return outcome;
  }
  return { result: 'passed', by: 'every test passed' };
}

async function tryOne(
  folder: string,
  { file, find, replace }: Mutation,
  stages: readonly (readonly string[])[],
): Promise<Outcome> {
  const path = join(folder, 'libs', file);
  const before = readFileSync(path, 'utf8');
  if (before.split(find).length !== 2) return { result: 'passed', by: `${file} does not hold exactly one: ${find}` };
  writeFileSync(
    path,
    before.replace(find, () => replace),
  );
  try {
    return await inStages(folder, stages);
  } finally {
    writeFileSync(path, before);
  }
}

const results = new Results(fileURLToPath(new URL('results.md', import.meta.url)));
const waiting = kinds.flatMap(({ kind, stages, mutations }) =>
  mutations
    .filter(({ name }) => name.includes(values.only) && !(values.missing && results.isFound(kind, name)))
    .map((mutation) => ({ kind, stages, mutation })),
);
const all = waiting.length;
let missed = 0;

async function lane(folder: string): Promise<void> {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const { kind, stages, mutation } = next;
    const began = Date.now();
    const { result, by } = await tryOne(folder, mutation, stages);
    const found = result === 'failed';
    if (!found) missed += 1;
    const seconds = Math.round((Date.now() - began) / 1000);
    console.log(
      `${found ? 'found    ' : 'NOT FOUND'} ${kind}: ${mutation.name} (${mutation.breaks}), ${seconds} s: ${by}`,
    );
    results.keep({ kind, name: mutation.name, breaks: mutation.breaks, found, by, seconds });
  }
}

const folders = Array.from({ length: Math.max(1, Math.min(2, Number(values.lanes))) }, () =>
  mkdtempSync(join(tmpdir(), 'mutations-')),
);
try {
  for (const folder of folders) copyTo(folder);
  const [first = ''] = folders;
  for (const { kind, stages } of kinds.filter((one) => waiting.some(({ kind }) => kind === one.kind))) {
    const { result, by } = await inStages(first, stages);
    if (result !== 'passed') throw new Error(`the tests of ${kind} do not pass without a mistake: ${by}`);
    console.log(`the tests of ${kind} pass without a mistake`);
  }
  await Promise.all(folders.map(lane));
} finally {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
console.log(`${all - missed} of ${all} found`);
process.exitCode = missed === 0 ? 0 : 1;
