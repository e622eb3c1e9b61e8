/**
 * Searches the histories of ClusteredCache and KVStoreCluster: in rounds over all scenarios, each round with another seed, until so many histories were run or
 * the time is over. Prints a report of each search.
 *
 *   node --conditions=ordinal-source libs/reconcilers/test/explore.ts [--histories 100000] [--minutes 60] [--seed 1] [--kind kv|cache]
 *
 * Exits 1, and prints the history with a test to paste, at the first violation.
 */
import { parseArgs } from 'node:util';
import { describeReport, explore } from '@ordinal/testing';
import { cacheScenarios } from './clustered-cache/scenarios.ts';
import { kvStoreScenarios } from './kv-store-cluster/scenarios.ts';

const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: '100000' },
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    kind: { type: 'string' },
  },
});

/** How many histories of a scenario one search runs: enough for every class of faults to have its turn. */
const share = 200;

const kinds = [
  { kind: 'cache', scenarios: cacheScenarios },
  { kind: 'kv', scenarios: kvStoreScenarios },
].filter(({ kind }) => values.kind === undefined || values.kind === kind);
const courses = kinds.flatMap(({ kind, scenarios }) => scenarios.map((searched) => ({ kind, ...searched })));
const until = Date.now() + Number(values.minutes) * 60_000;
const totals = new Map<string, { histories: number; different: number; pairs: number }>();
let histories = 0;
let seed = Number(values.seed);
let failed = false;

while (!failed && histories < Number(values.histories) && Date.now() < until) {
  for (const { kind, ...searched } of courses) {
    if (failed || histories >= Number(values.histories) || Date.now() >= until) break;
    const report = await explore({ ...searched, seed, budget: { histories: share, failures: 1 } });
    histories += report.histories;
    const total = totals.get(kind) ?? { histories: 0, different: 0, pairs: 0 };
    total.histories += report.histories;
    total.different += report.distinctTraces;
    total.pairs += Object.values(report.pairs).reduce((sum, count) => sum + count, 0);
    totals.set(kind, total);
    failed = report.failures.length > 0;
    console.log(describeReport(report));
  }
  seed += 1;
}

for (const [kind, total] of totals) {
  console.log(
    `${kind}: ${total.histories} histories, ${total.different} different, ${total.pairs} pairs of state and fault point`,
  );
}
process.exitCode = failed ? 1 : 0;
