import { sameJson } from '@ordinal/client';
import type { JsonObject } from '../request.ts';
import type { FieldCause } from '../status.ts';
import { required, wrong } from './causes.ts';
import type { Draft } from './model.ts';
import { conditionCauses } from './match-conditions.ts';
import { pathSegment, subdomain } from './names.ts';
import type { KindRules } from './rules.ts';
import { items, part, specOf } from './spec.ts';

/** Whether an amount is a share: a text such as `5%`. */
export const isPercent = (value: unknown): value is string => typeof value === 'string';

/** What is wrong with an amount, which is a number or a share. */
export function amountCauses(field: string, value: unknown): readonly FieldCause[] {
  if (isPercent(value) && !/^\d+%$/.test(String(value)))
    return [
      wrong(
        field,
        value,
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
      ),
    ];
  return typeof value === 'number' && value < 0 ? [wrong(field, value, 'must be greater than or equal to 0')] : [];
}

/** The spec as Go's internal type prints it. */
const internalSpec = (spec: JsonObject): JsonObject => ({
  MinAvailable: spec['minAvailable'] ?? null,
  Selector: spec['selector'] ?? null,
  MaxUnavailable: spec['maxUnavailable'] ?? null,
  UnhealthyPodEvictionPolicy: spec['unhealthyPodEvictionPolicy'] ?? null,
});

function budgetCauses(object: Draft): readonly FieldCause[] {
  const spec = specOf(object);
  return [
    ...(spec['minAvailable'] !== undefined && spec['maxUnavailable'] !== undefined
      ? [wrong('spec', internalSpec(spec), 'minAvailable and maxUnavailable cannot be both set')]
      : []),
    ...amountCauses('spec.minAvailable', spec['minAvailable']),
    ...amountCauses('spec.maxUnavailable', spec['maxUnavailable']),
  ];
}

/** What is particular to disruption budgets. */
export const budgetRules: KindRules = {
  generation: true,
  nameRule: subdomain,
  requiresVersion: true,
  reportsMetadataOnce: true,
  validate: budgetCauses,
};

function leaseCauses(object: Draft): readonly FieldCause[] {
  const spec = specOf(object);
  const positive = (field: string, message: string): readonly FieldCause[] =>
    spec[field] !== undefined && Number(spec[field]) <= 0 ? [wrong(`spec.${field}`, spec[field], message)] : [];
  return [
    ...positive('leaseDurationSeconds', 'must be greater than 0'),
    ...(Number(spec['leaseTransitions'] ?? 0) < 0
      ? [wrong('spec.leaseTransitions', spec['leaseTransitions'], 'must be greater than or equal to 0')]
      : []),
  ];
}

/** What is particular to Leases. */
export const leaseRules: KindRules = {
  nameRule: subdomain,
  requiresVersion: true,
  createsOnUpdate: true,
  validate: leaseCauses,
};

function ruleCauses(object: Draft, namespaced: boolean): readonly FieldCause[] {
  return items(object['rules']).flatMap((rule, index) => {
    const length = (field: string): number => (Array.isArray(rule[field]) ? rule[field].length : 0);
    return [
      ...(length('verbs') === 0 ? [required(`rules[${index}].verbs`, 'verbs must contain at least one value')] : []),
      ...(namespaced && length('nonResourceURLs') > 0
        ? [
            wrong(
              `rules[${index}].nonResourceURLs`,
              rule['nonResourceURLs'],
              'namespaced rules cannot apply to non-resource URLs',
            ),
          ]
        : []),
      ...(length('nonResourceURLs') === 0 && length('apiGroups') === 0
        ? [required(`rules[${index}].apiGroups`, 'resource rules must supply at least one api group')]
        : []),
      ...(length('nonResourceURLs') === 0 && length('resources') === 0
        ? [required(`rules[${index}].resources`, 'resource rules must supply at least one resource')]
        : []),
    ];
  });
}

/** What is particular to Roles. */
export const roleRules: KindRules = {
  nameRule: pathSegment,
  nullWhenEmpty: ['rules'],
  createsOnUpdate: true,
  validate: (object) => ruleCauses(object, true),
};

/** What is particular to ClusterRoles. */
export const clusterRoleRules: KindRules = {
  nameRule: pathSegment,
  nullWhenEmpty: ['rules'],
  createsOnUpdate: true,
  validate: (object) => ruleCauses(object, false),
};

/** A role's reference as Go's internal type prints it. */
const internalReference = ({ apiGroup, kind, name }: JsonObject): JsonObject => ({
  APIGroup: apiGroup,
  Kind: kind,
  Name: name,
});

/** What is particular to role bindings. */
export const bindingRules: KindRules = {
  nameRule: pathSegment,
  createsOnUpdate: true,
  validate: (object) =>
    items(object['subjects']).flatMap((subject, index) => [
      ...(subject['name'] === '' ? [required(`subjects[${index}].name`)] : []),
      ...(subject['kind'] === 'ServiceAccount' && subject['namespace'] === undefined
        ? [required(`subjects[${index}].namespace`)]
        : []),
    ]),
  validateUpdate: (object, old) =>
    sameJson(object['roleRef'], old['roleRef'])
      ? []
      : [wrong('roleRef', internalReference(part(object, 'roleRef')), 'cannot change roleRef')],
};

/** What is particular to webhook configurations. */
export const webhookConfigurationRules: KindRules = {
  generation: true,
  nameRule: subdomain,
  requiresVersion: true,
  validate: (object) =>
    items(object['webhooks']).flatMap((webhook, index) =>
      conditionCauses(items(webhook['matchConditions']), `webhooks[${index}].matchConditions`),
    ),
};
