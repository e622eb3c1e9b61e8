import type { KVStoreClusterInput } from '@ordinal/api';
import { hashOf, managedBy, ownerUidLabel } from '../workload/index.ts';
import type { KVStoreToBuild } from './cluster.ts';
import { sealAnnotation } from './job.ts';

/** The label of a scratch cluster. Its value is the name of the cluster whose backup it holds a copy of. */
export const drillOfLabel = 'ordinal.dev/drill-of';

/** How long the name of a scratch cluster is at most, in characters: its StatefulSet's name and a hash make a label of its pods. */
const maxNameLength = 52;

/** The name of a drill's scratch cluster: the same for the same drill of the same cluster, at most 52 characters, whatever the cluster is called. */
export function scratchName(
  { name, owner }: Pick<KVStoreToBuild, 'name' | 'owner'>,
  drill: { readonly name: string; readonly startedAt: string },
): string {
  const suffix = `-drill-${hashOf([owner?.uid, drill.name, drill.startedAt])}`;
  return `${name.slice(0, maxNameLength - suffix.length).replace(/[-.]+$/, '')}${suffix}`;
}

/** One scratch cluster to build. */
export interface ScratchToBuild {
  readonly name: string;
  /** The version that it runs. */
  readonly version: string;
  readonly backup: { readonly name: string; readonly location?: string };
  /** What proves that the operator has made it. */
  readonly seal: string;
  /** Labels of the cluster, which it has as well: what selects the one selects the other. */
  readonly labels?: Readonly<Record<string, string>>;
}

/**
 * The scratch cluster of a restore drill: the image, pods and port of the cluster, with a backup restored into volumes of its own. It goes with its volumes and without a backup, and has
 * no drills. Its owner reference keeps nothing from being deleted.
 *
 * Its pods have none of the labels of `spec.podTemplate`: a Service that selects by them would send clients to a copy. They have those of `spec.backup.drill.podLabels`.
 *
 * Throws a `TypeError` where the spec has no drill, or no Job that restores.
 */
export function kvStoreScratch(
  { name: drillOf, namespace, owner, spec }: KVStoreToBuild,
  wanted: ScratchToBuild,
): KVStoreClusterInput {
  const drill = spec.backup?.drill;
  const job = drill?.restore ?? spec.restoreFrom?.job;
  if (!drill || !job) throw new TypeError('a scratch cluster needs spec.backup.drill and a Job that restores');
  const { image, port, jobs } = spec;
  const podTemplate = scratchPods(spec.podTemplate, drill.podLabels);
  const labels = {
    ...wanted.labels,
    'app.kubernetes.io/managed-by': managedBy,
    [drillOfLabel]: drillOf.slice(0, 63).replace(/[-.]+$/, ''),
    ...(owner ? { [ownerUidLabel]: owner.uid } : {}),
  };
  return {
    apiVersion: 'kvstore.example.com/v1',
    kind: 'KVStoreCluster',
    metadata: {
      name: wanted.name,
      ...(namespace === undefined ? {} : { namespace }),
      labels,
      annotations: { [sealAnnotation]: wanted.seal },
      ...(owner ? { ownerReferences: [referenceTo(owner)] } : {}),
    },
    spec: {
      version: wanted.version,
      replicas: drill.replicas ?? 1,
      storage: { ...spec.storage, ...drill.storage },
      deletionPolicy: 'Delete',
      restoreFrom: {
        backup: wanted.backup.name,
        ...(wanted.backup.location === undefined ? {} : { location: wanted.backup.location }),
        job,
      },
      ...(image === undefined ? {} : { image }),
      ...(port === undefined ? {} : { port }),
      ...(jobs === undefined ? {} : { jobs }),
      ...(podTemplate === undefined ? {} : { podTemplate }),
    },
  };
}

/** A deletion of the cluster in the foreground does not wait for the copy. */
function referenceTo({ apiVersion, kind, name, uid }: NonNullable<KVStoreToBuild['owner']>) {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: false };
}

type PodTemplate = KVStoreToBuild['spec']['podTemplate'];

function scratchPods(template: PodTemplate, podLabels: Readonly<Record<string, string>> | undefined): PodTemplate {
  if (template === undefined && podLabels === undefined) return undefined;
  const { labels: _labels, ...metadata } = template?.metadata ?? {};
  return { ...template, metadata: { ...metadata, ...(podLabels === undefined ? {} : { labels: podLabels }) } };
}
