import type {
  ConfigMapVolumeSource,
  DownwardAPIVolumeFile,
  KeyToPath,
  Volume,
  VolumeProjection,
} from 'kubernetes-types/core/v1.js';
import type { LivePod } from '../controllers/kinds.ts';
import type { Store } from '../controllers/store.ts';
import { fieldOf, resourceOf } from './downward.ts';
import { configData, secretData } from './environment.ts';
import type { VolumeTokens } from './volume-tokens.ts';
import { VolumeFiles } from './volume-files.ts';

interface Surroundings {
  readonly pod: LivePod;
  readonly store: Store;
  /** Absent where service accounts have no tokens. */
  readonly tokens?: VolumeTokens | undefined;
}

const usualMode = 0o644;

/** The files of a volume that shows objects of the API, as they are now; undefined for any other volume. What a process writes there is lost. */
export function projectedFiles(volume: Volume | undefined, around: Surroundings): VolumeFiles | undefined {
  const { configMap, secret, downwardAPI, projected } = volume ?? {};
  if (configMap !== undefined) return filled([{ configMap: keyed(configMap) }], configMap.defaultMode, around);
  if (secret !== undefined) {
    const { secretName, ...rest } = secret;
    return filled(
      [{ secret: { ...rest, ...(secretName !== undefined && { name: secretName }) } }],
      secret.defaultMode,
      around,
    );
  }
  if (downwardAPI !== undefined) return filled([{ downwardAPI }], downwardAPI.defaultMode, around);
  return projected === undefined ? undefined : filled(projected.sources ?? [], projected.defaultMode, around);
}

const keyed = ({ name, items }: ConfigMapVolumeSource): NonNullable<VolumeProjection['configMap']> => ({
  ...(name !== undefined && { name }),
  ...(items !== undefined && { items }),
});

function filled(
  sources: readonly VolumeProjection[],
  defaultMode: number | undefined,
  around: Surroundings,
): VolumeFiles {
  const files = new VolumeFiles();
  const namespace = around.pod.metadata.namespace ?? '';
  const isGroups = around.pod.spec?.securityContext?.fsGroup !== undefined;
  const put = (path: string, text: string, mode = defaultMode ?? usualMode): void => {
    files.set(path, text);
    // The group of the pod's volumes reads what is on them.
    files.modes.set(path, isGroups ? mode | 0o440 : mode);
  };
  for (const { configMap, secret, downwardAPI, serviceAccountToken } of sources) {
    if (serviceAccountToken !== undefined && around.tokens !== undefined)
      put(serviceAccountToken.path, around.tokens.of(around.pod, serviceAccountToken), tokenMode(around.pod));
    if (configMap !== undefined) putData(configData(around.store, namespace, configMap.name), configMap.items, put);
    if (secret !== undefined) putData(secretData(around.store, namespace, secret.name), secret.items, put);
    for (const item of downwardAPI?.items ?? []) put(item.path, shownIn(item, around), item.mode);
  }
  return files;
}

/** A token is its user's alone, where all containers have the same one, or its group's; `undefined` stands for the mode of the volume. */
function tokenMode({ spec }: LivePod): number | undefined {
  const users = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(
    ({ securityContext }) => securityContext?.runAsUser ?? spec?.securityContext?.runAsUser,
  );
  const [first] = users;
  const isOne = first !== undefined && users.every((user) => user === first);
  return isOne || spec?.securityContext?.fsGroup !== undefined ? 0o600 : undefined;
}

type Put = (path: string, text: string, mode?: number) => void;

/** All keys, or those that are named, at the paths that they are to have. */
function putData(data: Readonly<Record<string, string>> = {}, items: readonly KeyToPath[] | undefined, put: Put): void {
  if (items === undefined) for (const [key, text] of Object.entries(data)) put(key, text);
  else
    for (const { key, path, mode } of items) {
      const text = data[key];
      if (text !== undefined) put(path, text, mode);
    }
}

function shownIn({ fieldRef, resourceFieldRef }: DownwardAPIVolumeFile, { pod, store }: Surroundings): string {
  if (resourceFieldRef !== undefined) {
    const container = pod.spec?.containers.find(({ name }) => name === resourceFieldRef.containerName);
    return resourceOf(resourceFieldRef, container, { pod, store });
  }
  const { podIP = '', hostIP = '' } = pod.status ?? {};
  return fieldRef === undefined ? '' : fieldOf(fieldRef.fieldPath, { pod, podIp: podIP, hostIp: hostIP, store });
}
