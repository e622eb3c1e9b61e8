import type { MonitoredStatefulSetSpec } from '@ordinal/api';

type Selector = MonitoredStatefulSetSpec['statefulSetSpec']['selector'];
type Requirement = NonNullable<Selector['matchExpressions']>[number];
type Labels = Readonly<Record<string, string>>;

/** The first requirement of a selector that labels do not meet, in words; undefined where it selects them. Pure. */
export function unmetBy(labels: Labels, { matchLabels = {}, matchExpressions = [] }: Selector): string | undefined {
  const lacking = Object.entries(matchLabels).find(([key, value]) => labels[key] !== value);
  if (lacking) return lacking.join('=');
  const unmet = matchExpressions.find((requirement) => !meets(labels, requirement));
  return unmet && `${unmet.key} ${unmet.operator}`;
}

function meets(labels: Labels, { key, operator, values = [] }: Requirement): boolean {
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
      return true; // An operator that we do not know is the API server's to judge.
  }
}

/** The labels that a selector asks for, as the text of a label selector: its expressions are not in it. */
export const labelsText = ({ matchLabels = {} }: Selector): string =>
  Object.entries(matchLabels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
