import { readFileSync } from 'node:fs';

const imports = /(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+'(@ordinal\/[^']+)'/g;

/** The names that a text takes from packages of the workspace, by the package's entry (`@ordinal/client/kubeconfig`). */
export function namesTaken(text: string): readonly (readonly [entry: string, name: string])[] {
  return [...text.matchAll(imports)].flatMap(([, names = '', entry = '']) =>
    names
      .split(',')
      .map((name) =>
        name
          .trim()
          .replace(/^type\s+/, '')
          .replace(/\s+as\s+.*$/, ''),
      )
      .filter((name) => name !== '')
      .map((name) => [entry, name] as const),
  );
}

/** The names that files take from packages of the workspace. */
export function usesIn(files: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const uses = new Map<string, Set<string>>();
  for (const file of files) {
    for (const [entry, name] of namesTaken(readFileSync(file, 'utf8'))) {
      const names = uses.get(entry) ?? new Set();
      uses.set(entry, names.add(name));
    }
  }
  return uses;
}
