import { compareNames } from './shape.ts';
import type { Shape } from './shape.ts';

/** The names of each shape in one version, the one with the shortest path first. No two shapes share a name: it spells the path. */
export function namesIn(shapes: readonly Shape[], version: string): Map<number, string[]> {
  const names = new Map<number, string[]>();
  for (const shape of shapes) {
    const own = shape.names.filter((name) => name.version === version).sort(compareNames);
    if (own.length > 0) names.set(shape.id, [...new Set(own.map(({ name }) => name))]);
  }
  return names;
}
