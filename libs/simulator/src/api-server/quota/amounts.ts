import { isObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import { addedQuantity, formatQuantity, parseQuantity } from '../schema/quantity.ts';
import type { Quantity } from '../schema/quantity.ts';

/** How much of each resource, by its name. */
export type Amounts = ReadonlyMap<string, Quantity>;

/** So many things. */
export const number = (count: number): Quantity => ({ nano: BigInt(count) * 1_000_000_000n, format: 'decimal' });

/** Amounts as an object holds them; what is no quantity is left out. */
export function amountsOf(list: unknown): Amounts {
  const amounts = new Map<string, Quantity>();
  if (!isObject(list)) return amounts;
  for (const [name, text] of Object.entries(list)) {
    const quantity = parseQuantity(String(text));
    if (quantity !== undefined) amounts.set(name, quantity);
  }
  return amounts;
}

/** Amounts as an object holds them, in the order of their names. */
export const listOf = (amounts: Amounts): JsonObject =>
  Object.fromEntries(
    [...amounts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, each]) => [name, formatQuantity(each)]),
  );

/** Amounts as messages show them. */
export const shownAmounts = (amounts: Amounts): string =>
  Object.entries(listOf(amounts))
    .map(([name, text]) => `${name}=${String(text)}`)
    .join(',');

function combined(one: Amounts, other: Amounts, join: (left: Quantity, right: Quantity) => Quantity): Amounts {
  const all = new Map(one);
  for (const [name, right] of other) {
    const left = all.get(name);
    all.set(name, left === undefined ? right : join(left, right));
  }
  return all;
}

/** Both together. */
export const added = (one: Amounts, other: Amounts): Amounts => combined(one, other, addedQuantity);

/** Of each resource the larger amount. */
export const largest = (one: Amounts, other: Amounts): Amounts =>
  combined(one, other, (left, right) => (left.nano >= right.nano ? left : right));

/** By how much the first amounts are larger; never less than nothing. */
export function growth(now: Amounts, before: Amounts): Amounts {
  const grown = new Map<string, Quantity>();
  for (const [name, { nano, format }] of now) {
    const more = nano - (before.get(name)?.nano ?? 0n);
    grown.set(name, more > 0n ? { nano: more, format } : number(0));
  }
  return grown;
}

/** Those that something is said of. */
export const filtered = (amounts: Amounts, keeps: (name: string, quantity: Quantity) => boolean): Amounts =>
  new Map([...amounts].filter(([name, quantity]) => keeps(name, quantity)));

/** Whether both are the same amounts of the same resources. */
export const sameAmounts = (one: Amounts, other: Amounts): boolean =>
  one.size === other.size && [...one].every(([name, { nano }]) => other.get(name)?.nano === nano);
