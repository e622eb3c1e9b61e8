import { items, part } from '../kinds/spec.ts';
import type { StoredObject } from '../object.ts';
import type { Identity, JsonObject } from '../request.ts';
import type { Store } from '../store/store.ts';
import { structuredSelector } from '../store/selectors.ts';
import type { Attributes } from './attributes.ts';

const rbac = 'rbac.authorization.k8s.io';

/** Whether something is allowed, and why; or what kept the server from knowing. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
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

/** The groups that an identity has beside those it names. */
const groupsOf = ({ name, groups = [] }: Identity): readonly string[] => {
  const account = /^system:serviceaccount:([^:]+):/.exec(name);
  const own = account ? ['system:serviceaccounts', `system:serviceaccounts:${account[1] ?? ''}`] : [];
  return [...groups, ...own, ...(name === 'system:anonymous' ? [] : ['system:authenticated'])];
};

function isSubject(subject: JsonObject, user: Identity, namespace: string): boolean {
  switch (subject['kind']) {
    case 'User':
      return subject['name'] === user.name;
    case 'Group':
      return groupsOf(user).includes(String(subject['name']));
    case 'ServiceAccount':
      return (
        user.name === `system:serviceaccount:${String(subject['namespace'] ?? namespace)}:${String(subject['name'])}`
      );
    default:
      return false;
  }
}

/** The rules of a cluster role, with those that it gathers from others. */
function clusterRules(store: Store, role: StoredObject): readonly JsonObject[] {
  const selectors = items(part(json(role), 'aggregationRule')['clusterRoleSelectors']);
  const gathered = selectors.flatMap((selector) =>
    store
      .snapshot(`clusterroles.${rbac}`)
      .filter(([, other]) => structuredSelector(selector)(other.metadata.labels ?? {}))
      .flatMap(([, other]) => items(other['rules'])),
  );
  return [...items(role['rules']), ...gathered];
}

interface Bound {
  readonly rules: readonly JsonObject[] | undefined;
  readonly kind: string;
  readonly name: string;
}

function roleOf(store: Store, binding: StoredObject): Bound {
  const reference = part(json(binding), 'roleRef');
  const kind = String(reference['kind']);
  const name = String(reference['name']);
  const role =
    kind === 'ClusterRole'
      ? store.get(`clusterroles.${rbac}`, name)
      : store.get(`roles.${rbac}`, `${binding.metadata.namespace ?? ''}/${name}`);
  return { rules: role && (kind === 'ClusterRole' ? clusterRules(store, role) : items(role['rules'])), kind, name };
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
  if (groupsOf(attributes.user).includes('system:masters')) return { allowed: true, reason: '' };
  const missing: string[] = [];
  for (const { binding, subject, role } of grantsOf(store, attributes.user, attributes.namespace)) {
    const { rules, kind, name } = role;
    if (rules === undefined) missing.push(`${kind.toLowerCase()}.${rbac} "${name}" not found`);
    else if (rules.some((rule) => covers(rule, attributes)))
      return { allowed: true, reason: allowedBy(binding, { kind, name, subject }) };
  }
  const unique = [...new Set(missing)];
  const list = unique.length === 1 ? unique[0] : `[${unique.join(', ')}]`;
  return { allowed: false, reason: unique.length === 0 ? '' : `RBAC: ${list ?? ''}` };
}

/** All rules that hold for a user in a namespace. */
export function rulesOf(store: Store, user: Identity, namespace: string): readonly JsonObject[] {
  return [...grantsOf(store, user, namespace)].flatMap(({ role }) => role.rules ?? []);
}

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
