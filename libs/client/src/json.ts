/**
 * Parses JSON without damaging large integers. A number in JavaScript is exact up to 2^53; an `int64` or `uint64` beyond that is returned as a
 * `bigint`, whatever the type says, so that it is either handled or loudly refused by arithmetic, and written back as it was. Integers of more
 * than 20 digits are numbers: the API server itself holds them as floating point.
 */
export function parseJson(text: string): unknown {
  return longNumber.test(text) || longNumberAlone.test(text)
    ? JSON.parse(text, exactInteger as Reviver)
    : JSON.parse(text);
}

/** Writes JSON; a `bigint` as the integer that it is. */
export function writeJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, exactBigint);
  }
}

type Reviver = Parameters<typeof JSON.parse>[1];

// A number of so many digits, by what stands before it in JSON. To look for digits alone would take five times as long as to parse, in texts full of them.
const longNumber = /[:,[]\s*-?\d{16}/;
const longNumberAlone = /^\s*-?\d{16}/;
const integerOfInt64 = /^-?\d{16,20}$/;

// The third argument is in Node since 22 and not yet in TypeScript's library (tc39/proposal-json-parse-with-source).
function exactInteger(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  return context.source !== undefined && integerOfInt64.test(context.source) ? BigInt(context.source) : value;
}

function exactBigint(_key: string, value: unknown): unknown {
  return typeof value === 'bigint'
    ? (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(String(value))
    : value; // As above.
}
