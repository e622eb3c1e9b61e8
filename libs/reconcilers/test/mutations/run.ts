/**
 * Puts mistakes into a copy of the packages, one at a time, and tells which of them the tests of their kind find.
 *
 *   node libs/reconcilers/test/mutations/run.ts [--kind cache|kv|external] [--only TEXT] [--lanes 2] [--seconds 180] [--histories N]
 *
 * Before the mutants, the tests have to pass without one. Tests that do not end in time have found nothing. Exits 1 when a mistake is not found.
 */
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cacheMutations } from './cache.ts';
import { externalMutations } from './external.ts';
import { kvMutations } from './kv.ts';
import type { Mutation } from './mutation.ts';

const { values } = parseArgs({
  options: {
    kind: { type: 'string' },
    only: { type: 'string', default: '' },
    lanes: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '180' },
    histories: { type: 'string' },
  },
});

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** What two kinds share is tested with both. */
const shared = ['src/rollout', 'src/task', 'src/decision', 'src/health-check', 'src/error-management'];

const kinds = [
  {
    kind: 'cache',
    mutations: cacheMutations,
    tests: [...shared, 'src/clustered-cache', 'test/clustered-cache/lifecycle', 'test/clustered-cache/explore'],
  },
  {
    kind: 'kv',
    mutations: kvMutations,
    tests: [...shared, 'src/kv-store-cluster', 'test/kv-store-cluster/'],
  },
  {
    kind: 'external',
    mutations: externalMutations,
    tests: [
      'src/decision',
      'src/task',
      'src/external-resource',
      'src/cloud-database',
      'src/monitored-stateful-set',
      'test/external/',
      'test/cloud-database/',
      'test/monitored-stateful-set/',
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
  for (const path of listed.split('\0').filter((text) => text !== '')) {
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

interface Outcome {
  readonly result: 'passed' | 'failed' | 'not ended';
  /** The first test that failed, or what else is to be said. */
  readonly by: string;
}

function test(folder: string, tests: readonly string[]): Promise<Outcome> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const histories = values.histories === undefined ? {} : { ORDINAL_EXPLORE_HISTORIES: values.histories };
  const environment = { ...process.env, ...histories, NO_COLOR: '1' };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [vitest, 'run', '--bail', '1', ...tests],
      {
        cwd: join(folder, 'libs/reconcilers'),
        env: environment,
        timeout: Number(values.seconds) * 1000,
        killSignal: 'SIGKILL',
        maxBuffer: 64 * 1024 * 1024,
      },
      (failure, stdout, stderr) => {
        if (!failure) return resolve({ result: 'passed', by: '' });
        if (failure.killed === true) return resolve({ result: 'not ended', by: `not ended after ${values.seconds} s` });
        const said = /^ *FAIL +(.*)$/m.exec(`${stdout}\n${stderr}`)?.[1];
        return resolve({
          result: 'failed',
          by: said ?? `no test named\n${stdout.slice(-800)}\n${stderr.slice(-2000)}`,
        });
      },
    );
  });
}

async function tryOne(folder: string, { file, find, replace }: Mutation, tests: readonly string[]): Promise<Outcome> {
  const path = join(folder, 'libs', file);
  const before = readFileSync(path, 'utf8');
  if (before.split(find).length !== 2) return { result: 'passed', by: `${file} does not hold exactly one: ${find}` };
  writeFileSync(
    path,
    before.replace(find, () => replace),
  );
  try {
    return await test(folder, tests);
  } finally {
    writeFileSync(path, before);
  }
}

const waiting = kinds.flatMap(({ kind, tests, mutations }) =>
  mutations.filter(({ name }) => name.includes(values.only)).map((mutation) => ({ kind, tests, mutation })),
);
const all = waiting.length;
let missed = 0;

async function lane(folder: string): Promise<void> {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const { kind, tests, mutation } = next;
    const began = Date.now();
    const { result, by } = await tryOne(folder, mutation, tests);
    if (result !== 'failed') missed += 1;
    const seconds = ((Date.now() - began) / 1000).toFixed(0);
    console.log(
      `${result === 'failed' ? 'found    ' : 'NOT FOUND'} ${kind}: ${mutation.name} (${mutation.breaks}), ${seconds} s${by === '' ? '' : `: ${by}`}`,
    );
  }
}

/** Throws where the tests do not pass without a mistake: then what they find says nothing. */
async function checkUnchanged(folder: string): Promise<void> {
  for (const { kind, tests } of kinds) {
    const { result, by } = await test(folder, tests);
    if (result !== 'passed') throw new Error(`without a mistake the tests of ${kind} have ${result}: ${by}`);
    console.log(`passed    ${kind}: without a mistake`);
  }
}

const place = mkdtempSync(join(tmpdir(), 'mutations-'));
try {
  const first = join(place, '1');
  copyTo(first);
  await checkUnchanged(first);
  // The other lane works on a copy of what was checked: the sources may have changed since.
  const folders = Number(values.lanes) > 1 ? [first, join(place, '2')] : [first];
  for (const folder of folders.slice(1)) cpSync(first, folder, { recursive: true, verbatimSymlinks: true });
  await Promise.all(folders.map(lane));
} finally {
  rmSync(place, { recursive: true, force: true });
}
console.log(`${all - missed} of ${all} found`);
process.exitCode = missed === 0 ? 0 : 1;
