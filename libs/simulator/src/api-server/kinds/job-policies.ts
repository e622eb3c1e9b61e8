import type { JsonObject } from '../request.ts';
import { isObject } from '../object.ts';
import type { FieldCause } from '../status.ts';
import { duplicate, required, tooLong, tooMany, unsupported, wrong, wrongWhole } from './causes.ts';
import { qualifiedName } from './names.ts';
import { items, part, specOf } from './spec.ts';

const manyCompletions = 100_000;
const mostWithManyCompletions = 10_000;

/** What is wrong with how a Job is completed: with its mode, its indexes and their limits. */
export function completionCauses(spec: JsonObject): readonly FieldCause[] {
  const mode = spec['completionMode'];
  if (mode === 'Indexed') return indexedCauses(spec);
  if (mode !== undefined && mode !== 'NonIndexed')
    return [unsupported('spec.completionMode', mode, ['NonIndexed', 'Indexed'])];
  return ['backoffLimitPerIndex', 'maxFailedIndexes']
    .filter((field) => field in spec)
    .map((field) => wrong(`spec.${field}`, spec[field], 'requires indexed completion mode'));
}

function indexedCauses(spec: JsonObject): readonly FieldCause[] {
  const { completions, parallelism, maxFailedIndexes } = spec;
  const atMost = (field: string, limit: number, detail = ''): readonly FieldCause[] =>
    Number(spec[field] ?? 0) > limit
      ? [wrong(`spec.${field}`, spec[field], `must be less than or equal to ${limit}${detail}`)]
      : [];
  const isHuge = Number(completions ?? 0) > manyCompletions && 'backoffLimitPerIndex' in spec;
  const when = ` when completions are above ${manyCompletions} and used with backoff limit per index`;
  return [
    ...(completions === undefined ? [required('spec.completions', 'when completion mode is Indexed')] : []),
    ...(parallelism === undefined ? [] : atMost('parallelism', 100_000, ' when completion mode is Indexed')),
    ...(completions !== undefined && Number(maxFailedIndexes ?? 0) > Number(completions)
      ? [wrong('spec.maxFailedIndexes', maxFailedIndexes, 'must be less than or equal to completions')]
      : []),
    ...atMost('maxFailedIndexes', 100_000),
    ...(isHuge && maxFailedIndexes === undefined
      ? [required('spec.maxFailedIndexes', `must be specified when completions is above ${manyCompletions}`)]
      : []),
    ...(isHuge ? atMost('parallelism', mostWithManyCompletions, when) : []),
    ...(isHuge ? atMost('maxFailedIndexes', mostWithManyCompletions, when) : []),
  ];
}

/** What is wrong with when a Job replaces its pods. */
export function replacementCauses(spec: JsonObject): readonly FieldCause[] {
  const policy = spec['podReplacementPolicy'];
  const known = isObject(spec['podFailurePolicy']) ? ['Failed'] : ['Failed', 'TerminatingOrFailed'];
  return policy === undefined || known.includes(String(policy))
    ? []
    : [unsupported('spec.podReplacementPolicy', policy, known)];
}

/** What is wrong with a Job's policy for failed pods. */
export function failurePolicyCauses(spec: JsonObject, policy: JsonObject): readonly FieldCause[] {
  const field = 'spec.podFailurePolicy.rules';
  const rules = items(policy['rules']);
  const pod = specOf(part(spec, 'template'));
  const containers = [...items(pod['containers']), ...items(pod['initContainers'])].map(({ name }) => name);
  return [
    ...tooMany(field, rules.length, 20),
    ...rules.flatMap((rule, index) => failureRuleCauses(rule, `${field}[${index}]`, { spec, containers })),
  ];
}

const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];

function failureRuleCauses(
  rule: JsonObject,
  field: string,
  { spec, containers }: { readonly spec: JsonObject; readonly containers: readonly unknown[] },
): readonly FieldCause[] {
  const conditions = items(rule['onPodConditions']);
  const codes = isObject(rule['onExitCodes']) ? rule['onExitCodes'] : undefined;
  const { action } = rule;
  const ofAction =
    action === 'FailIndex'
      ? 'backoffLimitPerIndex' in spec
        ? []
        : [wrong(`${field}.action`, action, 'requires the backoffLimitPerIndex to be set')]
      : oneOf(`${field}.action`, action, actions);
  return [
    ...ofAction,
    ...(codes === undefined ? [] : exitCodeCauses(codes, `${field}.onExitCodes`, containers)),
    ...conditionCauses(conditions, `${field}.onPodConditions`),
    ...(codes !== undefined && conditions.length > 0
      ? [wrongWhole(field, 'specifying both OnExitCodes and OnPodConditions is not supported')]
      : []),
    ...(codes === undefined && conditions.length === 0
      ? [wrongWhole(field, 'specifying one of OnExitCodes and OnPodConditions is required')]
      : []),
  ];
}

