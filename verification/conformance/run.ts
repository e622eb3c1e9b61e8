// `npm run conformance:k8s [-- FLAG…]`: Kubernetes' own conformance tests against the simulation, or against a real cluster.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFlags } from '../../tools/flags/flags.ts';
import { builtSuite } from './build.ts';
import { lostOf, pageOf, report, tableByArea } from './report.ts';
import type { Reported } from './report.ts';
import { runTests } from './suite.ts';
import { belongsTo, fileOf, known, passedWith, shardOf, testsOf } from './tests.ts';
import { clusterPrints, real, simulated } from './world.ts';

const usage = `npm run conformance:k8s [-- FLAG…]

  --area=A     only the tests of a SIG, a folder below test/e2e or a file: apps, common/storage, rc; any number of times
  --test=TEXT  only the tests whose names contain it; any number of times
  --shard=1/4  every fourth test, from the first on
  --passed     only the tests that have passed before
  --all        also the tests that are said not to be applicable
  --real       against the one-node cluster of tools/cluster (needs root), not the simulation
  --kubernetes=1.37  the tests of that version (1.36)
  --jobs=N     so many tests at the same time (1); serial ones run alone
  --minutes=N  for so long: as many tests as come to their end, in an order that depends on the commit
  --limit=N    how many seconds a test may take (120)
  --record     keeps the names of the tests that passed; after a whole run also writes results.txt`;

const { values } = readFlags(usage, {
  options: {
    area: { type: 'string', multiple: true },
    test: { type: 'string', multiple: true },
    shard: { type: 'string' },
    passed: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    real: { type: 'boolean', default: false },
    kubernetes: { type: 'string', default: '1.36' },
    jobs: { type: 'string', default: '1' },
    minutes: { type: 'string' },
    limit: { type: 'string', default: '120' },
    record: { type: 'boolean', default: false },
  },
});
const binaries = clusterPrints('bin');
const program = await builtSuite(binaries, values.kubernetes);
const tests = testsOf(program);
const before = known(tests, values.kubernetes);
const selected = tests.filter(
  (test) =>
    (values.area?.some((area) => belongsTo(test, area)) ?? true) &&
    (values.test?.some((text) => test.name.includes(text)) ?? true) &&
    (!values.passed || before.passed.has(test.name)),
);
const share = values.shard === undefined ? selected : shardOf(selected, values.shard);
const toRun = share.filter(({ name }) => values.all || values.real || !before.notApplicable.has(name));
const folder = mkdtempSync(join(tmpdir(), 'ordinal-conformance-'));
console.log(`${toRun.length} of ${tests.length} tests; the suite's log is in ${folder}`);

const began = Date.now();
const minutes = values.minutes === undefined ? Infinity : Number(values.minutes);
const world = values.real ? await real() : await simulated(folder);
/** A line with what the simulation holds. */
async function remember(when: string): Promise<void> {
  const { heapUsed, rss } = (await world.memory?.()) ?? { heapUsed: 0, rss: 0 };
  const mebibytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MiB`;
  if (rss > 0) console.log(`memory ${when}: ${mebibytes(heapUsed)} of heap, ${mebibytes(rss)} in all`);
}

let count = 0;
try {
  await remember('at the beginning');
  const results = await runTests(toRun, {
    program,
    kubectl: join(binaries, 'kubectl'),
    world,
    folder,
    limit: Number(values.limit),
    jobs: Number(values.jobs),
    seed: values.minutes === undefined ? 1 : commitNumber(),
    until: began + minutes * 60_000,
    ended: ({ name, state, seconds }) => {
      count += 1;
      if (count % 50 === 0) void remember(`after ${count} tests`);
      console.log(`${state.padEnd(8)} ${seconds.toFixed(1).padStart(6)} s  ${name}`);
    },
  });
  await remember('at the end');
  console.log(`${results.length} tests in ${Math.round((Date.now() - began) / 60_000)} minutes`);
  const ran = new Set(results.map(({ name }) => name));
  const shown = values.minutes === undefined ? share : share.filter(({ name }) => ran.has(name));
  const reported = report(shown, results, before);
  console.log(`\n${tableByArea(reported)}`);
  const counted = (state: Reported['state']): number => reported.filter((test) => test.state === state).length;
  // In the words of the project's other runners.
  const closing = `${counted('passed')} passed, ${counted('failed')} failed, ${counted('not applicable')} skipped`;
  for (const { name, message } of reported.filter(({ state }) => state === 'failed'))
    console.log(`failed: ${name}\n  ${message}`);
  const lost = lostOf(reported, before);
  for (const { name } of lost) console.log(`passed before, and fails now: ${name}`);
  // What a real cluster passes says nothing about the simulation.
  if (lost.length > 0 && !values.real) process.exitCode = 1;
  if (values.record && !values.real) record(reported);
  console.log(closing);
} finally {
  await world.stop();
}

/** A number that is another one for each commit. */
function commitNumber(): number {
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: import.meta.dirname, encoding: 'utf8' });
  return parseInt(commit.slice(0, 7), 16);
}

function record(reported: readonly Reported[]): void {
  const passed = reported.filter(({ state }) => state === 'passed').map(({ name }) => name);
  const names = new Set([...passedWith(values.kubernetes), ...passed]);
  writeFileSync(fileOf('passed', values.kubernetes), `${[...names].sort().join('\n')}\n`);
  if (reported.length === tests.length) writeFileSync(fileOf('results', values.kubernetes), pageOf(reported));
}
