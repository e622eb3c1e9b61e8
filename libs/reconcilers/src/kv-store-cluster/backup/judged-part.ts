import type { KVStoreCluster } from '@ordinal/api';
import type { KubernetesObject, Projection } from '@ordinal/client';
import { ownerUidLabel } from '@ordinal/constructs';
import { skipAnnotation } from '../deletion-tasks.ts';
import { clusterFinalizer } from '../observation.ts';

/** A longer status is not read when the deletion of a namespace is judged, in characters. */
const longestJudgedStatus = 65_536;

/** Holds for no object: a status that was left out is one that the operator has not written, also on an object without a finalizer. */
const leftOut = { seal: '' };

type Status = Readonly<Record<string, unknown>>;

/** What the seal covers of a status, or one that can't be trusted where it is too long. */
function statusToJudge(status: Status | undefined): Status | undefined {
  if (status === undefined) return undefined;
  const { conditions: _conditions, ...remembered } = status;
  return JSON.stringify(remembered).length > longestJudgedStatus ? leftOut : remembered;
}

/**
 * Keeps of a KVStoreCluster what the deletion of its namespace is judged by: what its seal covers, its finalizer, which step it leaves out, and whether its final
 * backup is required.
 *
 * **Guarantees.** What is kept of one has about 64 KiB at most, besides the value of one annotation, whatever a tenant writes. A status that is longer than that is not trusted.
 */
export const judgedPart: Projection = (object) => {
  const { metadata, spec, status } = object as KVStoreCluster; // Only this kind is read with it.
  const { name, namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp } = metadata;
  const skipped = metadata.annotations?.[skipAnnotation];
  const kept = {
    ...{ name, namespace, uid, resourceVersion, creationTimestamp },
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    ...(skipped === undefined ? {} : { annotations: { [skipAnnotation]: skipped } }),
    finalizers: metadata.finalizers?.includes(clusterFinalizer) === true ? [clusterFinalizer] : [],
  };
  const { apiVersion, kind } = object;
  if (spec.backup === undefined) return { apiVersion, kind, metadata: kept, spec: {} } as KubernetesObject;
  const judged = statusToJudge(status as Status | undefined);
  const backup = { onDelete: spec.backup.onDelete };
  return {
    ...{ apiVersion, kind, metadata: kept, spec: { backup } },
    ...(judged === undefined ? {} : { status: judged }),
  } as KubernetesObject;
};

/** Keeps of a claim whose it is. */
export const ownerOfClaim: Projection = ({ apiVersion, kind, metadata }) => {
  const { name, uid, resourceVersion, creationTimestamp, labels } = metadata;
  const owner = labels?.[ownerUidLabel];
  const kept = { name, uid, resourceVersion, creationTimestamp };
  return { apiVersion, kind, metadata: owner === undefined ? kept : { ...kept, labels: { [ownerUidLabel]: owner } } };
};
