import { expect, it } from 'vitest';
import { systemClock } from '@ordinal/client';
import { ApiServer } from '../server.ts';

const group = 'rbac.authorization.k8s.io';
const managing = { apiGroups: [group], resources: ['roles', 'rolebindings'], verbs: ['create', 'update', 'patch'] };
const reading = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };

/** A server on which alice manages the roles of a namespace; what is created there, as alice or as the administrator. */
function shop(...more: readonly object[]) {
  const server = new ApiServer({ clock: systemClock, random: () => 0.5, authorizes: true });
  const create = (
    plural: string,
    body: object,
    name?: string,
  ): { readonly status: number; readonly message: unknown } => {
    const resource = { group, version: 'v1', plural };
    const request = { verb: 'create', namespace: 'shop', resource, body } as const;
    const reply = server.execute({ ...request, ...(name !== undefined && { user: { name } }) });
    return { status: reply.status, message: reply.body['message'] };
  };
  create('roles', { metadata: { name: 'managing' }, rules: [managing, ...more] });
  const alice = { subjects: [{ kind: 'User', name: 'alice' }] };
  create('rolebindings', { metadata: { name: 'managing' }, roleRef: { kind: 'Role', name: 'managing' }, ...alice });
  return { create, alice };
}

it('refuses a role that has more than its author', () => {
  const { create } = shop(reading);
  const role = (name: string, verbs: readonly string[]) => ({ metadata: { name }, rules: [{ ...reading, verbs }] });
  expect(create('roles', role('same', ['get']), 'alice').status).toBe(201);
  expect(create('roles', role('more', ['get', 'watch', 'list']), 'alice')).toEqual({
    status: 403,
    message:
      'roles.rbac.authorization.k8s.io "more" is forbidden: user "alice" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["watch" "list"]}',
  });
});

it('refuses a binding to a role that has more than its author, unless bind is allowed', () => {
  const bind = { apiGroups: [group], resources: ['clusterroles'], resourceNames: ['view'], verbs: ['bind'] };
  const { create, alice } = shop(bind);
  const binding = (name: string) => ({ metadata: { name }, roleRef: { kind: 'ClusterRole', name }, ...alice });
  expect(create('rolebindings', binding('edit'), 'alice').status).toBe(201);
  expect(create('rolebindings', binding('cluster-admin'), 'alice').status).toBe(403);
  expect(create('rolebindings', binding('view'), 'alice').status).toBe(201);
});

it('lets a user that may escalate give what they do not have', () => {
  const { create } = shop({ apiGroups: [group], resources: ['roles'], verbs: ['escalate'] });
  expect(create('roles', { metadata: { name: 'more' }, rules: [reading] }, 'alice').status).toBe(201);
});
