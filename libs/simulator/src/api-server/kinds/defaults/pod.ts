import { isObject } from '../../object.ts';
import type { JsonObject } from '../../request.ts';
import { filled } from './filled.ts';
import type { Defaults } from './filled.ts';

/** The tag of an image reference, as the pull policy goes by it. */
function isLatest(image: unknown): boolean {
  if (typeof image !== 'string' || image.includes('@')) return false;
  const tag = /:([^/:]+)$/.exec(image)?.[1];
  return tag === undefined || tag === 'latest';
}

const container = (value: JsonObject): JsonObject =>
  filled(value, {
    imagePullPolicy: isLatest(value['image']) ? 'Always' : 'IfNotPresent',
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  });

/** Requests default to limits, in pods and not in templates. */
function withRequests(containers: unknown): unknown {
  if (!Array.isArray(containers)) return containers;
  return containers.map((item: unknown) => {
    if (!isObject(item) || !isObject(item['resources']) || !isObject(item['resources']['limits'])) return item;
    const { limits, requests } = item['resources'];
    const all = { ...limits, ...(isObject(requests) ? requests : {}) };
    return isObject(requests) && Object.keys(all).length === Object.keys(requests).length
      ? item
      : { ...item, resources: { ...item['resources'], requests: all } };
  });
}

function pod(value: JsonObject): JsonObject {
  if (!isObject(value['spec'])) return value;
  const spec = filled(value['spec'], { enableServiceLinks: true });
  const containers = withRequests(spec['containers']);
  const initContainers = withRequests(spec['initContainers']);
  return {
    ...value,
    spec: { ...spec, containers, ...(initContainers !== undefined && { initContainers }) },
  };
}

const podSpec = (value: JsonObject): JsonObject => {
  const complete = filled(value, {
    dnsPolicy: 'ClusterFirst',
    restartPolicy: 'Always',
    securityContext: {},
    terminationGracePeriodSeconds: 30,
    schedulerName: 'default-scheduler',
  });
  // The older name of the service account is kept in step.
  const account = complete['serviceAccountName'] ?? complete['serviceAccount'];
  return account === undefined || account === ''
    ? complete
    : filled(complete, { serviceAccount: account, serviceAccountName: account });
};

const volumeSources =
  'emptyDir,hostPath,secret,configMap,persistentVolumeClaim,projected,downwardAPI,csi,ephemeral,nfs,image,iscsi,fc,gcePersistentDisk,awsElasticBlockStore,azureDisk,azureFile,cephfs,cinder,flexVolume,flocker,gitRepo,glusterfs,photonPersistentDisk,portworxVolume,quobyte,rbd,scaleIO,storageos,vsphereVolume'.split(
    ',',
  );

/** Defaults of pods and of what pods are made of. */
export const podDefaults: Defaults = {
  'io.k8s.api.core.v1.Pod': pod,
  'io.k8s.api.core.v1.PodSpec': podSpec,
  'io.k8s.api.core.v1.Container': container,
  'io.k8s.api.core.v1.EphemeralContainer': container,
  'io.k8s.api.core.v1.ContainerPort': (value) => filled(value, { protocol: 'TCP' }),
  'io.k8s.api.core.v1.Probe': (value) =>
    filled(value, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }),
  'io.k8s.api.core.v1.GRPCAction': (value) => filled(value, { service: '' }),
  'io.k8s.api.core.v1.HTTPGetAction': (value) => filled(value, { path: '/', scheme: 'HTTP' }),
  'io.k8s.api.core.v1.ObjectFieldSelector': (value) => filled(value, { apiVersion: 'v1' }),
  'io.k8s.api.core.v1.Volume': (value) =>
    volumeSources.some((source) => value[source] !== undefined && value[source] !== null)
      ? value
      : { ...value, emptyDir: {} },
  'io.k8s.api.core.v1.SecretVolumeSource': (value) => filled(value, { defaultMode: 420 }),
  'io.k8s.api.core.v1.ConfigMapVolumeSource': (value) => filled(value, { defaultMode: 420 }),
  'io.k8s.api.core.v1.DownwardAPIVolumeSource': (value) => filled(value, { defaultMode: 420 }),
  'io.k8s.api.core.v1.ProjectedVolumeSource': (value) => filled(value, { defaultMode: 420 }),
  'io.k8s.api.core.v1.HostPathVolumeSource': (value) => filled(value, { type: '' }),
  'io.k8s.api.core.v1.ServiceAccountTokenProjection': (value) => filled(value, { expirationSeconds: 3600 }),
};
