/** Regenerates what is generated from `libs/api/fragments`, `libs/api/crds` and from the documents of the HTTP APIs. With `--check` it writes nothing and fails where something is out of date. */
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compareFolder, formatDifferences, generate, writeFolder } from '../codegen/src/index.ts';
import type { GenerateOptions } from '../codegen/src/index.ts';
import { updateApiReports } from './api-report.ts';
import { updateApiTypes } from './api-types.ts';
import { updateReference } from './crd-reference.ts';
import { embedInCrds } from './embed-schemas/crds.ts';
import { readFlags } from '../flags/flags.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const crds = join(root, 'libs/api/crds');
const { check } = readFlags('npm run codegen [-- --check]', {
  options: { check: { type: 'boolean', default: false } },
}).values;

const targets: { readonly folder: string; readonly options: GenerateOptions }[] = [
  { folder: 'libs/api/src/generated', options: { parts: ['types', 'clients', 'validators'], importExtension: '.ts' } },
  {
    folder: 'libs/constructs/src/generated',
    options: { parts: ['constructs'], importExtension: '.ts', typesFrom: '@ordinal/api' },
  },
];

const readCrds = (): readonly { readonly file: string; readonly text: string }[] =>
  readdirSync(crds)
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .map((name) => ({ file: relative(root, join(crds, name)), text: readFileSync(join(crds, name), 'utf8') }));

try {
  const embedded = embedInCrds({ check });
  if (check && embedded.length > 0) {
    console.error(`libs/api/crds is out of date (${embedded.join(', ')}): run npm run codegen`);
    process.exitCode = 1;
  }
  const sources = readCrds();
  for (const { folder, options } of targets) {
    const differences = compareFolder(join(root, folder), generate(sources, options));
    if (check && differences.length > 0) {
      console.error(formatDifferences(folder, differences));
      console.error(`${folder} is out of date: run npm run codegen`);
      process.exitCode = 1;
    }
    if (!check) writeFolder(join(root, folder), differences);
  }
  const modules = await updateApiTypes({ check });
  if (check && modules.length > 0) {
    console.error(`out of date (${modules.join(', ')}): run npm run codegen`);
    process.exitCode = 1;
  }
  const pages = updateReference({ check });
  if (check && pages.length > 0) {
    console.error(`docs/reference/fields is out of date (${pages.join(', ')}): run npm run codegen`);
    process.exitCode = 1;
  }
  const reports = updateApiReports({ check });
  if (check && reports.length > 0) {
    console.error(`what packages export has changed (${reports.join(', ')}): run npm run codegen, and review it`);
    process.exitCode = 1;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
