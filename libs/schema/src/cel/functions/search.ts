/** Up to this length of what is sought JavaScript's own search is used; beyond it some texts would make it quadratic. */
const short = 64;

/** Where the part first stands in the text at or behind `from`, in UTF-16 units; -1 where it does not. In linear time. */
export function findText(text: string, part: string, from: number): number {
  if (part.length <= short) return text.indexOf(part, from);
  for (const at of occurrences(text, part, from)) return at;
  return -1;
}

/** All places where the part stands, also those that overlap (Knuth, Morris and Pratt). */
function* occurrences(text: string, part: string, from: number): Generator<number> {
  const falls = fallsOf(part);
  let matched = 0;
  for (let i = from; i < text.length; i++) {
    while (matched > 0 && text[i] !== part[matched]) matched = falls[matched - 1] ?? 0;
    if (text[i] === part[matched]) matched++;
    if (matched < part.length) continue;
    yield i - matched + 1;
    matched = falls[matched - 1] ?? 0;
  }
}

/** How much of the part is still matched when the character behind each of its prefixes is another. */
function fallsOf(part: string): Uint32Array {
  const falls = new Uint32Array(part.length);
  let matched = 0;
  for (let i = 1; i < part.length; i++) {
    while (matched > 0 && part[i] !== part[matched]) matched = falls[matched - 1] ?? 0;
    if (part[i] === part[matched]) matched++;
    falls[i] = matched;
  }
  return falls;
}

/** Where the part last begins in the text at or before `from`; -1 where it does not. */
export function findLastText(text: string, part: string, from: number): number {
  if (part.length <= short) return text.lastIndexOf(part, from);
  let last = -1;
  for (const at of occurrences(text, part, 0)) if (at <= from) last = at;
  return last;
}

/** The text between the places where the separator stands, which is not empty. */
export function splitBy(text: string, separator: string): string[] {
  if (separator.length <= short) return text.split(separator);
  const parts: string[] = [];
  let start = 0;
  for (const at of occurrences(text, separator, 0)) {
    if (at < start) continue;
    parts.push(text.slice(start, at));
    start = at + separator.length;
  }
  return [...parts, text.slice(start)];
}

/** How many UTF-16 units the first characters of the text take. */
export function unitsOf(text: string, characters: number): number {
  let units = 0;
  for (let left = characters; left > 0 && units < text.length; left--)
    units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  return units;
}
