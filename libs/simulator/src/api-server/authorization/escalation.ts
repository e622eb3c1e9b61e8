import { items, part } from '../kinds/spec.ts';
import { metadataOf } from '../kinds/metadata-rules.ts';
import type { StoredObject } from '../object.ts';
import type { Identity, JsonObject } from '../request.ts';
import type { ServerResource } from '../resources/resource.ts';
import type { ApiServer } from '../server.ts';
import { forbidden, notFound } from '../status.ts';
import { sameJson } from '@ordinal/client';
import { authenticated } from '../identity.ts';
import { authorize, heldRules, referencedRules } from './rbac.ts';
import { describedRules, missingRules, rulesIn } from './rules.ts';
import type { Rule } from './rules.ts';

/** A write of a role or a binding. */
export interface RoleWrite {
  readonly user: Identity;
  readonly resource: ServerResource;
  readonly namespace: string;
  /** The name in the path; empty for what is created. */
  readonly pathName: string;
  readonly object: JsonObject;
  /** Before the write; undefined for what is created. */
  readonly live?: StoredObject;
}

const group = 'rbac.authorization.k8s.io';
const roles: ReadonlySet<string> = new Set([`roles.${group}`, `clusterroles.${group}`]);
const bindings: ReadonlySet<string> = new Set([`rolebindings.${group}`, `clusterrolebindings.${group}`]);

const everything: readonly Rule[] = rulesIn([
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
]);

/** Whether nothing changes but what the garbage collector needs. */
function onlyCollected(object: JsonObject, live: StoredObject): boolean {
  const rest = (value: JsonObject): JsonObject => {
    const { managedFields: _, ownerReferences: __, finalizers: ___, ...metadata } = metadataOf(value);
    return { ...value, metadata };
  };
  return sameJson(rest(object), rest(live as unknown as JsonObject));
}

/**
 * Refuses with 403 who would give more than they have: with a role whose rules they do not hold themselves, or a binding to one. The verbs `escalate` and `bind`
 * allow it.
 */
export function checkEscalation(server: ApiServer, write: RoleWrite): void {
  const { storage } = write.resource;
  if (!server.authorizes || !(roles.has(storage) || bindings.has(storage))) return;
  const user = authenticated(write.user);
  if (user.groups?.includes('system:masters') === true) return;
  if (write.live !== undefined && onlyCollected(write.object, write.live)) return;
  if (roles.has(storage)) checkRole(server, { ...write, user });
  else checkBinding(server, { ...write, user });
}

function checkRole(server: ApiServer, write: RoleWrite): void {
  const { user, resource, namespace, pathName, object, live } = write;
  const place = { group, resource: resource.plural, subresource: '', namespace, name: pathName };
  if (authorize(server.store, { ...place, user, verb: 'escalate' }).allowed) return;
  confirm(server, write, rulesIn(object['rules']));
  const gathers = [object, live ?? {}].some(
    (role) => items(part(role as JsonObject, 'aggregationRule')['clusterRoleSelectors']).length > 0,
  );
  if (gathers && missingRules(rulesIn(heldRules(server.store, user, namespace).rules), everything).length > 0)
    throw forbidden(resource, nameIn(object), 'must have cluster-admin privileges to use the aggregationRule');
}

function checkBinding(server: ApiServer, write: RoleWrite): void {
  const { user, namespace, object } = write;
  const reference = part(object, 'roleRef');
  const kind = String(reference['kind']);
  const name = String(reference['name']);
  const plural = kind === 'ClusterRole' ? 'clusterroles' : 'roles';
  const asked = { user, verb: 'bind', group, resource: plural, subresource: '', namespace, name };
  if (authorize(server.store, asked).allowed) return;
  const rules = referencedRules(server.store, { kind, name }, namespace);
  // The server says of what it creates that it is not there.
  if (rules === undefined) throw notFound(write.resource, name);
  confirm(server, write, rulesIn(rules));
}

const nameIn = (object: JsonObject): string => String(metadataOf(object)['name'] ?? '');

function confirm(server: ApiServer, { user, resource, namespace, object }: RoleWrite, wanted: readonly Rule[]): void {
  const { rules, missing } = heldRules(server.store, user, namespace);
  const lacking = missingRules(rulesIn(rules), wanted);
  if (lacking.length === 0) return;
  const groups = (user.groups ?? []).map((name) => JSON.stringify(name)).join(' ');
  const unresolved = missing === '' ? '' : `; resolution errors: [${missing}]`;
  const why = `user ${JSON.stringify(user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${describedRules(lacking)}${unresolved}`;
  throw forbidden(resource, nameIn(object), why);
}
