// Schemas for the comparison of what is structural: made with a seed, with and without `type`, at the root and below.
import { seededRandom } from '@ordinal/schema/sample';
import type { Random } from '@ordinal/schema/sample';

/** One schema of a CRD's version; what stands in it may be wrong. */
export interface StructuralCase {
  readonly schema: Json;
  /** The version has a status subresource, which restricts what may stand at the root. */
  readonly status?: true;
}

type Json = Readonly<Record<string, unknown>>;

const open = { 'x-kubernetes-preserve-unknown-fields': true };
const either = [{ type: 'integer' }, { type: 'string' }];

/** What people write, and what the random ones would meet rarely. */
const written: readonly Json[] = [
  {},
  open,
  { type: '', ...open },
  { ...open, description: 'anything' },
  { ...open, nullable: true },
  { ...open, default: {} },
  { ...open, additionalProperties: true },
  { type: 'object', additionalProperties: false },
  { type: 'object', additionalProperties: false, properties: { a: { type: 'string' } } },
  { type: 'object', additionalProperties: true, properties: { a: { type: 'string' } } },
  { type: 'object', properties: {}, additionalProperties: { type: 'string' } },
  { type: 'string', anyOf: [{ nullable: false, description: '', title: '', type: '' }] },
  { type: 'string', anyOf: [{ 'x-kubernetes-preserve-unknown-fields': false }] },
  { type: 'string', 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'string' }] },
  { 'x-kubernetes-int-or-string': true, allOf: [{ anyOf: either }, { anyOf: either }] },
  { 'x-kubernetes-int-or-string': true, anyOf: either, allOf: [{ anyOf: either }] },
  { type: 'object', 'x-kubernetes-embedded-resource': true, ...open, default: {} },
  { type: 'object', 'x-kubernetes-embedded-resource': true, ...open, default: { apiVersion: 'v1', kind: 'A' } },
  { type: 'object', properties: {}, 'x-kubernetes-embedded-resource': true },
  { ...open, additionalProperties: { type: 'string' } },
  { ...open, items: { type: 'string' } },
  { ...open, required: ['spec'] },
  { ...open, properties: { spec: open } },
  { ...open, properties: { spec: { type: 'object', properties: { a: open } } } },
  { ...open, properties: { metadata: open } },
  { ...open, properties: { metadata: { type: 'object' }, kind: { type: 'string' }, apiVersion: { type: 'string' } } },
  { ...open, properties: { kind: open } },
  { ...open, 'x-kubernetes-embedded-resource': true },
  { ...open, 'x-kubernetes-int-or-string': true },
  { ...open, 'x-kubernetes-map-type': 'atomic' },
  { ...open, 'x-kubernetes-validations': [{ rule: 'has(self.metadata)' }] },
  { ...open, anyOf: [{ required: ['spec'] }] },
  { 'x-kubernetes-preserve-unknown-fields': false },
  { 'x-kubernetes-int-or-string': true },
  { 'x-kubernetes-int-or-string': true, anyOf: either },
  { 'x-kubernetes-embedded-resource': true },
  { properties: { spec: { type: 'object' } } },
  { additionalProperties: { type: 'string' } },
  { type: 'object', additionalProperties: { type: 'string' } },
  { type: 'object', additionalProperties: true },
  { type: 'object', ...open, additionalProperties: { type: 'string' } },
  { type: 'array', items: { type: 'string' } },
  { type: 'string' },
  { type: 'text' },
];

const happens = (random: Random, probability: number): boolean => random.next() < probability;
const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random.next() * items.length)]!;

/** The corpus of this seed: as many schemas at random, after those that are written out. */
export function makeStructuralCorpus(seed: number, count: number): readonly StructuralCase[] {
  const random = seededRandom(seed);
  const generated = Array.from({ length: count }, () => nodeOf(random, 0));
  const below = written.map((schema) => ({ type: 'object', properties: { spec: schema } }));
  const cases = [...written, ...below, ...generated].map((schema): StructuralCase =>
    happens(random, 0.15) ? { schema, status: true } : { schema },
  );
  return [...new Map(cases.map((each) => [JSON.stringify(each), each])).values()];
}