/** A value that has to be given, and to be one of those that are known. */
function oneOf(field: string, value: unknown, known: readonly string[]): readonly FieldCause[] {
  if (value === undefined || value === '') {
    const list = known.map((text) => JSON.stringify(text)).join(' ');
    return [required(field, `valid values: [${list}]`)];
  }
  return known.includes(String(value)) ? [] : [unsupported(field, value, known)];
}

function conditionCauses(patterns: readonly JsonObject[], field: string): readonly FieldCause[] {
  return [
    ...tooMany(field, patterns.length, 20),
    ...patterns.flatMap(({ type, status }, index) => [
      ...qualifiedName(String(type ?? '')).map((message) => wrong(`${field}[${index}].type`, type ?? '', message)),
      ...oneOf(`${field}[${index}].status`, status, ['False', 'True', 'Unknown']),
    ]),
  ];
}

function exitCodeCauses(codes: JsonObject, field: string, containers: readonly unknown[]): readonly FieldCause[] {
  const { operator, containerName } = codes;
  const values = Array.isArray(codes['values']) ? codes['values'].map(Number) : [];
  const ofValues = values.flatMap((value, index) => [
    ...(operator === 'In' && value === 0
      ? [wrong(`${field}.values[${index}]`, value, 'must not be 0 for the In operator')]
      : []),
    ...(values.indexOf(value) < index ? [duplicate(`${field}.values[${index}]`, value)] : []),
  ]);
  const isOrdered = values.every((value, index) => index === 0 || Number(values[index - 1]) <= value);
  return [
    ...oneOf(`${field}.operator`, operator, ['In', 'NotIn']),
    ...(containerName === undefined || containers.includes(containerName)
      ? []
      : [
          wrong(
            `${field}.containerName`,
            containerName,
            'must be one of the container or initContainer names in the pod template',
          ),
        ]),
    ...(values.length === 0
      ? [wrong(`${field}.values`, codes['values'] ?? null, 'at least one value is required')]
      : tooMany(`${field}.values`, values.length, 255)),
    ...ofValues,
    ...(isOrdered ? [] : [wrong(`${field}.values`, values, 'must be ordered')]),
  ];
}

/** What is wrong with a Job's policy for its success. */
export function successPolicyCauses(spec: JsonObject, policy: JsonObject): readonly FieldCause[] {
  if (spec['completionMode'] !== 'Indexed')
    return [wrong('spec.successPolicy', policy, 'requires indexed completion mode')];
  const field = 'spec.successPolicy.rules';
  const rules = items(policy['rules']);
  return [
    ...(rules.length === 0
      ? [required(field, 'at least one rules must be specified when the successPolicy is specified')]
      : []),
    ...tooMany(field, rules.length, 20),
    ...rules.flatMap((rule, index) => successRuleCauses(rule, `${field}[${index}]`, Number(spec['completions'] ?? 0))),
  ];
}

function successRuleCauses(rule: JsonObject, field: string, completions: number): readonly FieldCause[] {
  const { succeededCount: count, succeededIndexes: indexes } = rule;
  if (count === undefined && indexes === undefined)
    return [required(field, 'at least one of succeededCount or succeededIndexes must be specified')];
  const total = typeof indexes === 'string' ? countOf(indexes, completions) : 0;
  const number = Number(count ?? 0);
  const atMost = (limit: number, what: string): readonly FieldCause[] =>
    number > limit
      ? [wrong(`${field}.succeededCount`, count, `must be less than or equal to ${limit} (the number of ${what})`)]
      : [];
  return [
    ...(typeof indexes === 'string' ? tooLong(`${field}.succeededIndexes`, indexes, 64 * 1024) : []),
    ...(typeof total === 'string'
      ? [wrong(`${field}.succeededIndexes`, indexes, `error parsing succeededIndexes: ${total}`)]
      : []),
    ...(number < 0 ? [wrong(`${field}.succeededCount`, count, 'must be greater than or equal to 0')] : []),
    ...atMost(completions, 'specified completions'),
    ...(indexes === undefined
      ? []
      : atMost(typeof total === 'string' ? 0 : total, 'indexes in the specified succeededIndexes field')),
  ];
}

/** How many indexes a text such as `0,2-4` has, or what is wrong with it. */
function countOf(text: string, completions: number): number | string {
  let total = 0;
  let previous = -1;
  for (const interval of text === '' ? [] : text.split(',')) {
    const parts = interval.split('-');
    if (parts.length > 2)
      return `the fragment ${JSON.stringify(interval)} violates the requirement that an index interval can have at most two parts separated by '-'`;
    for (const limit of parts) {
      if (!/^\+?\d+$/.test(limit)) return `cannot convert string to integer for index: ${JSON.stringify(limit)}`;
      if (Number(limit) >= completions) return `too large index: ${JSON.stringify(limit)}`;
    }
    const [first = 0, last = first] = parts.map(Number);
    if (parts.length === 2 && first >= last) return outOfOrder(first, last);
    if (previous >= first) return outOfOrder(previous, first);
    total += last - first + 1;
    previous = last;
  }
  return total;
}

const outOfOrder = (previous: number, current: number): string =>
  `non-increasing order, previous: ${previous}, current: ${current}`;
