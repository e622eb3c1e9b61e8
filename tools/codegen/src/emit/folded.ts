/** Shorter values are written out each time: the reference and its line would save little. */
const worthFolding = 48;

interface Value {
  /** Its JSON, in which `~3;` stands for the value number 3. */
  readonly text: string;
  uses: number;
}

/**
 * A JSON value as a template literal that `unfold` of the generated `folded-json` reads: values that stand in several places have a line of their own, before
 * the first that refers to it. Deterministic; object keys keep their order.
 */
export function foldedLiteral(value: unknown): string {
  const text = fold(value).join('\n');
  return `\`\n${text.replace(/[\\`]|\$(?=\{)/g, (character) => `\\${character}`)}\n\``;
}

/** The lines of the folded value, the whole last. */
export function fold(value: unknown): string[] {
  const values: Value[] = [];
  const whole = number(value, { values, byText: new Map() });
  countUses(whole, values);
  const lines: string[] = [];
  const lineOf = new Map<Value, number>();
  const written = (text: string): string =>
    text.replace(/~(\d+);/g, (_, index: string) => {
      const part = values[Number(index)];
      if (part === undefined || part.uses === 1) return written(part?.text ?? '');
      const line = lineOf.get(part) ?? lines.push(written(part.text)) - 1;
      lineOf.set(part, line);
      return `~${String(line)};`;
    });
  lines.push(written(whole));
  return lines;
}

interface Found {
  readonly values: Value[];
  /** The reference to each value, by its JSON. */
  readonly byText: Map<string, string>;
}

/** The JSON of a value, every part that is worth it replaced by its number: equal parts get the same one. */
function number(value: unknown, found: Found): string {
  const text = jsonOf(value, found);
  if (text.length < worthFolding || (typeof value !== 'string' && (typeof value !== 'object' || value === null)))
    return text;
  const known = found.byText.get(text);
  if (known !== undefined) return known;
  const reference = `~${String(found.values.push({ text, uses: 0 }) - 1)};`;
  found.byText.set(text, reference);
  countUses(text, found.values);
  return reference;
}

/** Counts what a text refers to. Called once for each text: what stands once in a value that stands twice goes into that value's line. */
function countUses(text: string, values: readonly Value[]): void {
  for (const [, index] of text.matchAll(/~(\d+);/g)) {
    const part = values[Number(index)];
    if (part !== undefined) part.uses += 1;
  }
}

function jsonOf(value: unknown, found: Found): string {
  if (Array.isArray(value)) return `[${value.map((item) => number(item, found)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return plain(value);
  const members = Object.entries(value).map(([key, member]) => `${plain(key)}:${number(member, found)}`);
  return `{${members.join(',')}}`;
}

/** A scalar, without the mark of a reference and without characters that end a line in JavaScript or can't be seen. */
const plain = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[~\u007f-\u009f\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
