// `npm run conformance:k8s [-- FLAG…]`: Kubernetes' own conformance tests against the simulation, or against a real cluster.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFlags } from '../../tools/flags/flags.ts';
import { builtSuite } from './build.ts';
import { lostOf, pageOf, report, tableByArea } from './report.ts';
import type { Reported } from './report.ts';
import { runTests } from './suite.ts';
import { belongsTo, known, passedFile, shardOf, testsOf } from './tests.ts';
import { clusterPrints, real, simulated } from './world.ts';

const usage = `npm run conformance:k8s [-- FLAG…]

  --area=A     only the tests of a SIG, a folder below test/e2e or a file: apps, common/storage, rc; any number of times
  --test=TEXT  only the tests whose names contain it; any number of times
  --shard=1/4  every fourth test, from the first on
  --passed     only the tests that have passed before
  --all        also the tests that are said not to be applicable
  --real       against the one-node cluster of tools/cluster (needs root), not the simulation
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
    limit: { type: 'string', default: '120' },
    record: { type: 'boolean', default: false },
  },
});
const binaries = clusterPrints('bin');
const program = await builtSuite(binaries);
const tests = testsOf(program);
const before = known(tests);
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

const world = values.real ? await real() : await simulated(folder);
try {
  const results = await runTests(toRun, {
    program,
    kubectl: join(binaries, 'kubectl'),
    world,
    folder,
    limit: Number(values.limit),
    ended: ({ name, state, seconds }) => {
      console.log(`${state.padEnd(8)} ${seconds.toFixed(1).padStart(6)} s  ${name}`);
    },
  });
  const reported = report(share, results, before);
  console.log(`\n${tableByArea(reported)}`);
  for (const { name, message } of reported.filter(({ state }) => state === 'failed'))
    console.log(`failed: ${name}\n  ${message}`);
  const lost = lostOf(reported, before);
  for (const { name } of lost) console.log(`passed before, and fails now: ${name}`);
  // What a real cluster passes says nothing about the simulation.
  if (lost.length > 0 && !values.real) process.exitCode = 1;
  if (values.record && !values.real) record(reported);
} finally {
  await world.stop();
}

function record(reported: readonly Reported[]): void {
  const passed = reported.filter(({ state }) => state === 'passed').map(({ name }) => name);
  const names = new Set([...readFileSync(passedFile, 'utf8').split('\n').filter(Boolean), ...passed]);
  writeFileSync(passedFile, `${[...names].sort().join('\n')}\n`);
  if (reported.length === tests.length) writeFileSync(join(import.meta.dirname, 'results.txt'), pageOf(reported));
}
