import { isLargerQuantity } from '../schema/quantity.ts';
import type { StoredObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import type { FieldCause } from '../status.ts';
import { required, wrong } from './causes.ts';
import type { Draft } from './model.ts';
import { subdomain } from './names.ts';
import { amountCauses, isQuotaName, nameCausesFor } from './resource-names.ts';
import type { KindRules } from './rules.ts';
import { items, part, specOf, texts } from './spec.ts';

/** Scopes that say nothing but that an object is in them. */
const plainScopes = ['Terminating', 'NotTerminating', 'BestEffort', 'NotBestEffort', 'CrossNamespacePodAffinity'];
const scopeNames: ReadonlySet<string> = new Set([...plainScopes, 'PriorityClass', 'VolumeAttributesClass']);
const opposites = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;

const ofPods = ['pods', 'cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory'];

/** Whether a scope says something of a resource. */
function isInScope(scope: string, resource: string): boolean {
  if (scope === 'BestEffort') return resource === 'pods';
  if (scope === 'VolumeAttributesClass') return ['persistentvolumeclaims', 'requests.storage'].includes(resource);
  return !scopeNames.has(scope) || ofPods.includes(resource);
}

const misplaced = (scope: string, hard: readonly string[]): readonly string[] =>
  hard.filter((name) => isQuotaName(name) && !isInScope(scope, name));

const areOpposite = (scopes: readonly string[]): boolean =>
  opposites.some(([one, other]) => scopes.includes(one) && scopes.includes(other));

function scopeCauses(spec: JsonObject, hard: readonly string[]): readonly FieldCause[] {
  const scopes = texts(spec['scopes']);
  const at = (detail: string): FieldCause => wrong('spec.scopes', scopes, detail);
  return [
    ...scopes.flatMap((scope) => [
      ...(scopeNames.has(scope) ? [] : [at('unsupported scope')]),
      ...misplaced(scope, hard).map(() => at('unsupported scope applied to resource')),
    ]),
    ...(areOpposite(scopes) ? [at('conflicting scopes')] : []),
  ];
}

/** A selector as Go's internal type prints it. */
const internalSelector = (selectors: readonly JsonObject[]): JsonObject => ({
  MatchExpressions: selectors.map(({ scopeName, operator, values }) => ({
    ScopeName: scopeName,
    Operator: operator,
    Values: values ?? null,
  })),
});

function operatorCauses({ scopeName, operator, values }: JsonObject, field: string): readonly FieldCause[] {
  const isEmpty = texts(values).length === 0;
  const operatorField = `${field}.operator`;
  const plain =
    plainScopes.includes(String(scopeName)) && operator !== 'Exists'
      ? [
          wrong(
            operatorField,
            operator,
            "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
          ),
        ]
      : [];
  switch (operator) {
    case 'In':
    case 'NotIn':
      return isEmpty
        ? [
            ...plain,
            required(
              `${field}.values`,
              "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
            ),
          ]
        : plain;
    case 'Exists':
    case 'DoesNotExist':
      return isEmpty
        ? plain
        : [
            ...plain,
            wrong(
              `${field}.values`,
              values,
              "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
            ),
          ];
    default:
      return [...plain, wrong(operatorField, operator, 'not a valid selector operator')];
  }
}

function selectorCauses(spec: JsonObject, hard: readonly string[]): readonly FieldCause[] {
  const selectors = items(part(spec, 'scopeSelector')['matchExpressions']);
  const field = 'spec.scopeSelector.matchExpressions';
  const scopes = selectors.map(({ scopeName }) => String(scopeName));
  return [
    ...selectors.flatMap((selector, index) => {
      const scope = scopes[index] ?? '';
      return [
        ...(scopeNames.has(scope) ? [] : [wrong(`${field}.scopeName`, scope, 'unsupported scope')]),
        ...misplaced(scope, hard).map(() =>
          wrong(field, internalSelector(selectors), 'unsupported scope applied to resource'),
        ),
        ...operatorCauses(selector, field),
      ];
    }),
    ...(areOpposite(scopes) ? [wrong('spec.scopes', spec['scopes'] ?? null, 'conflicting scopes')] : []),
  ];
}

function quotaCauses(object: Draft): readonly FieldCause[] {
  const spec = specOf(object);
  const hard = Object.entries(part(spec, 'hard')).sort(([one], [other]) => (one < other ? -1 : 1));
  const names = hard.map(([name]) => name);
  return [
    ...hard.flatMap(([name, text]) => {
      const field = `spec.hard[${name}]`;
      return [...nameCausesFor('quota', name, field), ...amountCauses(name, text, field)];
    }),
    ...scopeCauses(spec, names),
    ...selectorCauses(spec, names),
  ];
}

const sorted = (scopes: unknown): string => [...new Set(texts(scopes))].sort().join();

function quotaChangeCauses(object: Draft, old: StoredObject): readonly FieldCause[] {
  const scopes = specOf(object)['scopes'];
  return sorted(scopes) === sorted(specOf(old as unknown as JsonObject)['scopes'])
    ? []
    : [wrong('spec.scopes', scopes ?? null, 'field is immutable')];
}

/** A quota that lets pods ask for more than they may use. */
function quotaWarnings(object: Draft): readonly string[] {
  const hard = part(specOf(object), 'hard');
  return ['cpu', 'memory', 'storage', 'ephemeral-storage'].flatMap((name) => {
    const bare = name === 'cpu' || name === 'memory' ? name : undefined;
    const request = hard[`requests.${name}`] === undefined && bare !== undefined ? bare : `requests.${name}`;
    const [asked, limit] = [hard[request], hard[`limits.${name}`]];
    return asked !== undefined && limit !== undefined && isLargerQuantity(String(asked), String(limit))
      ? [`ResourceQuota ${request} (${String(asked)}) should be less than limits.${name} (${String(limit)})`]
      : [];
  });
}

/** What is particular to quotas. */
export const resourceQuotaRules: KindRules = {
  nameRule: subdomain,
  validate: quotaCauses,
  validateUpdate: quotaChangeCauses,
  warn: quotaWarnings,
};
