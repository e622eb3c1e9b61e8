import { items, part, texts } from '../kinds/spec.ts';
import type { StoredObject } from '../object.ts';
import type { Identity, JsonObject } from '../request.ts';
import type { Store } from '../store/store.ts';
import type { Attributes } from './attributes.ts';

const rbac = 'rbac.authorization.k8s.io';

/** Whether something is allowed, and why; or what kept the server from knowing. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

const json = (object: StoredObject): JsonObject => object as unknown as JsonObject;
const any = (list: unknown, ...wanted: readonly string[]): boolean => {
  const known = texts(list);
  return known.includes('*') || wanted.some((value) => known.includes(value));
};

/** Whether a rule of a role covers what is asked. */
function covers(rule: JsonObject, { verb, group, resource, subresource, name, path }: Attributes): boolean {
  if (!any(rule['verbs'], verb)) return false;
  if (path !== undefined)
    return texts(rule['nonResourceURLs']).some(
      (url) => url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1))),
    );
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  const wanted = subresource === '' ? [full] : [full, `*/${subresource}`];
  const names = texts(rule['resourceNames']);
  return (
    any(rule['apiGroups'], group) && any(rule['resources'], ...wanted) && (names.length === 0 || names.includes(name))
  );
}

function isSubject(subject: JsonObject, user: Identity, namespace: string): boolean {
  switch (subject['kind']) {
    case 'User':
      return subject['name'] === user.name;
    case 'Group':
      return user.groups?.includes(String(subject['name'])) === true;
    case 'ServiceAccount':
      return (
        user.name === `system:serviceaccount:${String(subject['namespace'] ?? namespace)}:${String(subject['name'])}`
      );
    default:
      return false;
  }
}

interface Bound {
  readonly rules: readonly JsonObject[] | undefined;
  readonly kind: string;
  readonly name: string;
}

/** The rules of a role that a binding in a namespace (`''`: in none) refers to; undefined where there is no such role. */
export function referencedRules(
  store: Store,
  { kind, name }: { readonly kind: string; readonly name: string },
  namespace: string,
): readonly JsonObject[] | undefined {
  const role =
    kind === 'ClusterRole'
      ? store.get(`clusterroles.${rbac}`, name)
      : store.get(`roles.${rbac}`, `${namespace}/${name}`);
  return role && items(role['rules']);
}

function roleOf(store: Store, binding: StoredObject): Bound {
  const reference = part(json(binding), 'roleRef');
  const kind = String(reference['kind']);
  const name = String(reference['name']);
  return { rules: referencedRules(store, { kind, name }, binding.metadata.namespace ?? ''), kind, name };
}

/** A binding that names a user, and the role that it gives. */
interface Grant {
  readonly binding: StoredObject;
  readonly subject: JsonObject;
  readonly role: Bound;
}

/** The bindings that give a user a role in a namespace (`''`: at the cluster's scope). */
function* grantsOf(store: Store, user: Identity, inNamespace: string): Generator<Grant> {
  for (const storage of [`clusterrolebindings.${rbac}`, `rolebindings.${rbac}`])
    for (const [, binding] of store.snapshot(storage)) {
      const { namespace } = binding.metadata;
      if (namespace !== undefined && namespace !== inNamespace) continue;
      const subject = items(binding['subjects']).find((entry) => isSubject(entry, user, namespace ?? ''));
      if (subject !== undefined) yield { binding, subject, role: roleOf(store, binding) };
    }
}

/** Decides by the roles and bindings in the store. `system:masters` may do everything. */
export function authorize(store: Store, attributes: Attributes): Decision {
  if (attributes.user.groups?.includes('system:masters') === true) return { allowed: true, reason: '' };
  const missing: string[] = [];
  for (const { binding, subject, role } of grantsOf(store, attributes.user, attributes.namespace)) {
    const { rules, kind, name } = role;
    if (rules === undefined) missing.push(notFoundText(kind, name));
    else if (rules.some((rule) => covers(rule, attributes)))
      return { allowed: true, reason: allowedBy(binding, { kind, name, subject }) };
  }
  const list = joined(missing);
  return { allowed: false, reason: list === '' ? '' : `RBAC: ${list}` };
}

/** Errors as Go joins them: each once. */
function joined(errors: readonly string[]): string {
  const unique = [...new Set(errors)];
  return unique.length > 1 ? `[${unique.join(', ')}]` : (unique[0] ?? '');
}

/** All rules that hold for a user in a namespace (`''`: at the cluster's scope), and which roles are missing, in words. */
export function heldRules(
  store: Store,
  user: Identity,
  namespace: string,
): { readonly rules: readonly JsonObject[]; readonly missing: string } {
  const roles = [...grantsOf(store, user, namespace)].map(({ role }) => role);
  const missing = roles.flatMap(({ rules, kind, name }) => (rules === undefined ? [notFoundText(kind, name)] : []));
  return { rules: roles.flatMap(({ rules }) => rules ?? []), missing: joined(missing) };
}

const notFoundText = (kind: string, name: string): string => `${kind.toLowerCase()}.${rbac} "${name}" not found`;

function allowedBy(
  { kind, metadata }: StoredObject,
  role: { kind: string; name: string; subject: JsonObject },
): string {
  const binding = metadata.namespace === undefined ? metadata.name : `${metadata.name}/${metadata.namespace}`;
  const { subject } = role;
  const named =
    subject['kind'] === 'ServiceAccount'
      ? `ServiceAccount "${String(subject['name'])}/${String(subject['namespace'] ?? metadata.namespace ?? '')}"`
      : `${String(subject['kind'])} "${String(subject['name'])}"`;
  return `RBAC: allowed by ${kind} "${binding}" of ${role.kind} "${role.name}" to ${named}`;
}
