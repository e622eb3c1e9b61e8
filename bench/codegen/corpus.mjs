/**
 * Generates everything for hundreds of CRDs that are not in this repository, and compiles it.
 *
 *     npm run corpus -- [--without DIR] [--limit N] [--portion N] [--cache DIR] [--keep DIR]
 *
 * `corpus.json` names Go modules by version, which `go mod download` fetches, and GitHub repositories by commit, which `git` fetches, both into the cache: with
 * a new one everything is fetched. Each CRD counts once, by its name, in the first whole form that is found: a patch, an excerpt or a `v1beta1` of the same
 * name gives way to it. Those in the folders of `--without` (this repository's fixtures by default) do not count. A Helm template is no YAML before it is
 * rendered: it is passed over and counted. What is refused is listed with its reason. With `--keep` what was
 * generated from is written to a folder, a file for each CRD, so that `run.mjs --crds` can be run over it. Exits with 1 where generated code does not compile.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { generate } from '../../tools/codegen/src/index.ts';
import { compileErrors } from '../../tools/codegen/test/program.ts';
import { readFlags } from '../../tools/flags/flags.ts';

const here = import.meta.dirname;
const { values } = readFlags(
  'npm run corpus -- [--without DIR]… [--limit N] [--portion N] [--cache DIR] [--keep DIR]',
  {
    options: {
      without: { type: 'string', multiple: true, default: [join(here, '../../tools/codegen/fixtures/crds')] },
      limit: { type: 'string', default: '1000' },
      portion: { type: 'string', default: '60' },
      cache: { type: 'string', default: join(tmpdir(), 'ordinal-codegen-corpus') },
      keep: { type: 'string' },
    },
  },
);
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
    // Of its own, so that a new cache is empty; writable, so that it can be removed.
    env: { ...process.env, GOMODCACHE: join(values.cache, 'go'), GOFLAGS: '-modcacherw' },
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

/** The name of the CRD in a document, or undefined where it is no YAML, and whether it is all of it and in the form that is served. */
function read(text) {
  const [document] = parseAllDocuments(text, { uniqueKeys: false, logLevel: 'silent' });
  if (document === undefined || document.errors.length > 0) return { whole: false };
  const whole = document.get('apiVersion') === 'apiextensions.k8s.io/v1' && document.hasIn(['spec', 'group']);
  return { name: document.getIn(['metadata', 'name']), whole };
}

const documentsOf = (text) => text.split(/^---.*$/m).filter((document) => isCrd.test(document));

const known = new Set(
  values.without
    .flatMap(textsBelow)
    .flatMap(documentsOf)
    .map((text) => read(text).name),
);
const crds = new Map();
const sources = [];
let templates = 0;
for (const [source, version, fetch] of [
  ...Object.entries(modules).map(([name, version]) => [name, version, textsOfModule]),
  ...Object.entries(repositories).map(([name, commit]) => [name, commit, textsOfRepository]),
]) {
  const begin = performance.now();
  const texts = fetch(source, version);
  const seconds = (performance.now() - begin) / 1000;
  for (const text of texts.flatMap(documentsOf)) {
    const { name, whole } = read(text);
    if (name === undefined || (typeof name === 'string' && name.includes('{{'))) templates += 1;
    else if (!known.has(name) && (crds.has(name) ? whole && !crds.get(name).whole : crds.size < Number(values.limit)))
      crds.set(name, { name, source, whole, file: `${source}/${name}`, text });
  }
  sources.push({ source, version, seconds });
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
if (values.keep !== undefined) {
  mkdirSync(values.keep, { recursive: true });
  for (const { name, text } of accepted) writeFileSync(join(values.keep, `${name}.yaml`), text);
}

const errors = [];
const portion = Number(values.portion);
let lines = 0;
for (let from = 0; from < accepted.length; from += portion) {
  const files = generate(accepted.slice(from, from + portion), { importExtension: '.ts' });
  lines += files.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0);
  errors.push(...compileErrors(files));
  process.stderr.write(`compiled ${Math.min(from + portion, accepted.length)} of ${accepted.length}\n`);
}

const countOf = (source) => [...crds.values()].filter((crd) => crd.source === source).length;
for (const { source, version, seconds } of sources)
  console.log(`${source} ${version}: ${countOf(source)}, fetched and read in ${seconds.toFixed(1)} s`);
const fetching = sources.reduce((sum, { seconds }) => sum + seconds, 0);
console.log(`${sources.length} sources, fetched and read in ${fetching.toFixed(0)} s`);
console.log(`${crds.size} CRDs, ${templates} templates passed over`);
console.log(
  `${accepted.length} generated, ${refused.length} refused, median ${times[times.length >> 1]?.toFixed(1)} ms`,
);
for (const reason of refused) console.log(`refused: ${reason}`);
console.log(`${lines} lines, ${errors.length} compiler errors`);
for (const error of errors.slice(0, 50)) console.log(error);
process.exitCode = errors.length === 0 ? 0 : 1;
