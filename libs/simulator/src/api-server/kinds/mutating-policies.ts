import type { JsonObject } from '../request.ts';
import type { FieldCause } from '../status.ts';
import { eachOf, expressionCauses, matchCauses, names, paramCauses, variableCauses } from './admission-policies.ts';
import { required, unsupported, wrong } from './causes.ts';
import { conditionCauses } from './match-conditions.ts';
import { subdomain } from './names.ts';
import type { KindRules } from './rules.ts';
import { items, part } from './spec.ts';

const operations = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

/** Only what is created or changed can be changed by a policy. */
const operationCauses = (match: JsonObject, field: string): readonly FieldCause[] =>
  items(match['resourceRules']).flatMap((rule) =>
    names(rule['operations'])
      .filter((operation) => !operations.includes(operation))
      .map((operation) => unsupported(`${field}.resourceRules.operations`, operation, operations)),
  );

const forms = { JSONPatch: 'jsonPatch', ApplyConfiguration: 'applyConfiguration' } as const;

function mutationCauses(mutation: JsonObject, field: string): readonly FieldCause[] {
  const { patchType } = mutation;
  if (patchType === undefined || patchType === '') return [required(`${field}.patchType`)];
  if (patchType !== 'JSONPatch' && patchType !== 'ApplyConfiguration')
    return [unsupported(`${field}.patchType`, patchType, ['ApplyConfiguration', 'JSONPatch'])];
  const own = forms[patchType];
  const other = patchType === 'JSONPatch' ? 'applyConfiguration' : 'jsonPatch';
  return [
    ...(mutation[own] === undefined
      ? [required(`${field}.${own}`, `must be specified when patchType is ${patchType}`)]
      : expressionCauses(part(mutation, own)['expression'], `${field}.${own}.expression`, {
          missing: '',
          messages: true,
        })),
    ...(mutation[other] === undefined
      ? []
      : [wrong(`${field}.${other}`, `{${other}}`, `must not be specified when patchType is ${patchType}`)]),
  ];
}

const choice = (value: unknown, field: string, known: readonly string[]): readonly FieldCause[] => {
  if (value === undefined || value === '') return [required(field)];
  return known.includes(String(value)) ? [] : [unsupported(field, value, known)];
};

/** What is particular to mutating admission policies. */
export const mutatingPolicyRules: KindRules = {
  generation: true,
  nameRule: subdomain,
  requiresVersion: true,
  validate: (object) => {
    const spec = part(object, 'spec');
    const match = part(spec, 'matchConstraints');
    const field = 'spec.matchConstraints';
    return [
      ...choice(spec['failurePolicy'], 'spec.failurePolicy', ['Fail', 'Ignore']),
      ...(spec['matchConstraints'] === undefined
        ? [required(field)]
        : [
            ...matchCauses(match, field),
            ...(items(match['resourceRules']).length === 0 ? [required(`${field}.resourceRules`)] : []),
            ...operationCauses(match, field),
          ]),
      ...conditionCauses(items(spec['matchConditions']), 'spec.matchConditions'),
      ...eachOf(spec, 'variables', (variable, at) => variableCauses(variable, at, true)),
      ...(items(spec['mutations']).length === 0
        ? [required('spec.mutations', 'mutations must contain at least one item')]
        : eachOf(spec, 'mutations', mutationCauses)),
      ...choice(spec['reinvocationPolicy'], 'spec.reinvocationPolicy', ['IfNeeded', 'Never']),
    ];
  },
};

/** What is particular to bindings of mutating admission policies. */
export const mutatingPolicyBindingRules: KindRules = {
  generation: true,
  nameRule: subdomain,
  requiresVersion: true,
  validate: (object) => {
    const spec = part(object, 'spec');
    const name = String(spec['policyName'] ?? '');
    const match = part(spec, 'matchResources');
    return [
      ...(name === ''
        ? [required('spec.policyName')]
        : subdomain(name).map((message) => wrong('spec.policyName', name, message))),
      ...paramCauses(spec),
      ...matchCauses(match, 'spec.matchResources'),
      ...operationCauses(match, 'spec.matchResources'),
    ];
  },
};
