import type { Client, KubernetesObjectInput } from '@ordinal/client';
import { OperatorInstall } from '@ordinal/constructs';
import { App } from 'cdk8s';

/** The parts of the operator's installation that a cluster needs while the operator itself runs outside of it. */
export interface Installation {
  readonly definitions: readonly KubernetesObjectInput[];
  readonly access: readonly KubernetesObjectInput[];
}

const accessKinds = new Set(['ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding']);

/** The objects of `npm run synth`, for an operator in this namespace that works in no other. */
export function installationFor(namespace: string): Installation {
  const chart = new OperatorInstall(new App(), 'ordinal', { namespace, watchNamespaces: [namespace] });
  const objects = chart.toJson() as readonly KubernetesObjectInput[]; // Declared as any[].
  return {
    definitions: objects.filter(({ kind }) => kind === 'CustomResourceDefinition'),
    access: objects.filter(({ kind }) => accessKinds.has(kind)),
  };
}

/** Where an object is, or will be. */
export function pathOf({ apiVersion, kind, metadata }: KubernetesObjectInput): string {
  const place = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`;
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${root}${place}/${kind.toLowerCase()}s/${metadata.name ?? ''}`;
}

/** Applies objects, as `kubectl apply --server-side` does. */
export async function applyAll(client: Client, objects: readonly object[]): Promise<void> {
  for (const object of objects) {
    const path = `${pathOf(object as KubernetesObjectInput)}?fieldManager=ordinal-demo&force=true`; // Whatever is applied says what it is.
    await client.request('PATCH', path, { body: object, headers: { 'content-type': 'application/apply-patch+yaml' } });
  }
}
