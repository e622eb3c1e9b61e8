import { readFileSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/**
 * @typedef {object} Project What is no package: a program, an example, or a part of the checks.
 * @property {string} name
 * @property {string} folder from the root of the repository
 * @property {readonly string[]} dependencies the names of the projects that it may import or run: the `implicitDependencies` of its project.json, from which
 *   Nx knows what a change concerns
 */

/**
 * All projects that are no packages, by their project.json.
 *
 * @type {readonly Project[]}
 */
export const programs = globSync('{bench,{examples,tools,verification}/*}/project.json', { cwd: root })
  .sort()
  .map((file) => {
    const { name, implicitDependencies = [] } = JSON.parse(readFileSync(join(root, file), 'utf8'));
    return { name, folder: dirname(file), dependencies: implicitDependencies };
  });

/**
 * Where the files of a project are, from the root.
 *
 * @param {string} name
 * @returns {string}
 */
export function folderOf(name) {
  const program = programs.find((each) => each.name === name);
  if (program) return program.folder;
  const short = name.replace('@ordinal/', '');
  const elsewhere = { operator: 'apps/operator', codegen: 'tools/codegen', 'kubectl-ordinal': 'tools/kubectl-ordinal' };
  return elsewhere[short] ?? `libs/${short}`;
}

/**
 * A pattern of the paths by which files elsewhere import those of a project: whole ones (`../../tools/flags/flags.ts`) and of a neighbor (`../flags/flags.ts`).
 *
 * @param {string} name
 * @returns {string}
 */
export function pathsInto(name) {
  const parts = folderOf(name).split('/');
  const last = parts.pop();
  return `^(\\.\\./)+${parts.map((part) => `(${part}/)?`).join('')}${last}/`;
}
