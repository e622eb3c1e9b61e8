import type { Random } from '@ordinal/client';

/** A random UUID (version 4). */
export function uid(random: Random): string {
  let hex = '';
  for (let index = 0; index < 8; index += 1)
    hex += Math.floor(random() * 0x10000)
      .toString(16)
      .padStart(4, '0');
  const variant = '89ab'[parseInt(hex.charAt(16), 16) & 3] ?? '8';
  const last = variant + hex.slice(17, 20);
  // Joined, not concatenated: it is one piece of memory then, and thousands of them are kept.
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, last, hex.slice(20)].join('-');
}

/** Letters that make no words: the alphabet of generated names. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** A name for a `generateName`: the prefix, cut to 58 characters, and five random ones. */
export function generatedName(prefix: string, random: Random): string {
  let suffix = '';
  for (let index = 0; index < 5; index += 1) suffix += alphabet.charAt(Math.floor(random() * alphabet.length));
  return prefix.slice(0, 58) + suffix;
}
