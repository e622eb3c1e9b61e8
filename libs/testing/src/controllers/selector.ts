import type { LabelSelector } from 'kubernetes-types/meta/v1.js';

/** Whether labels satisfy a selector. An absent selector selects nothing, an empty one everything, as the API server reads them. */
export function matchesSelector(
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>> = {},
): boolean {
  if (selector === undefined) return false;
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) if (labels[key] !== value) return false;
  return (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
    const value = labels[key];
    switch (operator) {
      case 'In':
        return value !== undefined && values.includes(value);
      case 'NotIn':
        return value === undefined || !values.includes(value);
      case 'Exists':
        return value !== undefined;
      case 'DoesNotExist':
        return value === undefined;
      default:
        return false;
    }
  });
}

/** Whether labels contain every pair of a map, as a Service selects its pods. An empty map selects nothing. */
export function matchesLabels(
  wanted: Readonly<Record<string, string>> | undefined,
  labels: Readonly<Record<string, string>> = {},
): boolean {
  const pairs = Object.entries(wanted ?? {});
  return pairs.length > 0 && pairs.every(([key, value]) => labels[key] === value);
}
