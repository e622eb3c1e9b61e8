import { quantity } from './drift.ts';

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields of a pod, a claim or a volume that hold maps of quantities. */
const quantityMaps: ReadonlySet<string> = new Set(['requests', 'limits', 'capacity', 'overhead', 'allocatedResources']);

/** The fields that are quantities themselves. */
const quantityFields: ReadonlySet<string> = new Set(['sizeLimit', 'divisor']);

/** What a Go struct leaves out when it is written: `hostNetwork: false` in a spec says what is so anyway. */
const isZero = (value: unknown): boolean => value === false || value === 0 || value === '';

/** What was found last for a wanted value that can't change any more: what is frozen is frozen inside too. */
const known = new WeakMap<Fields, { readonly observed: Fields; readonly field: string; readonly served: unknown }>();

/**
 * What is wanted, as the API server shows it once it has taken it: where the observed object says the same in other words, its words are used. The server
 * rewrites quantities (`1024Mi` to `1Gi`) and leaves out fields with the zero value of their type; neither is drift. What really differs stays as wanted.
 *
 * Where both are frozen, what was found is remembered: most decisions compare the same objects as the one before.
 */
export function asServed(wanted: unknown, observed: unknown, field = ''): unknown {
  if (!isFields(wanted) || !isFields(observed) || quantityFields.has(field)) return computed(wanted, observed, field);
  if (!Object.isFrozen(wanted) || !Object.isFrozen(observed)) {
    // Parts of it may be frozen.
    if (quantityMaps.has(field)) return computed(wanted, observed, field);
    return withChanges(wanted, (key, value) => asServed(value, observed[key], key));
  }
  const found = known.get(wanted);
  if (found?.observed === observed && found.field === field) return found.served;
  const served = computed(wanted, observed, field);
  known.set(wanted, { observed, field, served });
  return served;
}

function computed(wanted: unknown, observed: unknown, field: string): unknown {
  if (isZero(wanted) && observed === undefined) return undefined;
  if (quantityFields.has(field)) return quantityAsServed(wanted, observed);
  if (Array.isArray(wanted)) return listAsServed(wanted, observed);
  if (!isFields(wanted) || !isFields(observed)) return wanted;
  const entryAsServed = (key: string, value: unknown): unknown =>
    quantityMaps.has(field) ? quantityAsServed(value, observed[key]) : computed(value, observed[key], key);
  return withChanges(wanted, entryAsServed);
}

/** The fields, each as `change` has it; the same ones where none is changed. This runs over each child in each reconcile, and mostly nothing is changed. */
function withChanges(fields: Fields, change: (key: string, value: unknown) => unknown): Fields {
  let result: Record<string, unknown> | undefined;
  for (const key of Object.keys(fields)) {
    const changed = change(key, fields[key]);
    if (changed === fields[key]) continue;
    result ??= { ...fields };
    result[key] = changed;
  }
  return result ?? fields;
}

/** Entries that all have names are found by them, others by their place. */
function listAsServed(wanted: readonly unknown[], observed: unknown): readonly unknown[] {
  const list: readonly unknown[] = Array.isArray(observed) ? observed : [];
  const isNamed = wanted.every((entry) => isFields(entry) && entry['name'] !== undefined);
  const counterpart = (entry: unknown, index: number): unknown =>
    isNamed && isFields(entry) ? list.find((other) => isFields(other) && other['name'] === entry['name']) : list[index];
  // An entry that is missing altogether is wanted all the same.
  return wanted.map((entry, index) => computed(entry, counterpart(entry, index), '') ?? entry);
}

/** Quantities are decimal; a comparison as floating-point numbers must forgive the last digit. */
function quantityAsServed(wanted: unknown, observed: unknown): unknown {
  const [asked, shown] = [quantity(wanted), quantity(observed)];
  const isSame = asked !== undefined && shown !== undefined && Math.abs(asked - shown) <= Math.abs(asked) * 1e-12;
  return isSame ? observed : wanted;
}
