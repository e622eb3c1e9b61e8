import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kept } from './kept.ts';
import { namesTaken } from './uses.ts';
import { entriesOf, isKeptBy, unusedOf } from './unused.ts';

const root = join(import.meta.dirname, '../../..');
/** Sources, and the pages whose code shows how a package is used. */
const files = execFileSync('git', ['ls-files', '*.ts', '*.js', '*.mjs', '*.md'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')
  .map((file) => join(root, file))
  .filter((file) => existsSync(file));

/** The client and types of `@ordinal/api` are generated from the CRDs as a whole. */
const packages = readdirSync(join(root, 'libs')).filter((name) => name !== 'api');
const unused = packages
  .flatMap((name) => entriesOf(join(root, 'libs', name)))
  .flatMap((entry) => unusedOf(entry, files).map((exported) => ({ entry, exported })));

test('what a package exports is used elsewhere, shown by what is, or kept for users with a reason', () => {
  expect(packages.length).toBeGreaterThan(7);
  const left = unused.filter(({ entry, exported }) => !kept.some(isKeptBy(root, entry, exported)));
  expect(left.map(({ entry, exported }) => `${entry.name}: ${exported.name}`)).toEqual([]);
});

test('what is kept for users is used nowhere else yet', () => {
  const stale = kept.flatMap((one) => {
    const names = 'below' in one.names ? [undefined] : one.names;
    const isUnused = (name: string | undefined): boolean =>
      unused.some(
        ({ entry, exported }) => isKeptBy(root, entry, exported)(one) && (name === undefined || exported.name === name),
      );
    return names.filter((name) => !isUnused(name)).map((name) => `${one.entry}: ${name ?? one.why}`);
  });
  expect(stale).toEqual([]);
});

test('an export that only its own package uses is found, and a type that a used signature shows is not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'exports-'));
  try {
    const file = join(folder, 'index.ts');
    writeFileSync(
      join(folder, 'inner.ts'),
      'export interface Shown {}\nexport interface Hidden {}\nexport const own = 1;\n',
    );
    writeFileSync(
      file,
      "export * from './inner.ts';\nexport function used(given: Shown): void { const inside: Hidden = given; }\n",
    );
    const importing = join(folder, 'user.ts');
    writeFileSync(importing, "import { used } from '@ordinal/sample';\n");
    const found = unusedOf({ name: '@ordinal/sample', file, sources: join(folder, 'src') }, [importing]);
    expect(found.map(({ name }) => name)).toEqual(['Hidden', 'own']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('imports are read in each of their forms', () => {
  const text = [
    "import { a, type B as C } from '@ordinal/client';",
    "import type {\n  D,\n} from '@ordinal/client/kubeconfig';",
    "export { e } from '@ordinal/runtime';",
  ].join('\n');
  expect(namesTaken(text)).toEqual([
    ['@ordinal/client', 'a'],
    ['@ordinal/client', 'B'],
    ['@ordinal/client/kubeconfig', 'D'],
    ['@ordinal/runtime', 'e'],
  ]);
});
