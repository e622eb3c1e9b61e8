import type { ConfigMap, Container, EnvVar, PersistentVolumeClaim, Secret } from 'kubernetes-types/core/v1.js';
import { kinds } from '../controllers/kinds.ts';
import type { LivePod } from '../controllers/kinds.ts';
import type { Store } from '../controllers/store.ts';

/** The variables of a container, or what is missing to have them. */
export type Environment = { readonly values: Readonly<Record<string, string>> } | { readonly missing: string };

/** Resolves a container's environment against the pod and the present Secrets and ConfigMaps. */
export function environmentOf(container: Container, pod: LivePod, podIp: string, store: Store): Environment {
  const values: Record<string, string> = {};
  const namespace = pod.metadata.namespace ?? '';
  for (const source of container.envFrom ?? []) {
    const reference = source.configMapRef ?? source.secretRef;
    const data =
      source.configMapRef === undefined
        ? secretData(store, namespace, reference?.name)
        : configData(store, namespace, reference?.name);
    if (data === undefined && reference?.optional !== true)
      return { missing: missingMessage(source.configMapRef !== undefined, reference?.name) };
    for (const [key, value] of Object.entries(data ?? {})) values[`${source.prefix ?? ''}${key}`] = value;
  }
  for (const variable of container.env ?? []) {
    const value = valueOf(variable, { pod, podIp, store, values });
    if (value === undefined) return { missing: `couldn't find the key that variable ${variable.name} refers to` };
    values[variable.name] = value;
  }
  return { values };
}

/** Whether all that the pod's volumes are made of is there: claims are bound, Secrets and ConfigMaps exist. */
export function volumesAreThere(pod: LivePod, store: Store): boolean {
  const namespace = pod.metadata.namespace ?? '';
  const claims = (pod.spec?.volumes ?? []).flatMap(
    ({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [],
  );
  const areBound = claims.every(
    (name) =>
      store.find<PersistentVolumeClaim>(kinds.persistentVolumeClaim, namespace, name)?.status?.phase === 'Bound',
  );
  return areBound && missingVolumeSource(pod, store) === undefined;
}

/** The first Secret or ConfigMap that a volume of the pod needs and that is not there. */
function missingVolumeSource(pod: LivePod, store: Store): string | undefined {
  const namespace = pod.metadata.namespace ?? '';
  for (const { configMap, secret } of pod.spec?.volumes ?? []) {
    if (
      configMap !== undefined &&
      configMap.optional !== true &&
      configData(store, namespace, configMap.name) === undefined
    )
      return missingMessage(true, configMap.name);
    if (
      secret !== undefined &&
      secret.optional !== true &&
      secretData(store, namespace, secret.secretName) === undefined
    )
      return missingMessage(false, secret.secretName);
  }
  return undefined;
}

interface Sources {
  readonly pod: LivePod;
  readonly podIp: string;
  readonly store: Store;
  readonly values: Readonly<Record<string, string>>;
}

function valueOf({ value, valueFrom }: EnvVar, { pod, podIp, store, values }: Sources): string | undefined {
  const namespace = pod.metadata.namespace ?? '';
  if (valueFrom === undefined) return expanded(value ?? '', values);
  const { fieldRef, secretKeyRef, configMapKeyRef } = valueFrom;
  if (fieldRef !== undefined) return fieldOf(fieldRef.fieldPath, pod, podIp);
  const reference = secretKeyRef ?? configMapKeyRef;
  if (reference === undefined) return '';
  const data =
    secretKeyRef === undefined
      ? configData(store, namespace, reference.name)
      : secretData(store, namespace, reference.name);
  return data?.[reference.key] ?? (reference.optional === true ? '' : undefined);
}

/** A value with the variables that it names, as the kubelet expands it: `$(NAME)` where that is known before, and one dollar for two. */
export const expanded = (value: string, values: Readonly<Record<string, string>>): string =>
  value.replace(/\$(?:\$|\(([^)]+)\))/g, (whole, name?: string) =>
    name === undefined ? '$' : (values[name] ?? whole),
  );

function fieldOf(path: string, pod: LivePod, podIp: string): string {
  const keyed = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path);
  if (keyed !== null) return pod.metadata[keyed[1] as 'labels' | 'annotations']?.[keyed[2] ?? ''] ?? '';
  const fields: Readonly<Record<string, string | undefined>> = {
    'metadata.name': pod.metadata.name,
    'metadata.namespace': pod.metadata.namespace,
    'metadata.uid': pod.metadata.uid,
    'spec.nodeName': pod.spec?.nodeName,
    'spec.serviceAccountName': pod.spec?.serviceAccountName,
    'status.podIP': podIp,
    'status.hostIP': pod.status?.hostIP,
  };
  return fields[path] ?? '';
}

function configData(store: Store, namespace: string, name = ''): Readonly<Record<string, string>> | undefined {
  const map = store.find<ConfigMap>(kinds.configMap, namespace, name);
  return map === undefined ? undefined : (map.data ?? {});
}

function secretData(store: Store, namespace: string, name = ''): Readonly<Record<string, string>> | undefined {
  const secret = store.find<Secret>(kinds.secret, namespace, name);
  if (secret === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(secret.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
  );
}

function missingMessage(isConfigMap: boolean, name = ''): string {
  return `${isConfigMap ? 'configmap' : 'secret'} "${name}" not found`;
}
