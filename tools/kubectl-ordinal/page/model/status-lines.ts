/** What a write of a status says, a line for each field: `upgrade.step: TakingDown`. What is no JSON is a line of its own; where no field is left to show, the seal alone is written. Pure. */
export function statusLines(what: string): readonly string[] {
  const text = what.replace(/^write the status: /, '');
  try {
    const lines = flat(JSON.parse(text) as unknown, '');
    return lines.length > 0 ? lines : ['its seal'];
  } catch {
    return [text];
  }
}

function flat(value: unknown, path: string): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path}: ${worded(value)}`];
  return Object.entries(value).flatMap(([name, inner]) => flat(inner, path === '' ? name : `${path}.${name}`));
}

/** A merge patch takes a field away by a null. */
function worded(value: unknown): string {
  if (value === null) return 'is taken away';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
