import { JsonScanner } from './json-scanner.ts';

/** A text that is no JSON, in Go's words. */
export class JsonTextError extends Error {
  override readonly name = 'JsonTextError';
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** A text this short is nested less deeply than is allowed. */
const shallow = 10_000;

/**
 * Reads JSON as Go does: what is nested more than 10,000 deep is refused, and half a surrogate pair becomes the replacement character. Throws
 * `JsonTextError` with the message that Go's `encoding/json` gives.
 */
export function readJson(body: string | Uint8Array): unknown {
  const text = typeof body === 'string' ? body : decoder.decode(body);
  let value: unknown;
  try {
    value = JSON.parse(text) as unknown;
  } catch (error) {
    throw new JsonTextError(new JsonScanner(bytesOf(body)).problem() ?? (error as SyntaxError).message);
  }
  if (text.length > shallow) {
    const problem = new JsonScanner(bytesOf(body)).problem();
    if (problem !== undefined) throw new JsonTextError(problem);
  }
  return /\\u[dD]/.test(text) || !text.isWellFormed() ? wellFormed(value) : value;
}

/** What a JSON value is, as Go's errors name it. */
export function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (value === null) return 'null';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** How a body that could not be read begins, as the server quotes it. */
export function bodySummary(body: string | Uint8Array): string {
  const bytes = bytesOf(body);
  if (bytes.length === 0) return '<empty>';
  const quoted = bytes.subarray(0, 30);
  const more = bytes.length > quoted.length ? ' ...' : '';
  return `${quoted.toString(bytes[0] === 0x7b ? 'utf8' : 'hex')}${more}`;
}

const bytesOf = (body: string | Uint8Array): Buffer => Buffer.from(body as string);

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(wellFormed);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]));
}
