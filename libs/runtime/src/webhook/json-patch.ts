import type { JsonPatchOperation } from '@ordinal/client';
import { sameJson } from '@ordinal/client';

/** The JSON patch (RFC 6902) that makes `after` out of `before`. An array that differs is replaced whole. */
export function jsonPatchBetween(before: unknown, after: unknown, path = ''): readonly JsonPatchOperation[] {
  if (sameJson(before, after)) return [];
  if (!isRecord(before) || !isRecord(after)) return [{ op: 'replace', path, value: after }];
  const operations: JsonPatchOperation[] = [];
  for (const member of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const place = `${path}/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (after[member] === undefined) {
      if (before[member] !== undefined) operations.push({ op: 'remove', path: place });
    } else if (before[member] === undefined) operations.push({ op: 'add', path: place, value: after[member] });
    else operations.push(...jsonPatchBetween(before[member], after[member], place));
  }
  return operations;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
