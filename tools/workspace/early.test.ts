import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { programs } from './programs.js';

const root = join(import.meta.dirname, '../..');

interface Target {
  readonly parallelism?: boolean;
  readonly dependsOn?: readonly (string | { readonly target: string; readonly projects: readonly string[] })[];
}
interface Project {
  readonly name?: string;
  readonly targets?: Readonly<Record<string, Target>>;
  readonly scripts?: Readonly<Record<string, string>>;
}
const read = (file: string): Project => JSON.parse(readFileSync(join(root, file), 'utf8')) as Project;
const { workspaces } = read('package.json') as { readonly workspaces: readonly string[] };
const projects = [
  ...workspaces.map((folder) => read(`${folder}/package.json`)),
  ...programs.map(({ folder }) => read(`${folder}/project.json`)),
];

/** The tasks that the targets called early depend on. */
const early = projects.flatMap(({ name = '', targets = {} }) =>
  Object.entries(targets)
    .filter(([target]) => target.startsWith('early'))
    .flatMap(([, { dependsOn = [] }]) => dependsOn)
    .flatMap((on) =>
      typeof on === 'string'
        ? [{ project: name, target: on }]
        : on.projects.map((project) => ({ project, target: on.target })),
    ),
);

// Nx says nothing of a dependency on a task that there is not: it would begin in its place, which is late.
test('what is to begin early are tasks that there are, and that run beside others', () => {
  const wrong = early.filter(({ project, target }) => {
    const { targets = {}, scripts = {} } = projects.find(({ name }) => name === project) ?? {};
    const found = targets[target] ?? (target in scripts ? {} : undefined);
    return found === undefined || found.parallelism === false;
  });
  expect(early.length).toBeGreaterThan(2);
  expect(wrong).toEqual([]);
});

test('CI asks for every target that is called early', () => {
  const ci = readFileSync(join(import.meta.dirname, 'ci.ts'), 'utf8');
  const names = projects.flatMap(({ targets = {} }) => Object.keys(targets).filter((name) => name.startsWith('early')));
  expect(names.filter((name) => !ci.includes(`'${name}'`))).toEqual([]);
});
