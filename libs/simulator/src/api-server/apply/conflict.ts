import { failure, Refusal } from '../status.ts';
import type { Fields } from './fields.ts';
import type { Managed } from './managers.ts';
import { compareElements, describePath } from './path-element.ts';
import type { Conflicts } from './updater.ts';

/** The members of a set as paths, in the server's order: those of a level first, then what lies below them. */
function pathsOf(set: Fields, prefix: readonly string[] = []): readonly (readonly string[])[] {
  const elements = Object.keys(set)
    .filter((element) => element !== '.')
    .sort(compareElements);
  const isMember = (node: Fields): boolean => node['.'] !== undefined || Object.keys(node).length === 0;
  const members = elements.filter((element) => isMember(set[element] as Fields)).map((element) => [...prefix, element]);
  const deeper = elements.flatMap((element) => pathsOf(set[element] as Fields, [...prefix, element]));
  return [...members, ...deeper];
}

function describeManager({ manager, operation, apiVersion, subresource }: Managed): string {
  const name = JSON.stringify(manager) + (subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`);
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}

/** 409: an apply would change what others own. */
export function applyConflict(conflicts: Conflicts): Refusal {
  const entries = [...conflicts.values()]
    .map(({ manager, fields }) => ({ manager: describeManager(manager), paths: pathsOf(fields).map(describePath) }))
    .sort((left, right) => (left.manager < right.manager ? -1 : 1));
  const causes = entries.flatMap(({ manager, paths }) =>
    paths.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${manager}`, field })),
  );
  return new Refusal(
    failure({
      code: 409,
      reason: 'Conflict',
      message: describe(entries, causes.length),
      details: { causes },
    }),
  );
}

function describe(
  entries: readonly { readonly manager: string; readonly paths: readonly string[] }[],
  count: number,
): string {
  const [first] = entries;
  if (count === 1 && first)
    return `Apply failed with 1 conflict: conflict with ${first.manager}: ${first.paths[0] ?? ''}`;
  const lines = entries.flatMap(({ manager, paths }) => [
    `conflicts with ${manager}:`,
    ...paths.map((path) => `- ${path}`),
  ]);
  return `Apply failed with ${count} conflicts: ${lines.join('\n')}`;
}
