import type { StatefulSet, StatefulSetSpec } from 'kubernetes-types/apps/v1.js';
import type { Container, PersistentVolumeClaim, PodTemplateSpec } from 'kubernetes-types/core/v1.js';
import type { ObjectMeta } from 'kubernetes-types/meta/v1.js';
import type { HandoffHook, PodTemplateOverlay } from '../workload/index.ts';
import {
  childMetadata,
  handoffHook,
  overlayPodTemplate,
  remembered,
  withSidecarHook,
  withTemplateHash,
} from '../workload/index.ts';
import type { KVStoreToBuild } from './cluster.ts';
import {
  kvStoreChild,
  kvStoreImage,
  kvStorePodLabels,
  kvStoreSelector,
  kvStoreServiceName,
  outlivingLabels,
} from './cluster.ts';

type Adopting = Pick<KVStoreToBuild['spec'], 'adopt'>;

/** The name of the container that runs the store. */
export const kvStoreContainer = ({ adopt }: Adopting): string => adopt?.container ?? 'kvstore';

/** The name of the volume claim template of a cluster that makes its StatefulSet itself. */
export const kvStoreVolume = 'data';

/** The name of the volume claim template; a member's claim is `data-NAME-ORDINAL`. */
export const kvStoreClaim = ({ adopt }: Adopting): string => adopt?.claim ?? kvStoreVolume;

/** What a reconciler decides beyond the spec, for the StatefulSet now. */
export interface KVStoreNow {
  /** The version that the template runs: while an upgrade is rolled back, the one before. The spec's by default. */
  readonly version?: string;
  /** The lowest ordinal that the StatefulSet may bring to the template. 0 by default. */
  readonly partition?: number;
  readonly replicas?: number;
  /** What a StatefulSet that was taken over has, and Kubernetes does not let change. */
  readonly fixed?: Partial<Pick<StatefulSetSpec, 'selector' | 'podManagementPolicy' | 'volumeClaimTemplates'>>;
}

/** The claim of each member. It carries no owner reference: what holds the data outlives everything that the garbage collector may take. */
export function kvStoreClaimTemplate(cluster: KVStoreToBuild): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: kvStoreClaim(cluster.spec), labels: outlivingLabels(cluster) },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: cluster.spec.storage.className,
      resources: { requests: { storage: cluster.spec.storage.size } },
    },
  };
}

/** What the members' pod is made of, and nothing else: another size of the cluster, or of its volumes, is asked the same. */
interface PodToBuild {
  readonly labels: Record<string, string>;
  readonly container: string;
  readonly claim: string;
  readonly image: string;
  readonly mountPath: string;
  readonly port: number | undefined;
  /** How probes name the port: by its name, but by its number where others have made the pods, which call it as they like. */
  readonly portName: string | number;
  readonly overlay: PodTemplateOverlay | undefined;
  readonly hook: HandoffHook | undefined;
}

/** How long a member has to end after its hand-off, in seconds. */
const endingSeconds = 30;

/** Remembered: each look at a cluster compares several things with it. */
const podTemplate = remembered((built: PodToBuild): PodTemplateSpec => {
  const { labels, container: name, claim, image, mountPath, port, portName, overlay, hook } = built;
  const container: Container = {
    name,
    image,
    env: [{ name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
    volumeMounts: [{ name: claim, mountPath }],
    ...(port === undefined
      ? {}
      : {
          ports: [{ name: 'client', containerPort: port, protocol: 'TCP' }],
          readinessProbe: { tcpSocket: { port: portName }, periodSeconds: 5 },
        }),
    ...(hook?.container === name ? { lifecycle: { preStop: hook.handler } } : {}),
  };
  const generated: PodTemplateSpec = {
    metadata: { labels },
    spec: { containers: [container], terminationGracePeriodSeconds: endingSeconds + (hook?.seconds ?? 0) },
  };
  return withTemplateHash(withSidecarHook(overlayPodTemplate(generated, overlay), hook, name));
});

/** The members' pod: the store's container with the generated parts, the user's overlay over it, and the template's hash. It is frozen. */
export function kvStorePodTemplate({ name, spec }: KVStoreToBuild, version = spec.version): PodTemplateSpec {
  const { port, podTemplate: overlay, storage, upgrade } = spec;
  const container = kvStoreContainer(spec);
  return podTemplate({
    labels: kvStorePodLabels({ name, spec }),
    container,
    claim: kvStoreClaim(spec),
    image: kvStoreImage(spec, version),
    mountPath: storage.mountPath ?? '/data',
    port,
    portName: kvStorePort(spec),
    overlay,
    hook: handoffHook(upgrade?.handoff, { container, port }),
  });
}

/** How Services and probes name the members' port. */
export const kvStorePort = ({ adopt, port }: KVStoreToBuild['spec']): string | number =>
  adopt && port !== undefined ? port : 'client';

/** What was taken over keeps the labels that its maker gave it. */
function metadataOf(cluster: KVStoreToBuild): ObjectMeta {
  const { labels, ...metadata } = childMetadata(kvStoreChild(cluster));
  return cluster.spec.adopt || !labels ? metadata : { ...metadata, labels };
}

/**
 * The members, replaced by Kubernetes from the highest ordinal down to the partition, and started one after the other. Claims are kept whatever
 * happens to the StatefulSet: the operator alone deletes them.
 */
export function kvStoreStatefulSet(cluster: KVStoreToBuild, now: KVStoreNow = {}): StatefulSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: metadataOf(cluster),
    spec: {
      replicas: now.replicas ?? cluster.spec.replicas,
      serviceName: kvStoreServiceName(cluster),
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: now.partition ?? 0 } },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      selector: { matchLabels: kvStoreSelector(cluster) },
      template: kvStorePodTemplate(cluster, now.version),
      volumeClaimTemplates: [kvStoreClaimTemplate(cluster)],
      ...now.fixed,
    },
  };
}
