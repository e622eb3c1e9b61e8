import type { PatchType } from '../request.ts';
import { unsupportedMediaType } from '../status.ts';

const patchTypes: ReadonlyMap<string, PatchType> = new Map([
  ['application/json-patch+json', 'json'],
  ['application/merge-patch+json', 'merge'],
  ['application/strategic-merge-patch+json', 'strategic'],
]);

/** The type of a body, without its parameters; JSON where none is named. */
export function contentTypeOf(header: string | undefined): string {
  return (header ?? 'application/json').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** How a patch of this type is to be read. Refuses others with 415. */
export function patchTypeOf(contentType: string): PatchType {
  const type = patchTypes.get(contentType);
  if (type === undefined) throw unsupportedMediaType();
  return type;
}
