import { readFileSync } from 'node:fs';
import type { JsonObject } from '@ordinal/schema';

/** A manifest that is refused, as a change of one that is accepted. */
export interface RefusedManifest {
  readonly kind: string;
  readonly wrong: string;
  /** For an update: what was there before, as a change of the accepted manifest. */
  readonly from?: JsonObject;
  /** A JSON merge patch (RFC 7396). */
  readonly change: JsonObject;
  readonly message: string;
}

interface Table {
  readonly accepted: Readonly<Record<string, JsonObject>>;
  readonly refused: readonly RefusedManifest[];
}

/** The table of manifests that are refused, and one of each kind that is accepted. */
export const table = JSON.parse(readFileSync(new URL('refused.json', import.meta.url), 'utf8')) as Table;

/** An object that a seed shows or describes, in its own words and names. */
export interface SeedSample {
  readonly seed: string;
  readonly said: string;
  readonly object: JsonObject & { readonly kind: string };
  /** What the seed's controller writes into its status. */
  readonly status?: JsonObject;
}

/** The seeds hold no manifests, but types, calls and prose: these are the objects that come of them, as a Go client sends them. */
export const seedSamples = JSON.parse(
  readFileSync(new URL('seed-samples.json', import.meta.url), 'utf8'),
) as readonly SeedSample[];

/** The accepted manifest of a kind, changed. */
export function changed(kind: string, change: JsonObject): JsonObject {
  return merge(table.accepted[kind] ?? {}, change);
}

function merge(target: JsonObject, change: JsonObject): JsonObject {
  const entries = Object.entries(change).flatMap(([key, value]) => {
    if (value === null || value === undefined) return [];
    const isObject = typeof value === 'object' && !Array.isArray(value);
    const before = target[key];
    const base = typeof before === 'object' && before !== null && !Array.isArray(before) ? before : {};
    return [[key, isObject ? merge(base, value) : value] as const];
  });
  const kept = Object.entries(target).filter(([key]) => !Object.hasOwn(change, key));
  return Object.fromEntries([...kept, ...entries]);
}
