import type { LabelSelector } from 'kubernetes-types/meta/v1.js';
import { structuredSelector } from '../api-server/store/selectors.ts';

/** Whether labels satisfy a selector. An absent selector selects nothing, an empty one everything, as the API server reads them. */
export const matchesSelector = (
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>> = {},
): boolean => structuredSelector(selector)(labels);

/** Whether objects have labels that satisfy a selector. */
export function selectedBy(
  selector: LabelSelector | undefined,
): (object: { readonly metadata: { readonly labels?: Readonly<Record<string, string>> } }) => boolean {
  const matches = structuredSelector(selector);
  return ({ metadata }) => matches(metadata.labels ?? {});
}

/** Whether labels contain every pair of a map, as a Service selects its pods. An empty map selects nothing. */
export function matchesLabels(
  wanted: Readonly<Record<string, string>> | undefined,
  labels: Readonly<Record<string, string>> = {},
): boolean {
  const pairs = Object.entries(wanted ?? {});
  return pairs.length > 0 && pairs.every(([key, value]) => labels[key] === value);
}

/** Whether two maps of texts, such as labels, are the same. */
export function sameEntries(
  left: Readonly<Record<string, string>> = {},
  right: Readonly<Record<string, string>> = {},
): boolean {
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => left[key] === right[key]);
}
