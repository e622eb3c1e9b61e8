import { ApiError } from '@ordinal/client';
import type { Identity } from '../request.ts';
import type { ApiServer } from '../server.ts';
import { failure, Refusal } from '../status.ts';
import type { Attributes } from './attributes.ts';
import { authorize } from './rbac.ts';

/** Refuses with 403 what no permission covers, where the server checks permissions. */
export function checkPermission(server: ApiServer, attributes: Attributes): void {
  if (!server.authorizes) return;
  const { allowed, reason } = authorize(server.store, attributes);
  if (!allowed) throw forbiddenBy(attributes, reason);
}

/** Like `checkPermission` for an access to a pod or service, for those who answer in the server's place: throws an `ApiError`. */
export function permit(server: ApiServer, user: Identity, asked: Omit<Attributes, 'user' | 'group' | 'path'>): void {
  try {
    checkPermission(server, { ...asked, user, group: '' });
  } catch (error) {
    if (error instanceof Refusal) throw new ApiError(error.status, `${asked.verb} ${asked.resource}`);
    throw error;
  }
}

function forbiddenBy(
  { user, verb, group, resource, subresource, namespace, name, path }: Attributes,
  reason: string,
): Refusal {
  const suffix = reason === '' ? '' : `: ${reason}`;
  if (path !== undefined)
    return new Refusal(
      failure({
        code: 403,
        reason: 'Forbidden',
        message: `forbidden: User "${user.name}" cannot ${verb} path "${path}"${suffix}`,
        details: {},
      }),
    );
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  const qualified = group === '' ? resource : `${resource}.${group}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const subject = name === '' ? qualified : `${qualified} "${name}"`;
  return new Refusal(
    failure({
      code: 403,
      reason: 'Forbidden',
      message: `${subject} is forbidden: User "${user.name}" cannot ${verb} resource "${full}" in API group "${group}" ${where}${suffix}`,
      details: { ...(name !== '' && { name }), ...(group !== '' && { group }), kind: resource },
    }),
  );
}
