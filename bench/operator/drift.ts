/**
 * Whether what is present says all that is wanted. What the server or others have added beside it is no drift; arrays are compared entry by entry.
 */
export function covers(present: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return present === wanted;
  if (typeof present !== 'object' || present === null) return false;
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(present) &&
      present.length === wanted.length &&
      wanted.every((entry, at) => covers(present[at], entry))
    );
  }
  return Object.entries(wanted).every(
    ([member, value]) => value === undefined || covers((present as Readonly<Record<string, unknown>>)[member], value),
  );
}
