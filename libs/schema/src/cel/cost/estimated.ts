import type { StaticType } from '../compile/types.ts';
import { runeCount } from '../../internal/go-text.ts';
import type { Literal } from '../syntax/ast.ts';
import type { Shape } from '../schema/shape.ts';
import { maxElements, shapeAt } from './bound.ts';
import type { Path } from './path.ts';
import { fixed, unionOf, unknownSize } from './range.ts';
import type { Range } from './range.ts';

/** Sizes of what a list or map made in an expression holds. */
export interface EntrySizes {
  readonly container: 'list' | 'map';
  readonly key: Range;
  readonly value: Range;
}

/** A variable that a macro declares, as far as estimates know it. */
export interface LocalVariable {
  readonly type: StaticType;
  readonly path: Path | undefined;
  readonly size: Range | undefined;
  readonly entries: EntrySizes | undefined;
}

/** What is estimated of a part of an expression. */
export interface Parts {
  /** The highest cost of evaluating it. */
  readonly cost: number;
  readonly type: StaticType;
  readonly path?: Path | undefined;
  /** The size of what is written out. */
  readonly written?: number | undefined;
  readonly literal?: Literal | undefined;
  /** The size of what a call gives. */
  readonly size?: Range | undefined;
  readonly entries?: EntrySizes | undefined;
  readonly local?: LocalVariable | undefined;
}

/** A part of an expression with its estimated cost and size. */
export class Estimated {
  readonly cost: number;
  readonly type: StaticType;
  readonly path: Path | undefined;
  readonly literal: Literal | undefined;
  readonly entries: EntrySizes | undefined;
  readonly #root: Shape;
  readonly #written: number | undefined;
  readonly #local: LocalVariable | undefined;
  #size: Range | undefined;

  constructor(root: Shape, parts: Parts) {
    this.cost = parts.cost;
    this.type = parts.type;
    this.path = parts.path;
    this.literal = parts.literal;
    this.entries = parts.entries ?? parts.local?.entries;
    this.#root = root;
    this.#written = parts.written;
    this.#local = parts.local;
    this.#size = parts.size;
  }

  /** The size, when something is known of it: what it was made of, the schema, a type of one size. In that order, as cel-go looks. */
  get size(): Range | undefined {
    if (this.#size !== undefined) return this.#size;
    if (this.#written !== undefined) return fixed(this.#written);
    this.#size = sizeAt(this.#root, this.path);
    if (this.#size !== undefined) return this.#size;
    return isScalar(this.type) ? fixed(1) : this.#local?.size;
  }

  /** The size, or anything at all. */
  get sizeOrUnknown(): Range {
    return this.size ?? unknownSize;
  }
}

/** The size that the schema bounds; undefined where the path leads nowhere. */
export function sizeAt(root: Shape, path: Path | undefined): Range | undefined {
  if (path === undefined) return undefined;
  const shape = shapeAt(root, path.steps);
  if (shape === undefined) return undefined;
  return { min: 0, max: shape === 'key' ? 0 : maxElements(shape) };
}

const scalars = new Set(['bool', 'double', 'int', 'uint', 'google.protobuf.Duration', 'google.protobuf.Timestamp']);

function isScalar(type: StaticType): boolean {
  if (type.kind === 'optional') return isScalar(type.value);
  return type.kind === 'simple' && scalars.has(type.name);
}

/** The size of a constant: characters of a text, bytes, 1 for everything else. */
export function literalSize(literal: Literal): number {
  if (typeof literal === 'string') return runeCount(literal);
  return literal instanceof Uint8Array ? literal.length : 1;
}

/** What is one or the other; undefined where one of them is not known. */
export function eitherEntries(a: EntrySizes | undefined, b: EntrySizes | undefined): EntrySizes | undefined {
  if (a === undefined || b === undefined) return undefined;
  return { container: a.container, key: unionOf(a.key, b.key), value: unionOf(a.value, b.value) };
}
