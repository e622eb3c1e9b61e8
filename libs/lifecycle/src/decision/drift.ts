const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Keys below which values are quantities, which the API server rewrites (`1000m` to `1`). */
const quantityMaps: ReadonlySet<string> = new Set(['requests', 'limits', 'capacity']);

const factors: Readonly<Record<string, number>> = {
  n: 1e-9, u: 1e-6, m: 1e-3, '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18,
  Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60,
}; // prettier-ignore

/** The number that a Kubernetes quantity stands for (`1500m` is 1.5, `1Gi` is 2^30); undefined where it is none. */
export function quantity(text: unknown): number | undefined {
  const match = /^([+-]?[0-9.]+)(?:([eE][+-]?[0-9]+)|([numkMGTPE]|[KMGTPE]i))?$/.exec(String(text));
  const factor = factors[match?.[3] ?? ''];
  return match && factor !== undefined ? Number(`${match[1]}${match[2] ?? ''}`) * factor : undefined;
}

/**
 * Where an observed object lacks what is wanted of it: the path of the first difference, those in metadata after all others, or undefined where it has all of it. Fields that are not
 * wanted (defaults of the server, other managers' fields) are no difference. List entries with a name are found by it, other lists must be alike.
 */
export function driftOf(observed: unknown, wanted: unknown, path = ''): string | undefined {
  const steps = differenceOf(observed, wanted, path.slice(path.lastIndexOf('.') + 1));
  if (steps === undefined) return undefined;
  return (path === '' ? steps : [...steps, path]).reverse().join('.');
}

/** The steps to the first difference, the last one first. `field` is the name of the field that is looked at. */
function differenceOf(observed: unknown, wanted: unknown, field: string): string[] | undefined {
  if (wanted === undefined || observed === wanted) return undefined;
  if (Array.isArray(wanted)) return differenceOfLists(observed, wanted);
  if (!isRecord(wanted)) return [];
  if (!isRecord(observed)) return Object.keys(wanted).length === 0 && observed === undefined ? undefined : [];
  const quantities = quantityMaps.has(field);
  for (const key of metadataLast(wanted)) {
    const value = wanted[key];
    if (quantities && quantity(value) !== undefined && quantity(value) === quantity(observed[key])) continue;
    const steps = differenceOf(observed[key], value, key);
    if (steps !== undefined) return [...steps, key];
  }
  return undefined;
}

/** What a user has changed stands in the spec; what follows from it, such as a hash in an annotation, says less. */
function metadataLast(wanted: Readonly<Record<string, unknown>>): readonly string[] {
  const keys = Object.keys(wanted);
  return 'metadata' in wanted ? [...keys.filter((key) => key !== 'metadata'), 'metadata'] : keys;
}

const nameOf = (entry: unknown): unknown => (isRecord(entry) ? entry['name'] : undefined);

function differenceOfLists(observed: unknown, wanted: readonly unknown[]): string[] | undefined {
  const list: readonly unknown[] = Array.isArray(observed) ? observed : [];
  const named = wanted.length > 0 && wanted.every((entry) => nameOf(entry) !== undefined);
  if (!named && list.length !== wanted.length) return [];
  for (const [index, entry] of wanted.entries()) {
    const counterpart = named ? list.find((other) => nameOf(other) === nameOf(entry)) : list[index];
    if (counterpart === undefined) return [];
    const steps = differenceOf(counterpart, entry, '');
    if (steps !== undefined) return [...steps, String(index)];
  }
  return undefined;
}
