import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { JsonObject } from '@ordinal/schema';
import { alerts } from '@ordinal/constructs';
import { kinds } from '@ordinal/reconcilers';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { updateReference } from './crd-reference.ts';
import { fencesOf } from './prose/markdown.ts';
import { kindSchemas } from './snippets/definitions.ts';

const root = join(import.meta.dirname, '../..');

/** Folders with no pages of ours. */
const elsewhere: ReadonlySet<string> = new Set([
  'node_modules',
  'dist',
  'fixtures',
  'generated',
  '.nx',
  '.git',
  'coverage',
]);

function pagesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return elsewhere.has(entry.name) ? [] : pagesIn(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

/** The texts of the source files below a folder, tests left out. */
function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' || entry.name === 'dist' ? [] : sourcesIn(path);
    return /(?<!\.test)\.ts$/.test(entry.name) && path.includes('/src/') ? [readFileSync(path, 'utf8')] : [];
  });
}

interface Page {
  readonly name: string;
  readonly folder: string;
  readonly text: string;
}

const pages: readonly Page[] = pagesIn(root).map((path) => ({
  name: relative(root, path),
  folder: dirname(path),
  text: readFileSync(path, 'utf8'),
}));

/** A fenced block and where it stands; `from` is what the comment above it quotes: `<!-- from examples/… -->`. */
const fences = pages.flatMap((page) =>
  fencesOf(page.text).map((fence) => ({ ...fence, page, from: /^from (\S+)$/.exec(fence.comment ?? '')?.[1] })),
);

/** A heading's anchor, as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

const withoutCode = (text: string): string => text.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');

function brokenLinks({ folder, text }: Page): string[] {
  return [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
    if (/^(https?|mailto):/.test(target)) return [];
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? undefined : join(folder, decodeURIComponent(path));
    if (file !== undefined && !existsSync(file)) return [target];
    if (anchor === undefined || (file !== undefined && !file.endsWith('.md'))) return [];
    const headings = (file === undefined ? text : readFileSync(file, 'utf8')).matchAll(/^#+ (.+)$/gm);
    return [...headings].some(([, heading = '']) => anchorOf(heading) === anchor) ? [] : [target];
  });
}

/** The schemas of our kinds, by `apiVersion/kind`. */
const schemas = new Map(kindSchemas.map((schema) => [`${schema.apiVersion}/${schema.kind}`, schema]));

/** The manifests of our kinds in a page's YAML. */
const manifests = fences
  .filter(({ language }) => language === 'yaml')
  .flatMap(({ page, body }) =>
    parseAllDocuments(body).map((document) => ({ page: page.name, object: document.toJS() as JsonObject })),
  )
  .map((manifest) => ({
    ...manifest,
    id: `${String(manifest.object?.['apiVersion'])}/${String(manifest.object?.['kind'])}`,
  }))
  .filter(({ id }) => schemas.has(id));

