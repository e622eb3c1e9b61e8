import type { Token } from './fragment.ts';
import type { Leaf, Role, Source } from './leaves.ts';

/** How a name of the fragment is called in the source. */
interface Binding {
  readonly role: Role;
  /** In the fragment. */
  readonly name: string;
  /** In the source. */
  readonly is: string;
  /** Which token of the fragment it is. */
  readonly token: number;
}

/** One place of a source that has the fragment's shape. */
export interface Match {
  /** For each token of the fragment, the leaves that stand for it: the first, and the one after the last. */
  readonly spans: readonly (readonly [number, number])[];
  readonly bindings: readonly Binding[];
  /** Whether all names are the fragment's own. */
  readonly isExact: boolean;
}

/** Everywhere the fragment stands, whatever its names are there. */
export function matchesOf(tokens: readonly Token[], source: Source): readonly Match[] {
  return source.leaves.flatMap((_, at) => matchAt(tokens, source.leaves, at) ?? []);
}

function matchAt(tokens: readonly Token[], leaves: readonly Leaf[], from: number): Match | undefined {
  const spans: [number, number][] = [];
  const bindings: Binding[] = [];
  let at = from;
  for (const [index, token] of tokens.entries()) {
    if (index > 0 && token.text !== ',' && isTrailing(leaves, at)) at += 1;
    const step = stepAt({ tokens, index }, leaves, at);
    if (step === undefined) return undefined;
    spans.push([at, at + step.length]);
    bindings.push(...step.bindings);
    at += step.length;
  }
  return { spans, bindings, isExact: bindings.every(({ name, is }) => name === is) };
}

/** How many leaves stand for a token, and what its name is called by them. */
interface Step {
  readonly length: number;
  readonly bindings: readonly Binding[];
}

interface Place {
  readonly tokens: readonly Token[];
  readonly index: number;
}

function stepAt({ tokens, index }: Place, leaves: readonly Leaf[], at: number): Step | undefined {
  const [token, leaf] = [tokens[index], leaves[at]];
  if (token === undefined || leaf === undefined) return undefined;
  const next = tokens[index + 1]?.text;
  if (!leaf.isName || !token.isName) {
    if (isSame(token.text, leaf.text)) return { length: 1, bindings: [] };
    const mayLack = token.text === ',' && closers.has(leaf.text) && (next === undefined || closers.has(next));
    return mayLack ? { length: 0, bindings: [] } : undefined;
  }
  const bound = (role: Role, is: string): Binding => ({ role, name: token.text, is, token: index });
  const value = longValue(leaves, at);
  if (value !== undefined && leaves[at + 1]?.text !== next)
    // A rename makes `{ a: b }` of `{ a }`.
    return { length: 3, bindings: [bound('property', leaf.text), bound('binding', value.text)] };
  return isRenameable(token, leaf)
    ? { length: 1, bindings: leaf.roles.map((role) => bound(role, leaf.text)) }
    : undefined;
}

const closers: ReadonlySet<string | undefined> = new Set([')', ']', '}', '>']);

/** A comma before a closing bracket is a matter of formatting. */
const isTrailing = (leaves: readonly Leaf[], at: number): boolean =>
  leaves[at]?.text === ',' && closers.has(leaves[at + 1]?.text);

/** The `b` of an entry `a: b`, or of an import `a as b`, that begins here. */
function longValue(leaves: readonly Leaf[], at: number): Leaf | undefined {
  const [name, separator, value, after] = leaves.slice(at, at + 4);
  if (name?.roles[0] !== 'property' || name.roles.length > 1 || value?.roles[0] !== 'binding') return undefined;
  const isLong = separator?.text === ':' || separator?.text === 'as';
  return isLong && [',', '}', '='].includes(after?.text ?? '') ? value : undefined;
}

/** Names that belong to the platform, so that no rename of ours moves them. */
export const globals: ReadonlySet<string> = new Set([...Object.getOwnPropertyNames(globalThis), 'arguments']);

function isRenameable(token: Token, leaf: Leaf): boolean {
  if (token.text === leaf.text) return true;
  if (token.text.startsWith('#') !== leaf.text.startsWith('#')) return false;
  return leaf.roles[0] === 'property' || !(globals.has(token.text) || globals.has(leaf.text));
}

const isSame = (one: string, other: string): boolean => one === other || plain(one) === plain(other);

/** A text without its kind of quotes. */
function plain(text: string): string {
  const inner = /^(['"])(.*)\1$/s.exec(text)?.[2];
  return inner === undefined ? text : `'${inner.replace(/\\(['"])/g, '$1')}'`;
}
