import { byteLength } from '../../internal/go-text.ts';
import type { Node } from '../../internal/node.ts';
import type { Shape } from '../schema/shape.ts';
import { requestSize } from './limits.ts';

/** How many characters, bytes, items or entries a value of the shape has at most, as the API server estimates it: by the schema's bounds, or by what fits into a request. */
export function maxElements(shape: Shape): number {
  const { node } = shape;
  if (node.intOrString) return node.maxLength === undefined ? requestSize - 2 : 4 * positive(node.maxLength);
  switch (node.type) {
    case 'array':
      return node.maxItems === undefined
        ? Math.floor((requestSize - 2) / (minSize(shape.items) + 1))
        : positive(node.maxItems);
    case 'object':
      if (shape.values === undefined) return 0;
      return node.maxProperties === undefined
        ? Math.floor((requestSize - 2) / (minSize(shape.values) + 6))
        : positive(node.maxProperties);
    case 'string':
      return maxText(node);
    default:
      return 0;
  }
}

/** Characters of times and durations with their quotation marks, whatever `maxLength` says. */
const timeSizes: Readonly<Record<string, number>> = { duration: 32, date: 12, 'date-time': 32 };

function maxText({ format, maxLength, enum: values }: Node): number {
  const time = timeSizes[format];
  if (time !== undefined) return time;
  if (maxLength !== undefined) return positive(maxLength) * (format === 'byte' ? 1 : 4);
  if (format === 'byte' || values.length === 0) return requestSize - 2;
  return Math.max(...values.map((value) => (typeof value === 'string' ? byteLength(value) : 0)));
}

const positive = (limit: number): number => Math.max(0, limit);

/** The fewest bytes of values of a type in JSON. */
const smallest: Readonly<Record<string, number>> = { string: 2, boolean: 4, number: 1, integer: 1, array: 2 };
const smallestTimes: Readonly<Record<string, number>> = { duration: 3, date: 12, 'date-time': 21 };

/** The fewest bytes that a value of the shape takes in JSON: an object holds at least what it requires and no default fills in. */
function minSize(shape: Shape | undefined): number {
  if (shape === undefined) return 0;
  const { node } = shape;
  if (node.intOrString) return 1;
  if (node.type === 'string') return smallestTimes[node.format] ?? 2;
  if (node.type !== 'object' || shape.values !== undefined) return smallest[node.type] ?? 2;
  const fields = [...shape.fields.values()].filter(({ name, shape: { node: field } }) =>
    node.required.includes(name) ? field.default === undefined : false,
  );
  return fields
    .filter(({ shape: field }) => field.type !== undefined)
    .reduce((size, { name, shape: field }) => size + byteLength(name) + minSize(field) + 4, 2);
}

/** How many values of the shape an object holds at most where no list or map around them has a bound: as many as fit into a request. */
export function maxInRequest(shape: Shape): number {
  return Math.floor(requestSize / (minSize(shape) + 1));
}

/** Where the API server looks for the bound of an expression's value: the shape behind the steps, none where there is no such step. */
export function shapeAt(root: Shape, steps: readonly string[]): Shape | 'key' | undefined {
  let at: Shape | 'key' | undefined = root;
  for (const step of steps) {
    if (at === undefined || at === 'key') return undefined;
    at = next(at, step);
  }
  return at;
}

function next(shape: Shape, step: string): Shape | 'key' | undefined {
  switch (step) {
    case '@items':
    case '@values':
      return shape.items ?? shape.values;
    case '@keys':
      return shape.values === undefined ? undefined : 'key';
    default: {
      const field = shape.fields.get(step)?.shape;
      return field?.type === undefined ? undefined : field;
    }
  }
}
