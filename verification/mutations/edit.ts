import { tokensOf } from './fragment.ts';
import type { Token } from './fragment.ts';
import type { Role, Source } from './leaves.ts';
import type { Match } from './match.ts';

/** The text of a source in which the fragment at this place is the other one. What the two have in common stays as it is written. */
export function edited(
  source: Source,
  match: Match,
  fragments: { readonly find: string; readonly replace: string },
): string {
  const [old, now] = [tokensOf(fragments.find), tokensOf(fragments.replace)];
  const translate = translation(old, match);
  let text = '';
  let done = 0;
  for (const { from, to, first, last } of hunksOf(old, now)) {
    const [start, end] = rangeOf(source, match, from, to);
    text += `${source.text.slice(done, start)} ${written(fragments.replace, now, { first, last, translate })} `;
    done = end;
  }
  return text + source.text.slice(done);
}

/** Tokens `from` to `to` of the fragment become tokens `first` to `last` of the other; the ends do not count in. */
interface Hunk {
  readonly from: number;
  readonly to: number;
  readonly first: number;
  readonly last: number;
}

/** What is to be changed of one list of tokens, so that it becomes the other: all but their longest common part. */
function hunksOf(old: readonly Token[], now: readonly Token[]): Hunk[] {
  const same = (i: number, j: number): boolean => old[i]!.text === now[j]!.text && isShort(old, i) === isShort(now, j);
  const common = Array.from({ length: old.length + 1 }, () => new Array<number>(now.length + 1).fill(0));
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = now.length - 1; j >= 0; j -= 1)
      common[i]![j] = same(i, j) ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
  const hunks: Hunk[] = [];
  let [from, first, i, j] = [0, 0, 0, 0];
  const close = (): void => {
    if (from < i || first < j) hunks.push({ from, to: i, first, last: j });
  };
  while (i < old.length && j < now.length) {
    if (same(i, j)) {
      close();
      [i, j] = [i + 1, j + 1];
      [from, first] = [i, j];
    } else if (common[i + 1]![j]! >= common[i]![j + 1]!) i += 1;
    else j += 1;
  }
  [i, j] = [old.length, now.length];
  close();
  return hunks;
}

function rangeOf(source: Source, { spans }: Match, from: number, to: number): readonly [number, number] {
  const start = (index: number): number => source.leaves[spans[index]![0]]!.start;
  const end = (index: number): number => source.leaves[spans[index]![1] - 1]!.end;
  if (from === to) return from === 0 ? [start(0), start(0)] : [end(from - 1), end(from - 1)];
  return [start(from), Math.max(start(from), end(to - 1))];
}

interface Writing {
  readonly first: number;
  readonly last: number;
  readonly translate: (tokens: readonly Token[], at: number) => string;
}

function written(text: string, tokens: readonly Token[], { first, last, translate }: Writing): string {
  let [result, done] = ['', tokens[first]?.start ?? 0];
  for (let at = first; at < last; at += 1) {
    const { start, end } = tokens[at]!;
    result += text.slice(done, start) + translate(tokens, at);
    done = end;
  }
  return result;
}

/** What the names of the one fragment, met in the other, are called in the source. */
function translation(old: readonly Token[], { bindings }: Match): Writing['translate'] {
  const lookUp = (role: Role, tokens: readonly Token[], at: number): string => {
    const name = tokens[at]!.text;
    const known = bindings.filter((binding) => binding.role === role && binding.name === name);
    const names = new Set(known.map(({ is }) => is));
    if (names.size <= 1) return known[0]?.is ?? name;
    // One name of the fragment is several in the source: that which stands after the same words.
    const likely = known.filter(({ token }) => before(old, token) === before(tokens, at));
    const [one, ...others] = new Set(likely.map(({ is }) => is));
    if (one === undefined || others.length > 0)
      throw new Error(`${name} is ${[...names].join(', ')} here: which of them is meant?`);
    return one;
  };
  return (tokens, at) => {
    const token = tokens[at]!;
    if (!token.isName) return token.text;
    const roles = rolesAt(tokens, at);
    const names = roles.map((role) => lookUp(role, tokens, at));
    return new Set(names).size === 1 ? names[0]! : names.join(': ');
  };
}

const before = (tokens: readonly Token[], at: number): string =>
  `${tokens[at - 2]?.text ?? ''} ${tokens[at - 1]?.text ?? ''}`;

/** What a name of a fragment stands for, as far as the fragment shows. */
export function rolesAt(tokens: readonly Token[], at: number): readonly Role[] {
  const previous = tokens[at - 1]?.text;
  if (previous === '.' || previous === '?.') return ['property'];
  if (isShort(tokens, at)) return ['property', 'binding'];
  const isKey = tokens[at + 1]?.text === ':' && isEntry(tokens, at);
  return [isKey ? 'property' : 'binding'];
}

const isShort = (tokens: readonly Token[], at: number): boolean =>
  tokens[at]!.isName && isEntry(tokens, at) && [',', '}', undefined].includes(tokens[at + 1]?.text);

/** Whether a token begins an entry of an object. */
function isEntry(tokens: readonly Token[], at: number): boolean {
  const previous = tokens[at - 1]?.text;
  if (previous !== '{' && previous !== ',') return false;
  let depth = 0;
  for (let index = at - 1; index >= 0; index -= 1) {
    const { text } = tokens[index]!;
    if (')]}'.includes(text)) depth += 1;
    else if ('([{'.includes(text) && depth > 0) depth -= 1;
    else if ('([{'.includes(text)) return text === '{';
  }
  return false;
}
