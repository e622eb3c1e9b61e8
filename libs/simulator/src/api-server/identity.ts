import type { Identity } from './request.ts';

/** The cluster's own administrator: who asks where no user is named. */
export const administrator: Identity = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };

/** The namespace and name of the service account that a user name means; undefined for other users. */
export function serviceAccountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

/** The groups that every service account of a namespace is in. */
export const serviceAccountGroups = (namespace: string): readonly string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
];

/**
 * An identity with the groups that the server gives everyone who has proved who they are. One that names `system:authenticated` or `system:unauthenticated` is
 * complete, and stays as it is.
 */
export function authenticated(identity: Identity): Identity {
  const { name, groups = [] } = identity;
  if (groups.includes('system:authenticated') || groups.includes('system:unauthenticated')) return identity;
  if (name === 'system:anonymous') return { ...identity, groups: [...groups, 'system:unauthenticated'] };
  const account = serviceAccountOf(name);
  const own = account === undefined ? [] : serviceAccountGroups(account.namespace);
  return { ...identity, groups: [...new Set([...groups, ...own, 'system:authenticated'])] };
}
