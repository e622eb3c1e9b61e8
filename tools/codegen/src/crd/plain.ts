import type { DocumentPath } from './locate.ts';

/** Why a value can't be a manifest, and where. */
export interface PlainFault {
  readonly path: DocumentPath;
  readonly message: string;
}

/** How deep a manifest may nest, and how much it may hold once all anchors are written out. An API server takes 3 MB at most. */
const limits = { depth: 1000, values: 3_000_000 };

/**
 * Finds what JSON can't say, or undefined: an anchor that contains itself, anchors that multiply beyond bounds, nesting beyond bounds, infinite
 * numbers, integers that JavaScript would change, and values of YAML tags. Everything behind this check may walk the value without a care.
 */
export function findNotPlain(value: unknown): PlainFault | undefined {
  const path: (string | number)[] = [];
  const above = new Set<object>();
  let left = limits.values;
  const visit = (node: unknown): string | undefined => {
    left -= 1;
    if (left < 0) return 'anchors multiply to more than an API server takes; write less';
    if (typeof node === 'number' && !Number.isFinite(node))
      return `${String(node)} is no number in JSON; give a finite one`;
    if (typeof node === 'number' && losesDigits(node) && isData(path))
      return 'an integer beyond 2^53 is not exact in JavaScript, and would be changed; give a smaller one';
    if (typeof node !== 'object' || node === null) return undefined;
    if (above.has(node)) return 'an anchor contains itself; write the part out';
    if (above.size >= limits.depth) return `nested more than ${String(limits.depth)} deep; flatten it`;
    if (!Array.isArray(node) && Object.getPrototypeOf(node) !== Object.prototype)
      return 'a YAML tag makes this something that JSON can not say; write plain data';
    above.add(node);
    for (const [key, member] of Array.isArray(node) ? node.entries() : Object.entries(node)) {
      path.push(key);
      const message = visit(member);
      if (message !== undefined) return message;
      path.pop();
    }
    above.delete(node);
    return undefined;
  };
  const message = visit(value);
  return message === undefined ? undefined : { path, message };
}

/** True for integers that Kubernetes keeps in 64 bits and JavaScript can't tell from their neighbors. Beyond 64 bits both have floating-point numbers. */
const losesDigits = (value: number): boolean =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) <= 2 ** 63;

/** True below a default or an enum, whose numbers the API server keeps digit by digit. Bounds are floating-point numbers there too. */
const isData = (path: readonly (string | number)[]): boolean =>
  path.some((key, index) => (key === 'default' || key === 'enum') && path[index - 1] !== 'properties');

type Place = 'plain' | 'schema' | 'schemas' | 'data';

/** Where the members of a schema that are schemas themselves, or hold data, stand. */
const places: Readonly<Record<string, Place>> = {
  properties: 'schemas',
  items: 'schema',
  additionalProperties: 'schema',
  not: 'schema',
  allOf: 'schema',
  anyOf: 'schema',
  oneOf: 'schema',
  default: 'data',
  enum: 'data',
  example: 'data',
};

/**
 * A manifest without the members that are null, which the API server reads as absent. Null stays
 * a value where a schema holds data, and a property without a schema stays to be refused.
 */
export function withoutNulls(value: unknown, place: Place = 'plain'): unknown {
  if (typeof value !== 'object' || value === null || place === 'data') return value;
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, place));
  const entries = Object.entries(value).flatMap(([key, member]: [string, unknown]): [string, unknown][] => {
    const inner = placeOf(key, place);
    return member === null && inner !== 'data' && place !== 'schemas' ? [] : [[key, withoutNulls(member, inner)]];
  });
  return Object.fromEntries(entries);
}

function placeOf(key: string, place: Place): Place {
  if (place === 'schemas') return 'schema';
  if (place === 'schema') return Object.hasOwn(places, key) ? (places[key] ?? 'plain') : 'plain';
  return key === 'openAPIV3Schema' ? 'schema' : 'plain';
}
