import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Folders whose files import each other in a circle, and why. */
const natural: Readonly<Record<string, string>> = {
  'libs/schema/src/cel/compile': 'an expression consists of expressions',
  'libs/schema/src/cel/cost': 'a macro’s body is an expression',
  'libs/schema/src/internal/validate': 'a schema consists of schemas',
};

/** Folders with a circle that could be cut and is not yet, and which it is. */
const uncut: Readonly<Record<string, string>> = {
  'libs/simulator/src/api-server': 'the verbs call the server that calls them',
};
const exceptions = Object.keys({ ...natural, ...uncut });

const sources = execFileSync('git', ['ls-files', 'libs/*/src/*.ts', 'apps/*.ts', 'tools/*.ts'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|generated\//.test(file));

const imports = new Map(
  sources.map((file) => [
    file,
    [...readFileSync(join(root, file), 'utf8').matchAll(/^(?:import|export)\s[^;]*?from '(\.[^']+)'/gm)].map(
      ([, path = '']) => normalize(join(dirname(file), path)),
    ),
  ]),
);

/** All files that a file imports, and those that these import. */
function reach(from: string): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [...(imports.get(from) ?? [])];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    waiting.push(...(imports.get(file) ?? []));
  }
  return found;
}

const inCircles = sources.filter((file) => reach(file).has(file));
const folderOf = (file: string): string | undefined => exceptions.find((folder) => file.startsWith(`${folder}/`));

test('no file imports itself by way of others, but where recursion is natural or a circle is not cut yet', () => {
  expect(inCircles.filter((file) => folderOf(file) === undefined)).toEqual([]);
});

test('each exception is one', () => {
  expect([...new Set(inCircles.map(folderOf))].sort()).toEqual([...exceptions].sort());
});