describe('the documentation', () => {
  test('has no link that leads nowhere', () => {
    expect(pages.flatMap((page) => brokenLinks(page).map((target) => `${page.name}: ${target}`))).toEqual([]);
  });

  test('shows each kind on its page', () => {
    const shown = manifests.filter(({ page }) => page.startsWith('docs/reference/kinds/')).map(({ id }) => id);
    expect([...new Set(shown)].sort()).toEqual([...schemas.keys()].sort());
  });

  test('has a section for every alert, and for no other', () => {
    const page = readFileSync(join(root, 'docs/operate/alerts.md'), 'utf8');
    const sections = [...page.matchAll(/^## (\w+)$/gm)].map(([, name = '']) => name);
    expect(sections.sort()).toEqual(alerts.map(({ alert }) => alert).sort());
  });

  test.each(manifests)('$page: the $id is one that the API server takes', ({ id, object }) => {
    const schema = schemas.get(id)?.compiled();
    expect(schema?.admit(object).unknownFields).toEqual([]);
    expect(schema?.validate(object)).toEqual([]);
  });

  test('quotes its examples word for word', () => {
    const quotes = fences.filter(({ from }) => from !== undefined);
    const wrong = quotes.filter(
      ({ from = '', body }) => !existsSync(join(root, from)) || !readFileSync(join(root, from), 'utf8').includes(body),
    );
    expect(quotes.length).toBeGreaterThan(0);
    expect(wrong.map(({ page, from }) => `${page.name} from ${from}`)).toEqual([]);
  });

  test('names only commands of this workspace that exist', () => {
    const hasScript = (folder: string, script: string): boolean =>
      script in
      (JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as { readonly scripts: object }).scripts;
    const ofRoot = pages.filter(({ name }) => name === 'README.md' || name.startsWith('docs/'));
    const named = ofRoot.flatMap(({ name, text }) =>
      [...text.matchAll(/npm run (?:-s )?([a-z][\w:-]*)(?: -w (\S+))?/g)].map(([, script = '', folder = '.']) => ({
        name,
        script,
        folder,
      })),
    );
    const unknown = named.filter(({ script, folder }) => !hasScript(folder, script));
    expect(unknown.map(({ name, script }) => `${name}: ${script}`)).toEqual([]);
  });

  test('writes each command of kubectl in full: the end-to-end run tries those of a page', () => {
    const cut = pages.flatMap(({ name, text }) =>
      [...text.matchAll(/`(kubectl [^`\n]+)`/g)].flatMap(([, command = '']) =>
        command.includes('…') ? [`${name}: ${command}`] : [],
      ),
    );
    expect(cut).toEqual([]);
  });

  test('names files and tests of the requirements that exist', () => {
    const table = readFileSync(join(root, 'docs/evidence/requirements.md'), 'utf8');
    const files = [...table.matchAll(/`((?:libs|apps|tools|examples|docs)\/[^`\s]+)`/g)].map(([, path = '']) => path);
    expect(files.length).toBeGreaterThan(50);
    expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const tests = [...table.matchAll(/`([^`\s]+\.ts)`((?:,? “[^”]+”)+)/g)].flatMap(([, path = '', titles = '']) =>
      [...titles.matchAll(/“([^”]+)”/g)].map(([, title = '']) => ({ path, title })),
    );
    const missing = tests.filter(({ path, title }) => {
      const file = join(root, path);
      return !existsSync(file) || !statSync(file).isFile() || !readFileSync(file, 'utf8').includes(title);
    });
    expect(missing.map(({ path, title }) => `${path}: ${title}`)).toEqual([]);
  });

  test('names only metrics, annotations, labels and finalizers that the code knows', () => {
    const gauges = kinds.flatMap(({ metrics }) => Object.keys(metrics.gauges));
    const code = [...['libs', 'apps'].flatMap((folder) => sourcesIn(join(root, folder))), ...gauges].join('\n');
    const names =
      /\b(?:(?:ordinal|operator|controller_runtime|workqueue)_[a-z_]+[a-z]|(?:ordinal\.dev|cache\.my\.domain|(?:kvstore|db|statefulsets)\.example\.com)\/(?!v\d)[a-z][a-z-]+)/g;
    // A name may be put together, of a group and what follows: `${group}/in-use`.
    const isKnown = (name: string): boolean =>
      code.includes(name) || (name.includes('/') && code.includes(`}${name.slice(name.indexOf('/'))}\``));
    const guides = pages.filter(({ name }) => name === 'README.md' || name.startsWith('docs/'));
    const unknown = guides.flatMap(({ name, text }) =>
      [...text.matchAll(names)].filter(([found]) => !isKnown(found)).map(([found]) => `${name}: ${found}`),
    );
    expect(unknown).toEqual([]);
  });

  test('tells every reason of a MonitoredStatefulSet’s conditions, and no other', () => {
    const code = sourcesIn(join(root, 'libs/reconcilers/src/monitored-stateful-set')).join('\n');
    const page = readFileSync(join(root, 'docs/reference/kinds/monitored-stateful-set.md'), 'utf8');
    const table = page.slice(page.indexOf('## Conditions')).match(/^\|.*\|$/gm) ?? [];
    const reported = new Set(
      table
        .slice(2)
        .flatMap((row) => [...(row.split('|')[3] ?? '').matchAll(/`(\w+)`/g)].map(([, reason = '']) => reason)),
    );
    const status = readFileSync(join(root, 'libs/reconcilers/src/monitored-stateful-set/status.ts'), 'utf8');
    const given = [...status.matchAll(/'([A-Z][a-z]+(?:[A-Z][a-z]+)*)'/g)].map(([, word = '']) => word);
    const others = new Set([
      'True',
      'False',
      'Unknown',
      'Ready',
      'MonitorRegistered',
      'Degraded',
      'Failed',
      'Migrating',
    ]);
    const reasons = given.filter(
      (word) => !others.has(word) && !/^(Registered|Pending|Progressing|CallFailed)$/.test(word),
    );
    expect(reasons.filter((reason) => !reported.has(reason))).toEqual([]);
    const shared = [
      'libs/lifecycle/src/external-resource',
      'libs/lifecycle/src/rollout',
      'libs/reconcilers/src/upgrade',
      'libs/reconcilers/src/adoption',
    ];
    const bypasses = readFileSync(join(root, 'libs/reconcilers/src/gate-bypasses.ts'), 'utf8');
    const engine = [...shared.flatMap((folder) => sourcesIn(join(root, folder))), bypasses].join('\n');
    expect(
      [...reported].filter((reason) => !`${code}${engine}`.includes(`'${reason}'`) && reason !== 'BeforeUpgradeFailed'),
    ).toEqual([]);
  });

  test('has a reference that is current', () => {
    expect(updateReference({ check: true })).toEqual([]);
  });

  test('has a date, and how to repeat it, for each measurement', () => {
    const measured = pages.filter(({ name }) => name.startsWith('docs/evidence/benchmarks/'));
    const wrong = measured.filter(
      ({ text }) => !/\w+ 20\d\d|20\d\d-\d\d-\d\d/.test(text) || !/^(?:```| {4}(?:npm|node|git) )/m.test(text),
    );
    expect(measured.length).toBeGreaterThan(8);
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  test('has no table of more than twenty rows where people look for one situation', () => {
    const read = pages.filter(({ name }) =>
      /^docs\/(?:start|guides|concepts|operate|reference\/(?:kinds|metrics|writes|glossary))/.test(name),
    );
    const rowsOf = (text: string): readonly number[] =>
      [...text.matchAll(/(?:^\|.*\n)+/gm)].map(([table]) => table.trim().split('\n').length - 2);
    expect(read.filter(({ text }) => rowsOf(text).some((rows) => rows > 20)).map(({ name }) => name)).toEqual([]);
  });

  test('has a page for every package', () => {
    const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      readonly workspaces: readonly string[];
    };
    expect(workspaces.filter((folder) => !existsSync(join(root, folder, 'README.md')))).toEqual([]);
  });
});
