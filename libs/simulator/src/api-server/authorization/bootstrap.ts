import roles from '../../builtin/roles.json' with { type: 'json' };
import type { JsonObject } from '../request.ts';
import type { ApiServer } from '../server.ts';

const group = 'rbac.authorization.k8s.io';

/**
 * Creates the roles that every cluster begins with and that are meant for its users (`cluster-admin`, `admin`, `edit`, `view`, `system:basic-user`,
 * `system:discovery`, …), with their bindings. Those of the components are left out.
 */
export function createRoles(server: ApiServer): void {
  for (const [plural, objects] of Object.entries(roles))
    for (const body of objects)
      server.execute({
        verb: 'create',
        resource: { group, version: 'v1', plural },
        userAgent: 'kube-apiserver',
        // The dump is our own: its objects are roles and bindings.
        body: body as unknown as JsonObject,
      });
}
