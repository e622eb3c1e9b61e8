/** About how many bytes a JSON value takes, as text: strings and keys at one byte for each character, everything else at a few. Linear in the value's size. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  let size = 2;
  if (Array.isArray(value)) {
    for (const entry of value) size += sizeOf(entry) + 1;
    return size;
  }
  for (const [name, inner] of Object.entries(value)) size += name.length + 4 + sizeOf(inner);
  return size;
}
