/**
 * Runs every generator over one folder of CRDs, one after the other, each in a process of its own, compiles what came out, and prints a table.
 *
 *     npm ci && npm run bench -- --crds DIR [--only NAME,…] [--rounds N] [--table FILE]
 *
 * DIR is by default the 33 CRDs that are this repository's fixtures. Outputs are compiled N times (once by default), in turns with each other; the table has
 * the medians, and below it stands what each round took.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readFlags } from '../../tools/flags/flags.ts';

const here = import.meta.dirname;
const { values } = readFlags('npm run bench -- [--crds DIR] [--only NAME,…] [--rounds N] [--table FILE]', {
  options: {
    crds: { type: 'string', default: join(here, '../../tools/codegen/fixtures/crds') },
    only: { type: 'string' },
    rounds: { type: 'string', default: '1' },
    table: { type: 'string' },
  },
});
const manifest = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
const contenders = [
  { name: 'ordinal', title: 'ordinal-codegen (all parts)' },
  { name: 'json2ts', title: `json-schema-to-typescript ${manifest.dependencies['json-schema-to-typescript']}` },
  { name: 'cdk8s-import', title: `cdk8s import ${manifest.dependencies['cdk8s-cli']}` },
  { name: 'kfc', title: `kfc crd ${manifest.dependencies['kubernetes-fluent-client']}` },
  { name: 'crd-generate', title: `crd-generate ${manifest.dependencies['@kubernetes-models/crd-generate']}` },
].filter(({ name }) => values.only === undefined || values.only.split(',').includes(name));

const flags = {
  target: 'ES2024',
  lib: ['ES2024'],
  module: 'NodeNext',
  moduleResolution: 'NodeNext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  types: [],
};

/** How a program is compiled: checked as the target says, built as a project that keeps the output does, checked as most projects do. */
const measures = {
  checked: { noEmit: true, skipLibCheck: false },
  built: { declaration: true, outDir: 'built', rootDir: 'out', skipLibCheck: false },
  skipped: { noEmit: true, skipLibCheck: true },
};

const folders = contenders.map(({ name }) => mkdtempSync(join(tmpdir(), `bench-codegen-${name}-`)));
process.on('exit', () => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));
const generated = contenders.map(({ name, title }, index) => ({ title, ...generateWith(name, folders[index]) }));
const rounds = Array.from({ length: Number(values.rounds) }, () =>
  generated.map(({ broken }, index) => (broken === undefined ? compile(folders[index]) : undefined)),
);
const rows = generated.map((row, index) => ({ ...row, ...summary(rounds.map((round) => round[index])) }));

function generateWith(name, folder) {
  const out = join(folder, 'out');
  const generation = spawnSync(
    process.execPath,
    [
      '--conditions=ordinal-source',
      '--max-old-space-size=3072',
      join(here, 'tools', `${name}.mjs`),
      resolve(values.crds),
      out,
    ],
    {
      encoding: 'utf8',
      cwd: folder,
      maxBuffer: 1 << 28,
    },
  );
  const line = generation.stdout.trim().split('\n').at(-1) ?? '';
  if (!line.startsWith('{')) return { broken: generation.stderr.trim().split('\n').at(-1) };
  symlinkSync(
    name === 'ordinal' ? join(here, '../../node_modules') : join(here, 'node_modules'),
    join(folder, 'node_modules'),
  );
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  return { ...JSON.parse(line), ...sizeOf(out) };
}

function sizeOf(folder) {
  const files = readdirSync(folder, { recursive: true })
    .map((file) => join(folder, file))
    .filter((file) => /\.(?:ts|js|mjs)$/.test(file) && statSync(file).isFile());
  const texts = files.map((file) => readFileSync(file, 'utf8'));
  return {
    lines: texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0),
    megabytes: texts.reduce((sum, text) => sum + text.length, 0) / 1e6,
  };
}

/**
 * Each is compiled as its user would: against the built declarations of the packages that it imports, ours in the workspace, the peers' beside this file.
 * With the libraries' own declarations checked too, which is what errors are counted in; again with JavaScript and declarations written; and without the
 * libraries checked. Only complaints about generated files count.
 */
function compile(folder) {
  const checked = tsc(folder, 'out', measures.checked);
  const built = tsc(folder, 'out', measures.built);
  rmSync(join(folder, 'built'), { recursive: true, force: true });
  const skipped = tsc(folder, 'out', measures.skipped);
  const native = nativeTsc(folder, 'out', measures.checked);
  const errors = [checked, native].flatMap(errorsOf);
  return {
    tscSeconds: [
      ...[checked, built, skipped, native].map(({ cpuSeconds }) => cpuSeconds),
      ...[checked, skipped, native].map(({ seconds }) => seconds),
    ],
    tscErrors: checked.ended && native.ended ? errors.length : 'did not end',
    tscFiles: new Set(errors.map((text) => text.split('(')[0])).size,
  };
}

/** Complaints about generated files. */
function errorsOf({ output }) {
  return output.split('\n').filter((text) => /^out\/.*error TS/.test(text));
}

