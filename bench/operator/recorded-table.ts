// What the flight recorder costs, from the lines that `compare.sh recorded` has measured: node recorded-table.ts RESULTS.
import { readFileSync } from 'node:fs';

interface Run {
  readonly contender: string;
  readonly n: number;
  readonly createSec: number;
  readonly createContenderCpuSec: number;
  readonly peakRssMiB: number;
  readonly error?: string;
}

const [file = ''] = process.argv.slice(2);
const runs = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Run); // What the harness writes.
const good = runs.filter(({ error }) => error === undefined);

const of = (name: string, value: (run: Run) => number): readonly number[] =>
  good.filter(({ contender }) => contender === name).map(value);
const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((left, right) => left - right);
  const [low = NaN, high = NaN] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return (low + high) / 2;
};

const cpuMs = ({ createContenderCpuSec, n }: Run): number => (createContenderCpuSec * 1000) / n;
console.log('| contender | CPU for each resource, each round | median | create, median | peak RSS, median |');
console.log('|---|---|---:|---:|---:|');
for (const name of ['ordinal-unrecorded', 'ordinal-recorded']) {
  const each = of(name, cpuMs);
  const cells = [
    name,
    each.map((value) => value.toFixed(2)).join(', '),
    `${median(each).toFixed(2)} ms`,
    `${median(of(name, ({ createSec }) => createSec)).toFixed(1)} s`,
    `${median(of(name, ({ peakRssMiB }) => peakRssMiB)).toFixed(0)} MiB`,
  ];
  console.log(`| ${cells.join(' | ')} |`);
}
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
for (const [name, middle] of Object.entries({ means: mean, medians: median })) {
  const more = middle(of('ordinal-recorded', cpuMs)) / middle(of('ordinal-unrecorded', cpuMs)) - 1;
  console.log(`recorded: ${(more * 100).toFixed(1)}% more processor time of the contender, by the ${name}`);
}
for (const { contender, error } of runs) if (error !== undefined) console.log(`${contender} failed: ${error}`);
