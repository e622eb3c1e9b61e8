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

/** A refusal of what no permission covers, in the server's words. */
export function forbiddenBy(
  { user, verb, group, resource, subresource, namespace, name, path }: Attributes,
  reason: string,
): Refusal {
  const suffix = reason === '' ? '' : `: ${reason}`;
  if (path !== undefined)
    return new Refusal(
      failure({
        code: 403,
        reason: 'Forbidden',
        message: `forbidden: ${escaped(`User "${user.name}" cannot ${verb} path "${path}"`)}${suffix}`,
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
      message: `${subject} is forbidden: ${escaped(`User "${user.name}" cannot ${verb} resource "${full}" in API group "${group}" ${where}`)}${suffix}`,
      details: { ...(name !== '' && { name }), ...(group !== '' && { group }), kind: resource },
    }),
  );
}

/** A refusal never looks like a page. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
