import { isJsonObject } from '../json.ts';

const shortEscapes = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ['"', '\\"'],
]);

/** A string as Go's `%q` prints it. */
export function quote(text: string): string {
  if (/^[ !#-[\]-~]*$/.test(text)) return `"${text}"`;
  let out = '"';
  for (const char of text) out += shortEscapes.get(char) ?? (isPrintable(char) ? char : escapeRune(char));
  return out + '"';
}

function isPrintable(char: string): boolean {
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char);
}

function escapeRune(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x80) return '\\x' + code.toString(16).padStart(2, '0');
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  return code < 0x10000 ? '\\u' + code.toString(16).padStart(4, '0') : '\\U' + code.toString(16).padStart(8, '0');
}

/**
 * The int64 that Go's JSON decoder makes of this number, or undefined where it makes a float64. Beyond 2^53 the digits
 * that JSON carries count, which are not always the number's own.
 */
export function asInt64(value: number): bigint | undefined {
  if (Number.isSafeInteger(value)) return BigInt(value);
  if (!Number.isInteger(value) || Math.abs(value) >= 1e20) return undefined;
  const digits = BigInt(String(value));
  return digits >= -(2n ** 63n) && digits < 2n ** 63n ? digits : undefined;
}

/** True when Go's JSON decoder would have made an int64 of this number. */
export function isInt64(value: number): boolean {
  return Number.isSafeInteger(value) || asInt64(value) !== undefined;
}

/** A number as Go's `%v` prints it: int64 in digits, float64 as {@link printFloat} does. */
export function printNumber(value: number): string {
  const whole = asInt64(value);
  if (whole !== undefined) return whole.toString();
  return printFloat(value);
}

/** A float64 as Go's `%g` prints it: with an exponent below 1e-4 and from 1e6. */
export function printFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const exponential = value.toExponential();
  const exponent = Number(exponential.slice(exponential.indexOf('e') + 1));
  return exponent < -4 || exponent >= 6 ? exponential.replace(/e([+-])(\d)$/, 'e$10$2') : String(value);
}

/** JSON as Go's `encoding/json` writes it: sorted keys, `<`, `>` and `&` escaped. */
export function printJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printJson).join(',')}]`;
  if (isJsonObject(value)) {
    const keys = Object.keys(value).filter((key) => value[key] !== undefined);
    return `{${keys
      .sort(compareBytes)
      .map((key) => `${printJson(key)}:${printJson(value[key])}`)
      .join(',')}}`;
  }
  if (typeof value === 'number')
    return isInt64(value) ? printNumber(value) : JSON.stringify(value).replace(/e-0(\d)$/, 'e-$1');
  return JSON.stringify(value ?? null).replace(
    /[<>&\u2028\u2029]/g,
    (char) => '\\u' + char.charCodeAt(0).toString(16).padStart(4, '0'),
  );
}

/** The order of Go's strings: by UTF-8 bytes, which is the order of code points. */
export function compareBytes(a: string, b: string): number {
  const size = Math.min(a.length, b.length);
  for (let i = 0; i < size; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1;
  }
  return a.length - b.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

/** Length in UTF-8 bytes, which is what Go calls the length of a string. */
export function byteLength(text: string): number {
  let length = 0;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    length += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return length;
}

/** Length in code points, which Go counts in `utf8.RuneCount`. */
export function runeCount(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(text.charCodeAt(i + 1))) {
      count--;
      i++;
    }
  }
  return count;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
