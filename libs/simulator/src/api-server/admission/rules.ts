import { items } from '../kinds/spec.ts';
import type { JsonObject } from '../request.ts';
import type { AdmissionAttributes } from './attributes.ts';

const includes = (list: unknown, value: string): boolean =>
  Array.isArray(list) && (list.includes('*') || list.includes(value));

function matchesResource(list: unknown, plural: string, subresource: string | undefined): boolean {
  if (!Array.isArray(list)) return false;
  return list.some((entry) => {
    const [resource = '', sub] = String(entry).split('/');
    if (resource !== '*' && resource !== plural) return false;
    if (sub === undefined) return subresource === undefined;
    return sub === '*' || sub === subresource;
  });
}

/** The same for the rules of a policy, which may name objects. */
export function matchesNamedRules(rules: unknown, attributes: AdmissionAttributes): boolean {
  return items(rules).some((rule: JsonObject) => {
    const names = rule['resourceNames'];
    const isNamed = !Array.isArray(names) || names.length === 0 || names.includes(attributes.name);
    return isNamed && matchesRules([rule], attributes);
  });
}

/** Whether a webhook's rules cover a request. Its own configuration and that of others are never covered. */
export function matchesRules(rules: unknown, { operation, resource, subresource }: AdmissionAttributes): boolean {
  if (resource.group === 'admissionregistration.k8s.io') return false;
  return items(rules).some((rule: JsonObject) => {
    const scope = rule['scope'];
    const inScope = scope === undefined || scope === '*' || (scope === 'Namespaced') === resource.namespaced;
    return (
      inScope &&
      includes(rule['operations'], operation) &&
      includes(rule['apiGroups'], resource.group) &&
      includes(rule['apiVersions'], resource.version) &&
      matchesResource(rule['resources'], resource.plural, subresource)
    );
  });
}
