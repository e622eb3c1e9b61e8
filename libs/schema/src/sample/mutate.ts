import { copyJson, isJsonObject } from '../json.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { allSteps, setAt, valueAt } from './path.ts';
import type { Steps } from './path.ts';
import { integer, pick } from './random.ts';
import type { Random } from './random.ts';

/** An object that was changed in one place. */
export interface Mutation {
  readonly object: JsonObject;
  /** What was done, and where: `remove spec.image`. */
  readonly what: string;
}

type Change = (value: JsonValue, random: Random) => JsonValue | undefined;

const oddTexts = [
  '',
  ' ',
  'A',
  '-',
  'a..b',
  'é',
  '0',
  'true',
  'null',
  'x'.repeat(300),
  '2024-13-01',
  '1.5',
  '999.0.0.1',
  'a\nb',
  '"',
  '5x',
  'http://',
];
const oddNumbers = [0, -1, 1, 0.5, -0.5, 65536, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, 1e19, 1e300, 1e-7];

const changes: readonly (readonly [string, Change])[] = [
  ['remove', () => undefined],
  ['null', () => null],
  ['text', (_, random) => pick(random, oddTexts) ?? ''],
  ['number', (_, random) => pick(random, oddNumbers) ?? 0],
  ['boolean', (value) => value !== true],
  ['object', () => ({})],
  ['list', () => []],
  ['wrap', (value) => [value]],
  [
    'unknown',
    (value, random) =>
      isJsonObject(value) ? { ...value, [`unknown${String(integer(random, 0, 9))}`]: 'x' } : { unknown: 1 },
  ],
  ['repeat', (value) => (Array.isArray(value) ? [...value, ...copyJson(value)] : value)],
  ['grow', (value) => grow(value)],
  ['shrink', (value) => shrink(value)],
];

function grow(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value + value + 'x';
  if (typeof value === 'number') return value * 1000 + 1;
  if (Array.isArray(value) && value.length > 0)
    return Array.from({ length: 70 }, (_, i) => copyJson(value[i % value.length] ?? null));
  return value;
}

function shrink(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.slice(1);
  if (typeof value === 'number') return value - 1;
  return Array.isArray(value) ? value.slice(1) : value;
}

/**
 * A copy with one change somewhere below the given roots: a field taken away, another type, an odd text or number, an
 * unknown field, a doubled list. Often invalid, not always.
 */
export function mutate(object: JsonObject, random: Random, roots: readonly string[] = ['spec']): Mutation {
  const copy = copyJson(object);
  const places = roots
    .filter((root) => Object.hasOwn(copy, root))
    .flatMap((root) => [[root], ...allSteps(copy[root], [root])]);
  const steps: Steps = pick(random, places) ?? [];
  const [name, change] = pick(random, changes) ?? ['none', (value: JsonValue): JsonValue => value];
  setAt(copy, steps, change(valueAt(copy, steps) ?? null, random));
  return { object: copy, what: `${name} ${steps.join('.')}` };
}
