import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fencesOf } from './prose/markdown.ts';
import { commandsIn, shellErrors } from './snippets/shell.ts';
import { typeErrors } from './snippets/typescript.ts';
import type { Snippet } from './snippets/typescript.ts';

const root = join(import.meta.dirname, '../..');

const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((page) => page !== '' && !page.includes('fixtures/'));

const snippets = pages.flatMap((page) =>
  fencesOf(readFileSync(join(root, page), 'utf8')).map((fence) => ({ ...fence, page })),
);

/** What a page quotes from a file is checked with that file, and what this one shows is what the reader generates. */
const isChecked = ({ page, comment }: { readonly page: string; readonly comment: string | undefined }): boolean =>
  !(comment ?? '').startsWith('from ') && page !== 'tools/codegen/README.md';

const ofLanguage = (language: string): readonly Snippet[] =>
  snippets.filter((snippet) => snippet.language === language && isChecked(snippet));

test('no block of TypeScript or for a shell is marked as text, which nothing checks', () => {
  const isCode = /^(?:import|const|kubectl|npm|npx|node|ordinal-\w+) /m;
  expect(ofLanguage('text').filter(({ body }) => isCode.test(body))).toEqual([]);
});

describe('blocks of TypeScript', () => {
  const blocks = ofLanguage('ts');
  const planted: Snippet = {
    page: 'docs/planted.md',
    line: 7,
    body: "import { App } from 'cdk8s';\nnew App({ outdir: 3 });\n",
  };
  const errors = typeErrors(root, [...blocks, planted]);

  test('compile, with names that they import or that the reader has', () => {
    expect(blocks.length).toBeGreaterThan(15);
    expect(errors.filter((error) => !error.startsWith('docs/planted.md'))).toEqual([]);
  });

  test('are shown by page and line where they do not', () => {
    expect(errors.filter((error) => error.startsWith('docs/planted.md'))).toEqual([
      "docs/planted.md:9: Type 'number' is not assignable to type 'string'.",
    ]);
  });
});

describe('blocks for a shell', () => {
  const sh = (body: string): readonly string[] => shellErrors(root, { page: 'docs/page.md', line: 1, body });

  test('parse, and name programs, scripts, flags, kinds and fields that exist', () => {
    const blocks = [...ofLanguage('sh'), ...ofLanguage('bash')];
    expect(blocks.length).toBeGreaterThan(35);
    expect(blocks.flatMap((block) => shellErrors(root, block))).toEqual([]);
  });

  test.each([
    ['for x in a; do', 'syntax error'],
    ['npm ci && npm run nothing', 'npm run nothing: there is no such script'],
    ['npm --prefix bench/codegen run nothing', 'npm run nothing: there is no such script'],
    ['npm run operator -- --no-such-flag=1', 'operator --no-such-flag: there is no such flag'],
    ['ordinal-operator --dry-run --recording=x', 'ordinal-operator --recording: there is no such flag'],
    ['npx ordinal-simulate --speed 3', 'ordinal-simulate --speed: there is no such flag'],
    ['bash bench/nothing.sh', 'bench/nothing.sh: there is no such file'],
    ['kubectl get caches -A', 'kubectl get caches: nothing serves that'],
    [`kubectl get kvs a -o jsonpath='{.status.nothing}'`, 'kvs has no status.nothing'],
    [`kubectl patch kvs a --type merge -p '{"spec":{"image":"x","replica":1}}'`, 'kvs has no spec.replica'],
    ['frobnicate --all', 'frobnicate: not a program that this page may expect'],
  ])('are refused: %s', (command, error) => {
    expect(sh(command).join('\n')).toContain(error);
  });

  test('are taken apart into commands', () => {
    const script = `A=1 npm ci && npm run x # comment\nkubectl annotate kvs a b="$(kubectl get kvs a \\\n  -o 'jsonpath={.x}')" | grep y\n`;
    expect(commandsIn(script)).toEqual([
      ['npm', 'ci'],
      ['npm', 'run', 'x'],
      ['kubectl', 'annotate', 'kvs', 'a', 'b=…'],
      ['grep', 'y'],
      ['kubectl', 'get', 'kvs', 'a', '-o', 'jsonpath={.x}'],
    ]);
  });
});
