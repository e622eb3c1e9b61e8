import { createHash } from 'node:crypto';

/** The TypeScript name of a kind: the kind itself, its first letter in upper case, and an underscore for a dash, so that `A-B` is not `AB`. */
export function kindTypeName(kind: string): string {
  return capital(kind).replaceAll('-', '_');
}

/**
 * The name of the structure at a path: the kind and the path's keys, each with its first letter in upper case. Only the path goes into it, and no two
 * paths give the same name, so that it does not change whatever else is added. Keys of one word stand side by side; from the first key of several words
 * on (`issuerRef`) each key has an underscore before it: `a.bC` is `KindA_BC`, and `aB.c` is `Kind_AB_C`. A key that is no word in camel case also gets a hash of
 * itself. A name never ends in `Input`: that is the mark of the written form.
 */
export function pathName(kind: string, path: readonly string[]): string {
  const compound = path.findIndex((key) => !/^[a-z][a-z0-9]*$/.test(key));
  const words = compound === -1 ? path : path.slice(0, compound);
  const rest = path.slice(words.length);
  const name = kindTypeName(kind) + words.map(capital).join('') + rest.map((key) => `_${segment(key)}`).join('');
  return path.length > 0 && name.endsWith('Input') ? `${name}_` : name;
}

/** The name of a structure's written form. */
export const inputName = (name: string): string => `${name}Input`;

/** The module of a kind: the kind in lower case, as kubectl writes it, with an underscore where that is the name of another module. */
export function moduleName(kind: string): string {
  const name = kind.toLowerCase();
  return ownModules.has(name) ? `${name}_` : name;
}

const ownModules = new Set(['index', 'clients', 'constructs', 'validators']);

/** A short mark that distinguishes two texts. */
const mark = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 6);

function segment(key: string): string {
  if (/^[a-z][A-Za-z0-9]*$/.test(key)) return capital(key);
  const words = key.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return `${words.map(capital).join('')}_${mark(key)}`;
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/**
 * The name of a descriptor: the plural in the kind's own upper and lower case (`ClusteredCache`, `clusteredcaches`: `clusteredCaches`), with an
 * underscore where that is no name in JavaScript.
 */
export function descriptorName(kind: string, plural: string): string {
  const lower = kind.toLowerCase();
  let same = 0;
  while (same < lower.length && lower[same] === plural[same]) same += 1;
  const cased = (kind.slice(0, same) + plural.slice(same)).replaceAll('-', '_');
  const name = lowerFirst(cased);
  return reserved.has(name) ? `${name}_` : name;
}

/** A type's name as a value's: `KVStoreCluster`, `kvStoreCluster`. */
export const lowerFirst = (name: string): string =>
  name.replace(/^[A-Z]+(?=[A-Z][a-z])|^[A-Z]+/, (run) => run.toLowerCase());

const reserved = new Set(
  (
    'abstract any arguments as async await boolean break case catch class const continue debugger declare default delete do else enum eval export ' +
    'extends false finally for from function get if implements import in infer instanceof interface is keyof let module namespace never new null number ' +
    'object of package private protected public readonly return set static string super switch symbol this throw true try type typeof undefined ' +
    'unique unknown var void while with yield ordinal'
  ).split(' '),
);
