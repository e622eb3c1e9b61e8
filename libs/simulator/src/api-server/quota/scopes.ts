import { qosClass } from '../kinds/pod.ts';
import { items, part, specOf, texts } from '../kinds/spec.ts';
import type { JsonObject } from '../request.ts';

/** Which objects a quota counts, as one of its scopes says it. */
export interface ScopeSelector {
  readonly scope: string;
  readonly operator: string;
  readonly values: readonly string[];
}

/** The scopes of a quota: an object has to be in all of them. */
export function scopesOf(quota: JsonObject): readonly ScopeSelector[] {
  const spec = specOf(quota);
  return [
    ...texts(spec['scopes']).map((scope) => ({ scope, operator: 'Exists', values: [] })),
    ...items(part(spec, 'scopeSelector')['matchExpressions']).map(({ scopeName, operator, values }) => ({
      scope: String(scopeName),
      operator: String(operator),
      values: texts(values),
    })),
  ];
}

/** Whether the names that an object refers to are such as a selector wants. */
function selects({ operator, values }: ScopeSelector, names: readonly string[]): boolean {
  switch (operator) {
    case 'Exists':
      return names.length > 0;
    case 'DoesNotExist':
      return names.length === 0;
    case 'In':
      return names.some((name) => values.includes(name));
    default:
      return names.length === 0 || names.some((name) => !values.includes(name));
  }
}

const named = (name: unknown): readonly string[] => (typeof name === 'string' && name !== '' ? [name] : []);

/** Whether a pod may run for so long only. */
export const isBounded = (pod: JsonObject): boolean => Number(specOf(pod)['activeDeadlineSeconds'] ?? -1) >= 0;

const isBestEffort = (pod: JsonObject): boolean =>
  String(part(pod, 'status')['qosClass'] ?? qosClass(specOf(pod))) === 'BestEffort';

const affinityLists = [
  'requiredDuringSchedulingIgnoredDuringExecution',
  'preferredDuringSchedulingIgnoredDuringExecution',
];

/** Whether a pod wants to be near to, or far from, pods of other namespaces. */
function looksAtOtherNamespaces(pod: JsonObject): boolean {
  const affinity = part(specOf(pod), 'affinity');
  return ['podAffinity', 'podAntiAffinity']
    .flatMap((side) => affinityLists.flatMap((list) => items(part(affinity, side)[list])))
    .map((term) => ('podAffinityTerm' in term ? part(term, 'podAffinityTerm') : term))
    .some((term) => texts(term['namespaces']).length > 0 || term['namespaceSelector'] !== undefined);
}

/** Whether a pod is in a scope. */
export function podInScope(pod: JsonObject, selector: ScopeSelector): boolean {
  switch (selector.scope) {
    case 'Terminating':
      return isBounded(pod);
    case 'NotTerminating':
      return !isBounded(pod);
    case 'BestEffort':
      return isBestEffort(pod);
    case 'NotBestEffort':
      return !isBestEffort(pod);
    case 'PriorityClass':
      return selects(selector, named(specOf(pod)['priorityClassName']));
    case 'CrossNamespacePodAffinity':
      return looksAtOtherNamespaces(pod);
    default:
      return false;
  }
}

/** Whether a claim is in a scope. */
export function claimInScope(claim: JsonObject, selector: ScopeSelector): boolean {
  if (selector.scope !== 'VolumeAttributesClass') return false;
  const status = part(claim, 'status');
  const names = [
    specOf(claim)['volumeAttributesClassName'],
    status['currentVolumeAttributesClassName'],
    part(status, 'modifyVolumeStatus')['targetVolumeAttributesClassName'],
  ];
  return selects(selector, [...new Set(names.flatMap(named))]);
}
