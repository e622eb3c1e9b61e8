import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Kept } from './kept.ts';
import type { Exported } from './surface.ts';
import { exportsOf } from './surface.ts';
import { usesIn } from './uses.ts';

/** One way into a package. */
export interface Entry {
  /** As it is imported: `@ordinal/client/kubeconfig`. */
  readonly name: string;
  readonly file: string;
  /** The folder of the package's sources. */
  readonly sources: string;
}

/** The entries that a package's manifest names. */
export function entriesOf(folder: string): readonly Entry[] {
  const { name, exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly exports: Readonly<Record<string, string | { readonly 'ordinal-source': string }>>;
  };
  return Object.entries(exports).flatMap(([path, target]) =>
    typeof target === 'string'
      ? []
      : [{ name: join(name, path), file: join(folder, target['ordinal-source']), sources: join(folder, 'src') }],
  );
}

/** The exports of an entry that no file outside of its package's sources imports, and that no signature of those shows that are. */
export function unusedOf(entry: Entry, files: readonly string[]): readonly Exported[] {
  const all = exportsOf(entry.file);
  const names = new Set(all.map(({ name }) => name));
  const used = usesIn(files.filter((file) => !file.startsWith(`${entry.sources}/`))).get(entry.name) ?? new Set();
  const needed = new Set(all.map(({ name }) => name).filter((name) => used.has(name)));
  // A set is walked in the order in which it grows: what a signature shows is looked at as well.
  for (const name of needed)
    for (const { shows } of all.filter((one) => one.name === name))
      for (const shown of shows) if (names.has(shown)) needed.add(shown);
  return all.filter(({ name }) => !needed.has(name));
}

/** Whether an unused export is kept for users. */
export const isKeptBy =
  (root: string, entry: Entry, { name, file }: Exported) =>
  ({ entry: of, names }: Kept): boolean =>
    of === entry.name && ('below' in names ? file.startsWith(`${join(root, names.below)}/`) : names.includes(name));
