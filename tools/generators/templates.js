import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What a generator writes to: Nx's `Tree`, as far as it is used.
 *
 * @typedef {object} Files
 * @property {(path: string, encoding: 'utf8') => string | null} read
 * @property {(path: string, content: string) => void} write
 * @property {(path: string) => boolean} exists
 */

/**
 * Writes each template of a folder, with its placeholders filled in, in its path too. Throws where a file is there already.
 *
 * @param {Files} tree
 * @param {{ readonly from: string, readonly to: string, readonly words: Readonly<Record<string, string>> }} options
 */
export function writeTemplates(tree, { from, to, words }) {
  for (const name of globSync('**/*.template', { cwd: from })) {
    const path = join(to, fillIn(name.slice(0, -'.template'.length), words));
    if (tree.exists(path)) throw new Error(`${path} is there already: choose another name`);
    tree.write(path, fillIn(readFileSync(join(from, name), 'utf8'), words));
  }
}

/**
 * The text with `__word__` replaced by what it stands for. Throws for a placeholder that has no word.
 *
 * @param {string} text
 * @param {Readonly<Record<string, string>>} words
 */
function fillIn(text, words) {
  return text.replace(/__([a-zA-Z]+)__/g, (placeholder, word) => {
    if (words[word] === undefined) throw new Error(`${placeholder} stands for nothing`);
    return words[word];
  });
}

/**
 * Puts a text in front of the first place where another one stands. Throws where it does not stand there: the file was changed, and the generator has to follow.
 *
 * @param {Files} tree
 * @param {string} path
 * @param {{ readonly before: string, readonly text: string }} change
 */
export function insert(tree, path, { before, text }) {
  const content = tree.read(path, 'utf8') ?? '';
  const at = content.indexOf(before);
  if (at < 0) throw new Error(`${path} has no “${before.trim()}” any more: mend the generator`);
  tree.write(path, content.slice(0, at) + text + content.slice(at));
}

/**
 * `MessageQueue` as `message-queue`.
 *
 * @param {string} name
 */
export const kebab = (name) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1-$2')
    .toLowerCase();
