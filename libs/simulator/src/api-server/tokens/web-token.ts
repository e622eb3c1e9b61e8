import type { JsonObject } from '../request.ts';
import { isObject } from '../object.ts';
import { keyedHash } from './sha256.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function encoded(bytes: Uint8Array): string {
  let letters = '';
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function decoded(text: string): Uint8Array | undefined {
  if (!/^[\w-]*$/.test(text)) return undefined;
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
}

const header = encoded(encoder.encode(JSON.stringify({ alg: 'HS256', kid: 'simulated' })));

/** A JSON Web Token with these claims, signed with a key (HS256). */
export function webToken(claims: JsonObject, key: Uint8Array): string {
  const text = `${header}.${encoded(encoder.encode(JSON.stringify(claims)))}`;
  return `${text}.${encoded(keyedHash(key, encoder.encode(text)))}`;
}

/** What a token claims, whichever server has signed it; undefined for what is no token. */
export function claimsOf(token: string): JsonObject | undefined {
  const parts = token.split('.');
  const bytes = parts.length === 3 ? decoded(parts[1] ?? '') : undefined;
  if (bytes === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(decoder.decode(bytes));
    return isObject(claims) ? claims : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Whether the token is signed with the key. */
export function isSigned(token: string, key: Uint8Array): boolean {
  const end = token.lastIndexOf('.');
  return token.slice(end + 1) === encoded(keyedHash(key, encoder.encode(token.slice(0, end))));
}
