import { compareNames } from './shape.ts';
import type { Shape, ShapeName } from './shape.ts';

/** For each module the names of each shape in it, the one with the shortest path first. No two shapes share a name: it spells the path. */
export function namesByModule(shapes: readonly Shape[]): Map<string, Map<number, string[]>> {
  const modules = new Map<string, Map<number, string[]>>();
  for (const { id, names } of shapes) {
    for (const [module, own] of Map.groupBy(names, (name) => name.module)) {
      const ofModule = modules.get(module) ?? new Map<number, string[]>();
      modules.set(module, ofModule.set(id, [...new Set(own.sort(compareNames).map(({ name }: ShapeName) => name))]));
    }
  }
  return modules;
}
