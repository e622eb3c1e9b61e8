import { badRequest } from '../status.ts';
import type { StoredObject } from '../object.ts';

/** Whether a set of labels or fields is selected. */
export type Selector = (values: Readonly<Record<string, string>>) => boolean;

const everything: Selector = () => true;

interface Requirement {
  readonly key: string;
  readonly test: (value: string | undefined) => boolean;
}

const listOf = (text: string): Set<string> => new Set(text.split(',').map((value) => value.trim()));

function labelRequirement(text: string, whole: string): Requirement {
  const set = /^([^\s!=,()]+)\s+(in|notin)\s*\(([^)]*)\)$/.exec(text);
  if (set) {
    const values = listOf(set[3] ?? '');
    return set[2] === 'in'
      ? { key: set[1] ?? '', test: (value) => value !== undefined && values.has(value) }
      : { key: set[1] ?? '', test: (value) => value === undefined || !values.has(value) };
  }
  const relation = /^([^\s!=,()<>]+)\s*(==|=|!=|<|>)\s*([^\s=!,()]*)$/.exec(text);
  if (relation) {
    const [, key = '', operator, wanted = ''] = relation;
    if (operator === '!=') return { key, test: (value) => value !== wanted };
    if (operator === '<') return { key, test: (value) => value !== undefined && Number(value) < Number(wanted) };
    if (operator === '>') return { key, test: (value) => value !== undefined && Number(value) > Number(wanted) };
    return { key, test: (value) => value === wanted };
  }
  if (/^[^\s!=,()]+$/.test(text)) return { key: text, test: (value) => value !== undefined };
  if (/^!\s*[^\s!=,()]+$/.test(text)) return { key: text.slice(1).trim(), test: (value) => value === undefined };
  throw badRequest(`unable to parse requirement: found '${text}', expected: a label requirement, in "${whole}"`);
}

/** The selector of a `labelSelector` parameter. Refuses what can't be parsed with 400. */
export function labelSelector(text: string | undefined): Selector {
  if (text === undefined || text.trim() === '') return everything;
  const requirements = text.split(/,(?![^(]*\))/).map((part) => labelRequirement(part.trim(), text));
  return (labels) => requirements.every(({ key, test }) => test(labels[key]));
}

/** A `metav1.LabelSelector` as the server reads it: an empty one selects everything, an absent one nothing. */
export function structuredSelector(
  selector:
    | {
        readonly matchLabels?: Readonly<Record<string, string>>;
        readonly matchExpressions?: readonly {
          readonly key: string;
          readonly operator: string;
          readonly values?: readonly string[];
        }[];
      }
    | undefined,
): Selector {
  if (selector === undefined) return () => false;
  const labels = Object.entries(selector.matchLabels ?? {});
  const expressions = selector.matchExpressions ?? [];
  return (values) =>
    labels.every(([key, value]) => values[key] === value) &&
    expressions.every(({ key, operator, values: wanted = [] }) => {
      const value = values[key];
      if (operator === 'In') return value !== undefined && wanted.includes(value);
      if (operator === 'NotIn') return value === undefined || !wanted.includes(value);
      return operator === 'Exists' ? value !== undefined : value === undefined;
    });
}

/** The requirements of a `fieldSelector` parameter: terms joined by commas, each `=`, `==` or `!=`. */
export function fieldTerms(
  text: string | undefined,
): readonly { readonly field: string; readonly equal: boolean; readonly value: string }[] {
  if (text === undefined || text.trim() === '') return [];
  return text.split(',').map((term) => {
    const match = /^\s*([^=!\s]+)\s*(==|=|!=)\s*(.*?)\s*$/.exec(term);
    if (!match) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
    return { field: match[1] ?? '', equal: match[2] !== '!=', value: match[3] ?? '' };
  });
}

/** The labels of an object, never undefined. */
export function labelsOf(object: StoredObject): Readonly<Record<string, string>> {
  return object.metadata.labels ?? {};
}