const types = ['object', 'object', 'object', 'array', 'string', 'integer', 'number', 'boolean'];
/** Of the deepest schema that is made. */
const deepest = 3;

/** Most schemas say what fits together, with a fault here and there; some are made of anything. */
function nodeOf(random: Random, depth: number): Json {
  return happens(random, depth === 0 ? 0.2 : 0.08) ? anyNode(random, depth) : fittingNode(random, depth);
}

function fittingNode(random: Random, depth: number): Json {
  const type = depth === 0 ? 'object' : pick(random, depth >= deepest ? types.slice(3) : types);
  const below = (): Json => nodeOf(random, depth + 1);
  const maybe = (probability: number, part: Json): Json => (happens(random, probability) ? part : {});
  const isOpen = happens(random, 0.3);
  return {
    ...maybe(isOpen ? 0.5 : 0.97, { type }),
    ...(isOpen ? open : {}),
    ...(type === 'object' && (depth === 0 || happens(random, 0.8)) ? { properties: propertiesOf(random, below) } : {}),
    ...(type === 'array' ? { items: below() } : {}),
    ...maybe(depth === 0 ? 0 : 0.08, { nullable: true }),
    ...maybe(0.06, { anyOf: [{ required: ['a'] }, { required: ['b'] }] }),
  };
}

function anyNode(random: Random, depth: number): Json {
  const maybe = (probability: number, part: () => Json): Json => (happens(random, probability) ? part() : {});
  const below = (): Json => nodeOf(random, depth + 1);
  const isLeaf = depth >= deepest;
  return {
    ...maybe(0.65, () => ({ type: happens(random, 0.04) ? pick(random, ['', 'text', 'null']) : pick(random, types) })),
    ...maybe(0.35, () => ({ 'x-kubernetes-preserve-unknown-fields': happens(random, 0.93) })),
    ...maybe(0.08, () => ({ 'x-kubernetes-int-or-string': true })),
    ...maybe(0.08, () => ({ 'x-kubernetes-embedded-resource': true })),
    ...maybe(isLeaf ? 0 : depth === 0 ? 0.7 : 0.35, () => ({ properties: propertiesOf(random, below) })),
    ...maybe(isLeaf ? 0 : 0.08, () => ({ additionalProperties: happens(random, 0.3) ? true : below() })),
    ...maybe(isLeaf ? 0 : 0.15, () => ({ items: below() })),
    ...maybe(0.06, () => ({ nullable: true })),
    ...maybe(0.05, () => ({ default: pick(random, ['x', 1, {}, [], null, { a: 1 }]) })),
    ...maybe(0.1, () => junctorOf(random)),
    ...maybe(0.03, () => ({ 'x-kubernetes-list-type': pick(random, ['set', 'map', 'atomic', 'bag']) })),
    ...maybe(0.03, () => ({ 'x-kubernetes-map-type': pick(random, ['atomic', 'granular', 'loose']) })),
    ...maybe(0.02, () => ({ uniqueItems: true })),
  };
}

function propertiesOf(random: Random, below: () => Json): Json {
  const names = ['spec', 'status', 'a', 'b', 'metadata', 'kind', 'apiVersion'];
  // The last three of the names have rules of their own.
  if (happens(random, 0.6)) return { spec: below(), ...(happens(random, 0.5) ? { status: below() } : {}) };
  const count = 1 + Math.floor(random.next() * 3);
  return Object.fromEntries(Array.from({ length: count }, () => [pick(random, names), below()] as const));
}

function junctorOf(random: Random): Json {
  const branch = pick<Json>(random, [
    { required: ['a'] },
    { properties: { a: { minLength: 1 } } },
    { properties: { a: { type: 'string' } } },
    { properties: { metadata: { required: ['name'] } } },
    { items: { minLength: 1 } },
    { type: 'string' },
    { default: 1, description: 'd' },
    open,
    { nullable: true, title: 't' },
    { anyOf: either },
    { not: { allOf: [{ required: ['a'] }] } },
    {},
  ]);
  const name = pick(random, ['allOf', 'anyOf', 'oneOf', 'not', 'pattern']);
  if (name === 'pattern') return { anyOf: either };
  return { [name]: name === 'not' ? branch : [branch] };
}
