import { inputName, mark } from './name.ts';
import { compareNames } from './shape.ts';
import type { Shape, ShapeName } from './shape.ts';

/**
 * The names of each shape in one version, the best one first. Where two paths give one name to different shapes (`a.bC` and `aB.c`), the shorter path keeps it and
 * the other gets a mark made of its own path.
 */
export function uniqueNames(shapes: readonly Shape[], version: string): Map<number, string[]> {
  const claims = shapes.flatMap((shape) =>
    shape.names.filter((name) => name.version === version).map((name) => ({ id: shape.id, name })),
  );
  claims.sort((a, b) => compareNames(a.name, b.name) || (a.name.path.join('\0') < b.name.path.join('\0') ? -1 : 1));
  const owners = new Map<string, number>();
  const names = new Map<number, string[]>();
  for (const { id, name } of claims) {
    const owner = owners.get(name.name);
    const unique = owner === undefined || owner === id ? name.name : marked(name);
    owners.set(unique, id);
    const list = names.get(id) ?? [];
    if (!list.includes(unique)) list.push(unique);
    names.set(id, list);
  }
  return names;
}

function marked(name: ShapeName): string {
  const suffix = `_${mark(name.path.join('\0'))}`;
  return name.input ? inputName(name.name.slice(0, -'Input'.length) + suffix) : name.name + suffix;
}
