import { part } from '../kinds/spec.ts';
import type { StoredObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import { structuredSelector } from '../store/selectors.ts';
import type { AdmissionAttributes } from './attributes.ts';

type Labelled = { readonly metadata?: { readonly labels?: Readonly<Record<string, string>> } } | undefined;

/** Whether the selectors of a webhook, or of a policy's match, choose a request: by the labels of its object, as it was or is to be, and of its namespace. */
export function isSelected(
  definition: JsonObject,
  { object, oldObject, resource }: AdmissionAttributes,
  namespace: StoredObject | undefined,
): boolean {
  const labels = (candidate: Labelled): Readonly<Record<string, string>> => candidate?.metadata?.labels ?? {};
  const byObject = structuredSelector(part(definition, 'objectSelector'));
  const candidates = [object, oldObject as JsonObject | undefined].filter((candidate) => candidate !== undefined);
  if (candidates.length > 0 && !candidates.some((candidate) => byObject(labels(candidate as Labelled)))) return false;
  if (!resource.namespaced && resource.storage !== 'namespaces') return true;
  return structuredSelector(part(definition, 'namespaceSelector'))(labels(namespace ?? (object as Labelled)));
}
