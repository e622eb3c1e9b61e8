import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectedTexts } from './event-reasons/expected.ts';
import { publications } from './event-reasons/published.ts';
import { sharedFolders } from './kind-contract/steps.ts';

const root = join(import.meta.dirname, '../..');

const sources = 'libs/reconcilers/src';
/** The folders of the kinds and those that they share. */
const folderNames = readdirSync(join(root, sources), { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);

const folders = [
  'libs/reconcilers/test',
  'verification/search',
  'libs/reconcilers/src',
  'libs/lifecycle/src',
  'libs/runtime/src',
  'apps/operator/src',
];

const filesIn = (folder: string, ending: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));

const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

/** The files of the reconcilers that a file of a folder imports from its own folder, or from another one. */
function importsOf(file: string): readonly string[] {
  const found = textOf(file).matchAll(/from '(\.{1,2}\/[^']+\.ts)'/g);
  return [...found].map(([, path = '']) => join(dirname(file), path));
}

/** Whether a file comes into what a kind imports. */
function isReachedBy(kind: string, file: string): boolean {
  const waiting = filesIn(join(sources, kind), '.ts').filter((each) => !each.endsWith('.test.ts'));
  const seen = new Set(waiting);
  for (const each of waiting)
    for (const next of importsOf(each).filter((path) => !seen.has(path))) {
      seen.add(next);
      waiting.push(next);
    }
  return seen.has(file);
}

/** The kinds that publish what a file publishes; they have tests in a simulated cluster, in a folder of that name, and a page. No kind where it is of none. */
function kindsOf(place: string): readonly (string | undefined)[] {
  const folder = folderNames.find((each) => dirname(place).startsWith(join(sources, each)));
  if (folder === undefined) return [undefined];
  const file = place.replace(/:\d+$/, '');
  return sharedFolders[folder]?.filter((kind) => isReachedBy(kind, file)) ?? [folder];
}

describe('events', () => {
  const published = publications(root);
  const tests = folders
    .flatMap((folder) => filesIn(folder, '.test.ts'))
    .map((file) => ({ file, expected: expectedTexts(file, textOf(file)) }));
  const pages = filesIn('docs', '.md').map((file) => ({ file, text: textOf(file) }));
  /** Each reason with the place that publishes it, once for each kind that has it; without a kind where it is of none. */
  const reasons = published.flatMap(({ place, reasons: given = [] }) => {
    const kinds = kindsOf(place);
    return given.flatMap((reason) => kinds.map((kind) => ({ reason, place, kind })));
  });

  test('of the source have reasons that their types say', () => {
    expect(reasons.length).toBeGreaterThan(40);
    expect(published.filter((each) => each.reasons === undefined).map(({ place }) => place)).toEqual([]);
  });

  test('are each expected by a test: those of a kind by one in its simulated cluster', () => {
    const missing = reasons.filter(({ reason, kind }) => {
      const homes = kind === undefined ? [''] : [`libs/reconcilers/test/${kind}/`, `verification/search/${kind}/`];
      return !tests.some(({ file, expected }) => homes.some((home) => file.startsWith(home)) && expected.has(reason));
    });
    expect(missing.map(({ reason, place }) => `${reason}, published by ${place}`)).toEqual([]);
  });

  test('are each documented: those of a kind on its page', () => {
    const missing = reasons.filter(({ reason, kind }) => {
      const page = kind === undefined ? '' : `docs/reference/kinds/${kind}.md`;
      return !pages.some(({ file, text }) => file.startsWith(page) && text.includes(`\`${reason}\``));
    });
    expect(missing.map(({ reason, place }) => `${reason}, published by ${place}`)).toEqual([]);
  });
});

describe('a test', () => {
  const expected = (text: string): readonly string[] => [...expectedTexts('x.test.ts', text)];

  test.each([
    [
      'what it expects of events',
      "expect(events.map(({ reason }) => reason)).toEqual(['Made', 'Gone'])",
      ['Made', 'Gone'],
    ],
    ['a reason it counts', "expect(events.filter(({ reason }) => reason === 'Made')).toHaveLength(1)", ['Made']],
    ['one that it has named', "const news = world.events.filter(is('Made')); expect(news).toHaveLength(1)", ['Made']],
    ['one in a line of text', "expect(event).toBe('Warning Made: of it')", ['Warning', 'Made', 'of', 'it']],
    ['one that must not come', "expect(events).not.toContain('Made')", []],
    ['one that must not be there', "expect(events.filter(is('Made'))).toHaveLength(0)", []],
    ['an empty list', "expect(events.filter(is('Made'))).toEqual([])", []],
    ['a condition', "expect(conditions.map(({ reason }) => reason)).toEqual(['Made'])", []],
    ['what it does not assert', "const events = ['Made']; cluster.run(events)", []],
    ['a test that is named so', "test('events Made', () => { expect(events).toEqual([1]) })", []],
  ])('expects of events: %s', (_, text, found) => {
    expect(expected(text)).toEqual(found);
  });
});
