const safeAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** The texts of values that can't change any more. What is frozen is frozen inside too. */
const texts = new WeakMap<object, string>();

/** JSON as Go writes a map: keys sorted, no blanks, and the characters that could end a script element escaped. */
export function goJson(value: unknown): string {
  if (typeof value !== 'object' || value === null || !Object.isFrozen(value)) return written(value);
  // Each reconcile of a StatefulSet asks for the texts of all its revisions.
  const known = texts.get(value) ?? written(value);
  texts.set(value, known);
  return known;
}

function written(value: unknown): string {
  return JSON.stringify(sorted(value) ?? null).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The 32-bit FNV-1 hash of a text, written with letters and digits that form no words, as Kubernetes names revisions by it. */
export function hashText(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = (Math.imul(hash, 0x01000193) ^ byte) >>> 0;
  return [...String(hash)].map((digit) => safeAlphabet[digit.charCodeAt(0) % safeAlphabet.length]).join('');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
  entries.sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, entry]) => [key, sorted(entry)]));
}
