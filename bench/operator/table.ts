// The figures of docs/evidence/benchmarks/operator.md, between its markers, from the lines that the harness wrote: node table.ts RESULTS INFORMERS PAGE.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

interface Run {
  readonly contender: string;
  readonly n: number;
  readonly at: string;
  readonly loadBefore: string;
  readonly createSec: number;
  readonly createContenderCpuSec: number;
  readonly createApiserverCpuSec: number;
  readonly createEtcdCpuSec: number;
  readonly reqPerCR: number;
  readonly updateMs?: Readonly<Record<string, number>>;
  readonly restartFreshSec?: number;
  readonly restartVainWrites: number;
  readonly peakRssMiB: number;
  readonly error?: string;
}

interface Informer {
  readonly informer: string;
  readonly syncSec: number;
  readonly syncCpuSec: number;
  readonly peakRssMiB: number;
  readonly syncBlockMs?: number;
  readonly patchBlockMs?: number;
  readonly cpuMsPer1000Events: number;
  readonly error?: string;
}

const lines = <T>(file: string): readonly T[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as T) // What the harness writes.
    : [];
const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((left, right) => left - right);
  const [low = 0, high = 0] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return (low + high) / 2;
};
const cpuMs = (run: Run): number =>
  ((run.createContenderCpuSec + run.createApiserverCpuSec + run.createEtcdCpuSec) * 1000) / run.n;
const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
const head = (cells: readonly string[]): readonly string[] => [row(cells), row(cells.map(() => '---'))];
const ms = (value: number | undefined): string => (value === undefined ? '–' : value.toFixed(0));

function operators(runs: readonly Run[], n: number): readonly string[] {
  const good = runs.filter((run) => run.n === n && run.error === undefined);
  const floors = good.filter(({ contender }) => contender === 'floor');
  const floorCpu = median(floors.map(cpuMs));
  const floorSec = median(floors.map(({ createSec }) => createSec));
  const table = good.map((run) => {
    const { updateMs, restartFreshSec } = run;
    return row([
      run.contender,
      run.loadBefore,
      `${cpuMs(run).toFixed(1)} ms`,
      (cpuMs(run) / floorCpu).toFixed(2),
      `${((run.createContenderCpuSec * 1000) / n).toFixed(1)} ms`,
      `${run.createSec.toFixed(1)} s`,
      (run.createSec / floorSec).toFixed(2),
      run.reqPerCR.toFixed(2).replace(/\.?0+$/, ''),
      updateMs === undefined ? '–' : `${ms(updateMs['p50'])} / ${ms(updateMs['p99'])} ms`,
      restartFreshSec === undefined ? '–' : `${restartFreshSec.toFixed(2)} s`,
      restartFreshSec === undefined ? '–' : run.restartVainWrites,
      `${run.peakRssMiB.toFixed(0)} MiB`,
    ]);
  });
  const failed = runs.filter((run) => run.n === n && run.error !== undefined);
  return [
    `### N = ${n}`,
    '',
    ...head([
      'contender',
      'load before',
      'CPU for each, all',
      '× floor',
      'CPU for each, contender',
      'create',
      '× floor',
      'requests for each',
      'update p50 / p99',
      'restart, fresh change',
      'writes in vain',
      'peak RSS',
    ]),
    ...table,
    '',
    ...failed.flatMap(({ contender, error }) => [`${contender} failed: ${error ?? ''}`, '']),
  ];
}

function informers(runs: readonly Informer[]): readonly string[] {
  const table = runs.map((run) =>
    run.error === undefined
      ? row([
          run.informer,
          `${run.syncSec.toFixed(2)} s`,
          `${run.syncCpuSec.toFixed(2)} s`,
          `${run.peakRssMiB.toFixed(0)} MiB`,
          run.syncBlockMs === undefined ? '–' : `${ms(run.syncBlockMs)}, ${ms(run.patchBlockMs)} ms`,
          `${(run.cpuMsPer1000Events / 1000).toFixed(2)} s`,
        ])
      : row([run.informer, run.error, '', '', '', '']),
  );
  return [
    '### Informers: 10,000 resources of 2 KB and 20,000 pods of 4 KB',
    '',
    ...head([
      'informer',
      'synced',
      'CPU to sync',
      'peak RSS',
      'longest hold of the loop: sync, events',
      'CPU for 1,000 events',
    ]),
    ...table,
    '',
  ];
}

const [resultsFile = '', informersFile = '', page = ''] = process.argv.slice(2);
const runs = lines<Run>(resultsFile);
const synced = lines<Informer>(informersFile);
const sizes = [...new Set(runs.map(({ n }) => n))].sort((left, right) => left - right);
const figures = [
  `One run, begun ${runs[0]?.at ?? 'at an unknown time'}; each line is one measurement, in the order in which they were made.`,
  '',
  ...sizes.flatMap((n) => operators(runs, n)),
  ...(synced.length > 0 ? informers(synced) : []),
].join('\n');
const text = readFileSync(page, 'utf8');
const [begin, end] = ['<!-- figures: written by bench/operator/table.ts -->', '<!-- end of figures -->'];
const [before, rest] = text.split(begin);
const after = rest?.split(end)[1];
if (before === undefined || after === undefined) throw new Error(`${page} has no place for figures: ${begin} … ${end}`);
writeFileSync(page, `${before}${begin}\n\n${figures}\n${end}${after}`);
