/**
 * Generates everything for hundreds of CRDs that are not in this repository, and compiles it.
 *
 *     npm run corpus -- [--without DIR] [--limit N] [--portion N] [--cache DIR]
 *
 * `corpus.json` names Go modules by version, which `go mod download` fetches, and GitHub repositories by commit, which `git` fetches into the cache. Each CRD
 * counts once, by its name; those in the folders of `--without` (this repository's fixtures unless told) do not count. A Helm template is no YAML before it is
 * rendered: it is passed over and counted. What is refused is listed
 * with its reason. Exits with 1 where generated code does not compile.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { generate } from '../../tools/codegen/src/index.ts';
import { compileErrors } from '../../tools/codegen/test/program.ts';

const here = import.meta.dirname;
const { values } = parseArgs({
  options: {
    without: { type: 'string', multiple: true, default: [join(here, '../../tools/codegen/fixtures/crds')] },
    limit: { type: 'string', default: '1000' },
    portion: { type: 'string', default: '60' },
    cache: { type: 'string', default: join(tmpdir(), 'ordinal-codegen-corpus') },
  },
});
const { modules, repositories } = JSON.parse(readFileSync(join(here, 'corpus.json'), 'utf8'));
const isCrd = /^kind: ["']?CustomResourceDefinition\b/m;

/** Texts of the YAML files below a folder. */
function textsBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => readFileSync(file, 'utf8'));
}

function textsOfModule(module, version) {
  const reply = execFileSync('go', ['mod', 'download', '-json', `${module}@${version}`], {
    encoding: 'utf8',
    cwd: tmpdir(),
  });
  return textsBelow(JSON.parse(reply).Dir);
}

function textsOfRepository(repository, commit) {
  const folder = join(values.cache, repository.replace('/', '+'));
  const git = (...words) => execFileSync('git', ['-C', folder, ...words], { encoding: 'utf8', maxBuffer: 1 << 28 });
  mkdirSync(folder, { recursive: true });
  git('init', '--quiet', '--bare');
  git('fetch', '--quiet', '--depth', '1', `https://github.com/${repository}`, commit);
  const found = git('grep', '-l', '-E', '^kind: CustomResourceDefinition', commit, '--', '*.yaml', '*.yml');
  return found
    .trim()
    .split('\n')
    .map((name) => git('show', name));
}

/** The name of the CRD in a document, or undefined where it is no YAML. */
function nameOf(text) {
  const [document] = parseAllDocuments(text, { uniqueKeys: false, logLevel: 'silent' });
  return document === undefined || document.errors.length > 0 ? undefined : document.getIn(['metadata', 'name']);
}

const documentsOf = (text) => text.split(/^---.*$/m).filter((document) => isCrd.test(document));

const known = new Set(values.without.flatMap(textsBelow).flatMap(documentsOf).map(nameOf));
const crds = new Map();
const sources = [];
let templates = 0;
for (const [source, version, read] of [
  ...Object.entries(modules).map(([name, version]) => [name, version, textsOfModule]),
  ...Object.entries(repositories).map(([name, commit]) => [name, commit, textsOfRepository]),
]) {
  const before = crds.size;
  for (const text of read(source, version).flatMap(documentsOf)) {
    const name = nameOf(text);
    if (name === undefined || (typeof name === 'string' && name.includes('{{'))) templates += 1;
    else if (!known.has(name) && !crds.has(name) && crds.size < Number(values.limit))
      crds.set(name, { file: `${source}/${name}`, text });
  }
  sources.push({ source, version, crds: crds.size - before });
}

const refused = [];
const times = [];
const accepted = [];
for (const crd of crds.values()) {
  const begin = performance.now();
  try {
    generate([crd]);
    accepted.push(crd);
  } catch (error) {
    refused.push(String(error instanceof Error ? error.message : error));
  }
  times.push(performance.now() - begin);
}
times.sort((a, b) => a - b);

const errors = [];
const portion = Number(values.portion);
let lines = 0;
for (let from = 0; from < accepted.length; from += portion) {
  const files = generate(accepted.slice(from, from + portion), { importExtension: '.ts' });
  lines += files.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0);
  errors.push(...compileErrors(files));
  process.stderr.write(`compiled ${Math.min(from + portion, accepted.length)} of ${accepted.length}\n`);
}

for (const { source, version, crds: count } of sources) console.log(`${source} ${version}: ${count}`);
console.log(`${crds.size} CRDs, ${templates} templates passed over`);
console.log(
  `${accepted.length} generated, ${refused.length} refused, median ${times[times.length >> 1]?.toFixed(1)} ms`,
);
for (const reason of refused) console.log(`refused: ${reason}`);
console.log(`${lines} lines, ${errors.length} compiler errors`);
for (const error of errors.slice(0, 50)) console.log(error);
process.exitCode = errors.length === 0 ? 0 : 1;
