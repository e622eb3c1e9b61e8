import type { ConfigMap, Container, EnvVar, PersistentVolumeClaim, Secret } from 'kubernetes-types/core/v1.js';
import { kinds } from '../controllers/kinds.ts';
import type { LivePod } from '../controllers/kinds.ts';
import type { Store } from '../controllers/store.ts';
import { fieldOf, resourceOf } from './downward.ts';
import type { PodFacts } from './downward.ts';
import { serviceLinks } from './service-links.ts';

/** The variables of a container, or what is missing to have them. */
export type Environment = { readonly values: Readonly<Record<string, string>> } | { readonly missing: string };

/** Resolves a container's environment against the pod and the present Secrets and ConfigMaps. */
export function environmentOf(container: Container, facts: PodFacts): Environment {
  const { pod, store } = facts;
  const values: Record<string, string> = { ...serviceLinks(pod, store) };
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
    const value = valueOf(variable, { ...facts, container, values });
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

interface Sources extends PodFacts {
  readonly container: Container;
  readonly values: Readonly<Record<string, string>>;
}

function valueOf({ value, valueFrom }: EnvVar, sources: Sources): string | undefined {
  const { pod, store, values, container } = sources;
  const namespace = pod.metadata.namespace ?? '';
  if (valueFrom === undefined) return expanded(value ?? '', values);
  const { fieldRef, resourceFieldRef, secretKeyRef, configMapKeyRef } = valueFrom;
  if (fieldRef !== undefined) return fieldOf(fieldRef.fieldPath, sources);
  if (resourceFieldRef !== undefined) return resourceOf(resourceFieldRef, container, sources);
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

/** The texts of a ConfigMap, and its bytes as letters of Latin 1; undefined where there is none. */
export function configData(store: Store, namespace: string, name = ''): Readonly<Record<string, string>> | undefined {
  const map = store.find<ConfigMap>(kinds.configMap, namespace, name);
  if (map === undefined) return undefined;
  const bytes = Object.entries(map.binaryData ?? {}).map(([key, value]) => [
    key,
    Buffer.from(value, 'base64').toString('latin1'),
  ]);
  return { ...map.data, ...(Object.fromEntries(bytes) as Readonly<Record<string, string>>) };
}

/** The texts of a Secret; undefined where there is none. */
export function secretData(store: Store, namespace: string, name = ''): Readonly<Record<string, string>> | undefined {
  const secret = store.find<Secret>(kinds.secret, namespace, name);
  if (secret === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(secret.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
  );
}

function missingMessage(isConfigMap: boolean, name = ''): string {
  return `${isConfigMap ? 'configmap' : 'secret'} "${name}" not found`;
}
