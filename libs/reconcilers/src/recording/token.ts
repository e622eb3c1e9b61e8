import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** What stands in a recording in place of a value: the same for the same value. */
export type Token = (text: string) => string;

const sealedPattern = /^\[sealed ([\w-]+)\]$/;
const lostPattern = /^\[hidden [\w-]+\]$/;

/** Whether a text stands in place of a value that can't be read any more, or not without the key. */
const isToken = (text: string): boolean => lostPattern.test(text) || sealedPattern.test(text);

/** Tokens of which only is known which are the same. The key is forgotten with the process. */
export function lostTokens(key: KeyObject): Token {
  return (text) =>
    isToken(text) ? text : `[hidden ${createHmac('sha256', key).update(text).digest('base64url').slice(0, 12)}]`;
}

const nonceLength = 12;
const tagLength = 16;

const derived = (key: KeyObject, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, '', `ordinal recording ${purpose}`, 32));

/** Tokens that hold the value, encrypted (AES-256-GCM): the owner of the key, of 32 bytes or more, can replay what rests on it. */
export function sealedTokens(key: KeyObject): Token {
  const encryption = derived(key, 'encryption');
  const nonces = derived(key, 'nonces');
  return (text) => {
    if (isToken(text)) return text;
    // From the text itself, so that the same text has the same token: that is known of tokens, and nothing else.
    const nonce = createHmac('sha256', nonces).update(text).digest().subarray(0, nonceLength);
    const cipher = createCipheriv('aes-256-gcm', encryption, nonce);
    const parts = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
    return `[sealed ${Buffer.concat(parts).toString('base64url')}]`;
  };
}

/** The values again of what was sealed with this key; what was sealed with another one stays as it is. */
export function opened(value: unknown, key: KeyObject): unknown {
  const encryption = derived(key, 'encryption');
  const open = (text: string): string => {
    const [, sealed] = sealedPattern.exec(text) ?? [];
    if (sealed === undefined) return text;
    const bytes = Buffer.from(sealed, 'base64url');
    // Anyone who writes an annotation can write what looks like a sealed text.
    if (bytes.length < nonceLength + tagLength) return text;
    const nonce = bytes.subarray(0, nonceLength);
    const decipher = createDecipheriv('aes-256-gcm', encryption, nonce, { authTagLength: tagLength });
    decipher.setAuthTag(bytes.subarray(bytes.length - tagLength));
    try {
      const plain = decipher.update(bytes.subarray(nonceLength, bytes.length - tagLength));
      return Buffer.concat([plain, decipher.final()]).toString();
    } catch {
      return text;
    }
  };
  return mapTexts(value, open);
}

/** A JSON value with each text in it as `change` has it. Pure for as long as `change` is. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mapTexts(each, change)]));
}

/** Whether any text in a JSON value stands in place of one that is hidden. */
export function hasTokens(value: unknown): boolean {
  if (typeof value === 'string') return /\[(?:hidden|sealed) [\w-]+\]/.test(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasTokens);
}
