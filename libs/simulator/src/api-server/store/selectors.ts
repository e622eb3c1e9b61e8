import { badRequest } from '../status.ts';
import { parseLabelSelector, SelectorError } from './label-selector.ts';
import type { Requirement } from './label-selector.ts';
import { ownField } from '../object.ts';
import type { StoredObject } from '../object.ts';

/** Whether a set of labels or fields is selected. */
export type Selector = (values: Readonly<Record<string, string>>) => boolean;

const everything: Selector = () => true;

/** The selector of a `labelSelector` parameter. Refuses what can't be parsed with 400. */
export function labelSelector(text: string | undefined): Selector {
  if (text === undefined || text.trim() === '') return everything;
  const requirements = parsed(text);
  return (labels) => requirements.every((requirement) => meets(requirement, ownField(labels, requirement.key)));
}

function parsed(text: string): readonly Requirement[] {
  try {
    return parseLabelSelector(text);
  } catch (error) {
    if (error instanceof SelectorError) throw badRequest(error.message);
    throw error;
  }
}

function meets({ operator, values }: Requirement, value: string | undefined): boolean {
  switch (operator) {
    case 'in':
      return value !== undefined && values.has(value);
    case 'notin':
      return value === undefined || !values.has(value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case '>':
    case '<': {
      const [limit = ''] = values;
      return value !== undefined && (operator === '>' ? Number(value) > Number(limit) : Number(value) < Number(limit));
    }
  }
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
    labels.every(([key, value]) => ownField(values, key) === value) &&
    expressions.every(({ key, operator, values: wanted = [] }) => {
      const value = ownField(values, key);
      if (operator === 'In') return value !== undefined && wanted.includes(value);
      if (operator === 'NotIn') return value === undefined || !wanted.includes(value);
      if (operator === 'Exists') return value !== undefined;
      return operator === 'DoesNotExist' && value === undefined;
    });
}

/** The requirements of a `fieldSelector` parameter: terms joined by commas, each `=`, `==` or `!=`. */
export function fieldTerms(
  text: string | undefined,
): readonly { readonly field: string; readonly equal: boolean; readonly value: string }[] {
  if (text === undefined || text.trim() === '') return [];
  const terms = text.split(/(?<!\\),/).filter((term) => term !== '');
  return terms.map((term) => {
    const match = /^(.*?)(==|!=|=)(.*)$/s.exec(term);
    if (!match) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
    return { field: match[1] ?? '', equal: match[2] !== '!=', value: unescaped(match[3] ?? '') };
  });
}

/** A value of a field selector: commas, equals signs and backslashes stand behind a backslash. */
function unescaped(value: string): string {
  const strange = /(?:^|[^\\])(?:\\\\)*([,=])/.exec(value)?.[1];
  if (strange !== undefined)
    throw badRequest(`invalid field selector: unescaped character in value: ${strange.charCodeAt(0)}`);
  const escape = /(?:^|[^\\])(?:\\\\)*(\\(?:[^\\,=]|$))/.exec(value)?.[1];
  if (escape !== undefined) throw badRequest(`invalid field selector: invalid escape sequence: ${escape}`);
  return value.replace(/\\([\\,=])/g, '$1');
}

/** The labels of an object, never undefined. */
export function labelsOf(object: StoredObject): Readonly<Record<string, string>> {
  return object.metadata.labels ?? {};
}
