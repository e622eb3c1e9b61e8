/**
 * What strict decoding says of fields that a text of JSON gives twice: `duplicate field "spec.containers[0].image"`. What is wrong is found before, by `JSON.parse`,
 * whose `value` this is.
 */
export function repeatedFields(text: string, value: unknown): readonly string[] {
  // What was said twice is not in the value any more, so that its own text is shorter. Most texts are as `JSON.stringify` writes them.
  return textLength(value) === text.length ? [] : new Walk(text).repeated;
}

/** Where in a text of JSON each problem of strict decoding would be found: with a field when it comes first, and with one that is given twice when it comes again. */
export const placesOf = (text: string): ReadonlyMap<string, number> => new Walk(text).places;

/** Undefined where the value is nested too deeply to be written. */
function textLength(value: unknown): number | undefined {
  try {
    return JSON.stringify(value).length;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** A walk over a text that is JSON. It looks at nothing but texts, brackets and commas. */
class Walk {
  readonly repeated: string[] = [];
  readonly places = new Map<string, number>();

  constructor(text: string) {
    /** What is open: the keys of an object so far, or the index in an array. */
    const open: ({ readonly keys: Set<string>; key: string } | { index: number })[] = [];
    const tokens = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\],]/g;
    for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
      const [token, isKey] = match;
      const last = open.at(-1);
      if (token === '{') open.push({ keys: new Set(), key: '' });
      else if (token === '[') open.push({ index: 0 });
      else if (token === '}' || token === ']') open.pop();
      else if (token === ',') {
        if (last && 'index' in last) last.index += 1;
      } else if (isKey !== undefined && last && 'keys' in last) {
        last.key = JSON.parse(token.slice(0, -isKey.length)) as string;
        const path = pathOf(open);
        if (last.keys.has(last.key)) this.#add(`duplicate field "${path}"`, match.index);
        else this.places.set(`unknown field "${path}"`, match.index);
        last.keys.add(last.key);
      }
    }
  }

  #add(problem: string, place: number): void {
    if (this.repeated.includes(problem)) return;
    this.repeated.push(problem);
    this.places.set(problem, place);
  }
}

const pathOf = (open: readonly ({ readonly key: string } | { readonly index: number })[]): string =>
  open.reduce(
    (text, step) => ('index' in step ? `${text}[${step.index}]` : text === '' ? step.key : `${text}.${step.key}`),
    '',
  );
