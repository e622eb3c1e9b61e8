import type { Node } from '../../internal/node.ts';
import { CelCompileError } from '../compile/types.ts';

const step = /^(?:\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\])/;

/**
 * The `fieldPath` of a rule as errors print it: `.spec.names['a']` becomes `spec.names[a]` below a map. Throws
 * {@link CelCompileError} when it leads to no field of the schema.
 */
export function rulePath(fieldPath: string, node: Node): string {
  let rest = fieldPath;
  let at = node;
  let path = '';
  while (rest !== '') {
    const match = step.exec(rest);
    if (match === null) throw new CelCompileError(`expected [ or . but got: ${rest}`);
    const name = match[1] ?? (match[2] ?? '').replace(/\\(.)/g, '$1');
    const property = at.properties.get(name);
    if (at.properties.size > 0) path += path === '' ? name : `.${name}`;
    else path += `[${name}]`;
    const next = at.properties.size > 0 ? property : at.additionalProperties;
    if (next === undefined) throw new CelCompileError('does not refer to a valid field');
    at = next;
    rest = rest.slice(match[0].length);
  }
  return path;
}
