import { isObject } from '../object.ts';

/** Each search needs one of its own, because where it stands is part of it. */
const newStep = (): RegExp =>
  /\.([A-Za-z0-9_-]+)|\['((?:[^'\\]|\\.)+)'\]|\[(\d+)\]|\[\*\]|\[\?\(@\.([A-Za-z0-9_.-]+)\s*==\s*"([^"]*)"\)\]/gy;

/** What the JSONPath of a print column finds: names, indexes, `[*]` and `[?(@.type=="Ready")]`. Empty where the path is none of these or nothing is there. */
export function findByPath(object: unknown, path: string): readonly unknown[] {
  let found: readonly unknown[] = [object];
  let position = 0;
  const text = path.startsWith('.') || path.startsWith('[') ? path : `.${path}`;
  const step = newStep();
  for (let match = step.exec(text); match !== null; match = step.exec(text)) {
    position = step.lastIndex;
    const [whole, name, quoted, index, filter, wanted] = match;
    const key = name ?? quoted?.replaceAll('\\.', '.').replaceAll("\\'", "'");
    found = found.flatMap((value) => {
      if (key !== undefined) return isObject(value) && value[key] !== undefined ? [value[key]] : [];
      if (!Array.isArray(value)) return [];
      if (index !== undefined) return value[Number(index)] === undefined ? [] : [value[Number(index)] as unknown];
      if (whole === '[*]') return value as unknown[];
      return value.filter((item) => findByPath(item, filter ?? '').some((candidate) => String(candidate) === wanted));
    });
  }
  return position === text.length ? found : [];
}
