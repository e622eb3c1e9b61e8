import { items, specOf } from '../kinds/spec.ts';
import { generatedName } from '../metadata.ts';
import type { JsonObject } from '../request.ts';
import type { ApiServer } from '../server.ts';
import { forbidden } from '../status.ts';
import type { AdmissionAttributes } from './attributes.ts';

const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';

/** A pod with its service account, and with the volume that holds the account's token unless it is declined. */
export function withServiceAccount(
  server: ApiServer,
  { resource, namespace = '', name }: AdmissionAttributes,
  pod: JsonObject,
): JsonObject {
  const spec = specOf(pod);
  const given = spec['serviceAccountName'];
  const account = typeof given === 'string' && given !== '' ? given : 'default';
  const found = server.store.get('serviceaccounts', `${namespace}/${account}`);
  if (found === undefined)
    throw forbidden(
      resource,
      name,
      `error looking up service account ${namespace}/${account}: serviceaccount "${account}" not found`,
    );
  const own = spec['automountServiceAccountToken'] ?? found['automountServiceAccountToken'];
  const secrets = items(spec['imagePullSecrets']).length === 0 ? items(found['imagePullSecrets']) : [];
  const named = {
    ...spec,
    serviceAccountName: account,
    serviceAccount: account,
    ...(secrets.length > 0 && { imagePullSecrets: secrets }),
  };
  if (own === false) return { ...pod, spec: named };
  const containers = [...items(spec['containers']), ...items(spec['initContainers'])];
  if (containers.every(hasMount)) return { ...pod, spec: named };
  const volume = {
    name: generatedName('kube-api-access-', server.random),
    projected: { sources: tokenSources, defaultMode: 420 },
  };
  const mounted = (list: unknown): JsonObject[] =>
    items(list).map((container) => (hasMount(container) ? container : withMount(container, volume.name)));
  return {
    ...pod,
    spec: {
      ...named,
      containers: mounted(spec['containers']),
      ...(spec['initContainers'] !== undefined && { initContainers: mounted(spec['initContainers']) }),
      volumes: [...items(spec['volumes']), volume],
    },
  };
}

const hasMount = (container: JsonObject): boolean =>
  items(container['volumeMounts']).some((mount) => mount['mountPath'] === mountPath);

const withMount = (container: JsonObject, name: string): JsonObject => ({
  ...container,
  volumeMounts: [...items(container['volumeMounts']), { name, readOnly: true, mountPath }],
});

const tokenSources = [
  { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
  { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
  { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
];