function configure(folder, include, options) {
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...flags, ...options }, include: [include] }),
  );
}

/** Runs a program to its end, a quarter of an hour at most, and tells how long it took on the clock. */
function timed(program, parameters, cwd) {
  const began = performance.now();
  const ended = spawnSync(program, parameters, { encoding: 'utf8', cwd, maxBuffer: 1 << 28, timeout: 900_000 });
  return { ...ended, seconds: (performance.now() - began) / 1000 };
}

/** TypeScript 7, which is no JavaScript: the shell says how much processor time its child took. */
function nativeTsc(folder, include, options) {
  configure(folder, include, options);
  const compiler = join(here, 'node_modules/typescript-7/bin/tsc');
  const command = ['-c', '"$@"; times', 'sh', process.execPath, compiler, '-p', folder];
  const { signal, stdout, seconds } = timed('sh', command, folder);
  const spent = [...(stdout.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  const cpuSeconds = spent.reduce((sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest), 0);
  return { ended: signal === null, output: stdout, cpuSeconds, seconds };
}

function tsc(folder, include, options) {
  configure(folder, include, options);
  const command = ['--max-old-space-size=6144', join(here, 'tools/tsc.mjs'), '-p', folder, '--pretty', 'false'];
  const { signal, stdout, stderr, seconds } = timed(process.execPath, command, folder);
  const cpuSeconds = signal === null ? JSON.parse(stderr.trim().split('\n').at(-1)).cpuSeconds : Number.NaN;
  return { ended: signal === null, output: stdout, cpuSeconds, seconds };
}

/** The errors of the last round, and of each measure the median and all of it. */
function summary(compiled) {
  const [last] = compiled.slice(-1);
  if (last === undefined) return {};
  const all = last.tscSeconds.map((_, measure) => compiled.map(({ tscSeconds }) => tscSeconds[measure]));
  const medians = all.map((list) => list.toSorted((a, b) => a - b)[list.length >> 1]);
  return { ...last, all, medians };
}

/** What the compiler takes for a program without a line of its own: the part of the other figures that no generator can change. */
function compileNothing() {
  const folder = mkdtempSync(join(tmpdir(), 'bench-codegen-nothing-'));
  try {
    symlinkSync(join(here, '../../node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'nothing.ts'), 'export {};\n');
    const [checked, skipped] = [measures.checked, measures.skipped].map((options) =>
      tsc(folder, 'nothing.ts', options),
    );
    const native = nativeTsc(folder, 'nothing.ts', measures.checked);
    return `An empty program: ${number(checked.cpuSeconds, 1)} s with the libraries checked, ${number(skipped.cpuSeconds, 1)} s without; TypeScript 7: ${number(native.cpuSeconds, 1)} s.`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const number = (value, digits) =>
  value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
const cells = (row) =>
  row.broken !== undefined
    ? [row.title, `did not end: ${row.broken}`, ...head.slice(2).map(() => '')]
    : [
        row.title,
        `${row.crds - row.failed.length} of ${row.crds}`,
        `${number(row.seconds, 1)} s`,
        `${number(row.cpuSeconds, 1)} s`,
        `${number(row.medianSeconds * 1000, 1)} ms`,
        `${number(row.medianCpuSeconds * 1000, 1)} ms`,
        number(row.lines, 0),
        `${number(row.megabytes, 1)} MB`,
        row.tscErrors === 0 ? '0' : `${row.tscErrors} in ${row.tscFiles} files`,
        ...row.medians.map((seconds) => `${number(seconds, 1)} s`),
      ];

const head = [
  'generator',
  'CRDs generated',
  'time, all',
  'processor, all',
  'median a CRD',
  'median a CRD, processor',
  'lines',
  'size',
  'tsc errors',
  'tsc, processor',
  'tsc that writes JavaScript and declarations, processor',
  'tsc with skipLibCheck, processor',
  'tsc of TypeScript 7, processor',
  'tsc, on the clock',
  'tsc with skipLibCheck, on the clock',
  'tsc of TypeScript 7, on the clock',
];
const table = [head, head.map((_, index) => (index === 0 ? '---' : '---:')), ...rows.map(cells)]
  .map((row) => `| ${row.join(' | ')} |`)
  .join('\n');
const each = rows
  .filter(({ all }) => all?.[0].length > 1)
  .map(
    ({ title, all }) =>
      `${title}: ${all.map((list) => list.map((seconds) => number(seconds, 1)).join(', ')).join('; ')} s\n`,
  )
  .join('');
const machine = `${rows[0]?.crds ?? 0} CRDs; Node ${process.versions.node}; ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}.`;
const nothing = compileNothing();
const report = `${machine} ${nothing}\n\n${table}\n${each === '' ? '' : `\n${each}`}`;
process.stdout.write(report);
for (const row of rows)
  for (const { file, error } of row.failed ?? []) process.stdout.write(`\n${row.title}: ${file}: ${error}`);
if (values.table !== undefined) writeFileSync(values.table, report);
