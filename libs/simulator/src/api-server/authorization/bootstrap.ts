import bootstrap from '../../builtin/roles.json' with { type: 'json' };
import type { JsonObject } from '../request.ts';
import type { ApiServer } from '../server.ts';

const group = 'rbac.authorization.k8s.io';

/** A role or binding of the dump. */
interface Dumped {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** Creates the roles that every cluster begins with, and their bindings: those of the cluster at once, those of a namespace with it. */
export function followNamespaces(server: ApiServer): void {
  createRoles(server, undefined);
  const namespaces = new Set([...bootstrap.roles, ...bootstrap.rolebindings].map(({ metadata }) => metadata.namespace));
  server.store.subscribe(({ kind, key, before, restored }) => {
    if (kind === 'namespaces' && before === undefined && restored !== true && namespaces.has(key))
      createRoles(server, key);
  });
}

function createRoles(server: ApiServer, namespace: string | undefined): void {
  const { clusterroles, clusterrolebindings, roles, rolebindings } = bootstrap;
  const kinds: Readonly<Record<string, readonly Dumped[]>> = { clusterroles, clusterrolebindings, roles, rolebindings };
  for (const [plural, objects] of Object.entries(kinds))
    for (const body of objects) {
      if (body.metadata.namespace !== namespace) continue;
      server.execute({
        verb: 'create',
        resource: { group, version: 'v1', plural },
        userAgent: 'kube-apiserver',
        // The dump is our own: its objects are roles and bindings.
        body: body as unknown as JsonObject,
        ...(namespace !== undefined && { namespace }),
      });
    }
}
