/**
 * Runs every generator over one folder of CRDs, one after the other, each in a process of its own, compiles what came out, and prints a table.
 *
 *     npm ci && npm run bench -- --crds DIR [--only NAME,…] [--table FILE]
 *
 * DIR is by default the 33 CRDs that are this repository's fixtures.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const here = import.meta.dirname;
const { values } = parseArgs({
  options: {
    crds: { type: 'string', default: join(here, '../../tools/codegen/fixtures/crds') },
    only: { type: 'string' },
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
  noEmit: true,
  types: [],
};

const rows = contenders.map(({ name, title }) => {
  const folder = mkdtempSync(join(tmpdir(), `bench-codegen-${name}-`));
  try {
    return { title, ...runOne(name, folder) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

function runOne(name, folder) {
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
  return { ...JSON.parse(line), ...sizeOf(out), ...compile(name, folder) };
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
 * Once with the libraries' own declarations checked too, which is what errors are counted in, and once without, as most projects have it. Only complaints
 * about generated files count.
 */
function compile(name, folder) {
  symlinkSync(
    name === 'ordinal' ? join(here, '../../node_modules') : join(here, 'node_modules'),
    join(folder, 'node_modules'),
  );
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const checked = tsc(folder, { include: ['out'], skipLibCheck: false });
  const errors = checked.output.split('\n').filter((text) => /^out\/.*error TS/.test(text));
  return {
    tscCpuSeconds: checked.cpuSeconds,
    tscSkipCpuSeconds: tsc(folder, { include: ['out'], skipLibCheck: true }).cpuSeconds,
    tscErrors: checked.ended ? errors.length : 'did not end',
    tscFiles: new Set(errors.map((text) => text.split('(')[0])).size,
  };
}

function tsc(folder, { include, skipLibCheck }) {
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...flags, skipLibCheck }, include }),
  );
  const { signal, stdout, stderr } = spawnSync(
    process.execPath,
    ['--max-old-space-size=6144', join(here, 'tools/tsc.mjs'), '-p', folder, '--pretty', 'false'],
    { encoding: 'utf8', cwd: folder, maxBuffer: 1 << 28, timeout: 900_000 },
  );
  const cpuSeconds = signal === null ? JSON.parse(stderr.trim().split('\n').at(-1)).cpuSeconds : Number.NaN;
  return { ended: signal === null, output: stdout, cpuSeconds };
}

/** What the compiler takes for a program without a line of its own: the part of the other figures that no generator can change. */
function compileNothing() {
  const folder = mkdtempSync(join(tmpdir(), 'bench-codegen-nothing-'));
  try {
    symlinkSync(join(here, '../../node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'nothing.ts'), 'export {};\n');
    const [checked, skipped] = [false, true].map((skipLibCheck) =>
      tsc(folder, { include: ['nothing.ts'], skipLibCheck }),
    );
    return `An empty program: ${number(checked.cpuSeconds, 1)} s with the libraries checked, ${number(skipped.cpuSeconds, 1)} s without.`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const number = (value, digits) =>
  value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
const cells = (row) =>
  row.broken !== undefined
    ? [row.title, `did not end: ${row.broken}`, '', '', '', '', '', '', '', '']
    : [
        row.title,
        `${row.crds - row.failed.length} of ${row.crds}`,
        `${number(row.seconds, 1)} s`,
        `${number(row.cpuSeconds, 1)} s`,
        `${number(row.medianSeconds * 1000, 1)} ms`,
        number(row.lines, 0),
        `${number(row.megabytes, 1)} MB`,
        row.tscErrors === 0 ? '0' : `${row.tscErrors} in ${row.tscFiles} files`,
        `${number(row.tscCpuSeconds, 1)} s`,
        `${number(row.tscSkipCpuSeconds, 1)} s`,
      ];

const head = [
  'generator',
  'CRDs generated',
  'time, all',
  'processor, all',
  'median a CRD',
  'lines',
  'size',
  'tsc errors',
  'tsc, processor',
  'tsc with skipLibCheck, processor',
];
const table = [head, head.map((_, index) => (index === 0 ? '---' : '---:')), ...rows.map(cells)]
  .map((row) => `| ${row.join(' | ')} |`)
  .join('\n');
const machine = `${rows[0]?.crds ?? 0} CRDs; Node ${process.versions.node}; ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}.`;
const nothing = compileNothing();
process.stdout.write(`${machine} ${nothing}\n\n${table}\n`);
for (const row of rows)
  for (const { file, error } of row.failed ?? []) process.stdout.write(`\n${row.title}: ${file}: ${error}`);
if (values.table !== undefined) writeFileSync(values.table, `${machine} ${nothing}\n\n${table}\n`);
