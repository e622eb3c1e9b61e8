import type { StatefulSet } from 'kubernetes-types/apps/v1.js';
import type { Container, PersistentVolumeClaim, PodTemplateSpec } from 'kubernetes-types/core/v1.js';
import type { HandoffHook, PodTemplateOverlay } from '../workload/index.ts';
import {
  childLabels,
  childMetadata,
  handoffHook,
  overlayPodTemplate,
  remembered,
  withSidecarHook,
  withTemplateHash,
} from '../workload/index.ts';
import type { KVStoreToBuild } from './cluster.ts';
import { kvStoreChild, kvStoreImage, kvStoreSelector, outlivingLabels } from './cluster.ts';

/** The name of the container that runs the store. */
export const kvStoreContainer = 'kvstore';

/** The name of the volume claim template; a member's claim is `data-NAME-ORDINAL`. */
export const kvStoreVolume = 'data';

/** What a reconciler decides beyond the spec, for the StatefulSet now. */
export interface KVStoreNow {
  /** The version that the template runs: while an upgrade is rolled back, the one before. The spec's by default. */
  readonly version?: string;
  /** The lowest ordinal that the StatefulSet may bring to the template. 0 by default. */
  readonly partition?: number;
  readonly replicas?: number;
}

/** The claim of each member. It carries no owner reference: what holds the data outlives everything that the garbage collector may take. */
export function kvStoreClaimTemplate(cluster: KVStoreToBuild): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: kvStoreVolume, labels: outlivingLabels(cluster) },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: cluster.spec.storage.className,
      resources: { requests: { storage: cluster.spec.storage.size } },
    },
  };
}

/** What the members' pod is made of, and nothing else: another size of the cluster, or of its volumes, is asked the same. */
interface PodToBuild {
  readonly name: string;
  readonly image: string;
  readonly mountPath: string;
  readonly port: number | undefined;
  readonly overlay: PodTemplateOverlay | undefined;
  readonly hook: HandoffHook | undefined;
}

/** How long a member has to end after its hand-off, in seconds. */
const endingSeconds = 30;

/** Remembered: each look at a cluster compares several things with it. */
const podTemplate = remembered(({ name, image, mountPath, port, overlay, hook }: PodToBuild): PodTemplateSpec => {
  const container: Container = {
    name: kvStoreContainer,
    image,
    env: [{ name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
    volumeMounts: [{ name: kvStoreVolume, mountPath }],
    ...(port === undefined
      ? {}
      : {
          ports: [{ name: 'client', containerPort: port, protocol: 'TCP' }],
          readinessProbe: { tcpSocket: { port: 'client' }, periodSeconds: 5 },
        }),
    ...(hook?.container === kvStoreContainer ? { lifecycle: { preStop: hook.handler } } : {}),
  };
  const generated: PodTemplateSpec = {
    metadata: { labels: childLabels({ application: 'kv-store-cluster', instance: name }) },
    spec: { containers: [container], terminationGracePeriodSeconds: endingSeconds + (hook?.seconds ?? 0) },
  };
  return withTemplateHash(withSidecarHook(overlayPodTemplate(generated, overlay), hook, kvStoreContainer));
});

/** The members' pod: the store's container with the generated parts, the user's overlay over it, and the template's hash. It is frozen. */
export function kvStorePodTemplate({ name, spec }: KVStoreToBuild, version = spec.version): PodTemplateSpec {
  const { port, podTemplate: overlay, storage, upgrade } = spec;
  return podTemplate({
    name,
    image: kvStoreImage(spec, version),
    mountPath: storage.mountPath ?? '/data',
    port,
    overlay,
    hook: handoffHook(upgrade?.handoff, { container: kvStoreContainer, port }),
  });
}

/**
 * The members, replaced by Kubernetes from the highest ordinal down to the partition, and started one after the other. Claims are kept whatever
 * happens to the StatefulSet: the operator alone deletes them.
 */
export function kvStoreStatefulSet(cluster: KVStoreToBuild, now: KVStoreNow = {}): StatefulSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: childMetadata(kvStoreChild(cluster)),
    spec: {
      replicas: now.replicas ?? cluster.spec.replicas,
      serviceName: cluster.name,
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: now.partition ?? 0 } },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      selector: { matchLabels: kvStoreSelector(cluster.name) },
      template: kvStorePodTemplate(cluster, now.version),
      volumeClaimTemplates: [kvStoreClaimTemplate(cluster)],
    },
  };
}
