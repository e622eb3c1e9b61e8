/** Whether two JSON values are the same: the order of an object's fields does not matter, that of a list does, and a field that is undefined counts as absent. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) || Array.isArray(right)) return sameLists(left, right);
  const [a, b] = [left as Readonly<Record<string, unknown>>, right as Readonly<Record<string, unknown>>];
  // Fields are counted, not looked up in the other object a second time: each object has a `constructor` that is none of its fields.
  let fields = 0;
  for (const key in a) {
    if (a[key] === undefined) continue;
    if (!sameJson(a[key], b[key])) return false;
    fields += 1;
  }
  for (const key in b) if (b[key] !== undefined) fields -= 1;
  return fields === 0;
}

function sameLists(left: unknown, right: unknown): boolean {
  if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
  return left.every((item, index) => sameJson(item, right[index]));
}
