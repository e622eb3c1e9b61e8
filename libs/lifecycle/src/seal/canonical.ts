/**
 * JSON with the keys of every object in order, and without what is undefined: the same text for the same value, in whichever order a server shows its fields, and
 * another text for another value.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
