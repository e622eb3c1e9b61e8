import type { KVStoreCluster } from '@ordinal/api';
import { kvStoreClusters } from '@ordinal/api';
import type { Client, KubernetesObject } from '@ordinal/client';
import { isApiError, persistentVolumeClaims } from '@ordinal/client';
import { ownerUidLabel } from '@ordinal/constructs';
import { hasFinalizer } from '@ordinal/runtime';
import type { AdmissionRequest, Verdict } from '@ordinal/runtime/webhooks';
import type { Seals } from '@ordinal/lifecycle';
import { SealedStatuses } from '@ordinal/lifecycle';
import { skips } from '../deletion-tasks.ts';
import { isBackedUp } from '../jobs.ts';
import { clusterMemory } from '../memory.ts';
import { clusterFinalizer } from '../observation.ts';
import { judgedPart, ownerOfClaim } from './judged-part.ts';
import { SharedLooks } from './shared-looks.ts';

/** The annotation on a namespace that lets it be deleted without backups that are due. Its value is the UID of that namespace, and of no later one of its name. */
const leaveBackupsOutAnnotation = 'ordinal.dev/leave-backups-out';

/** How many clusters a refusal names. */
const named = 10;

/** A cluster in a namespace that is to be deleted. */
export interface Endangered {
  readonly cluster: KVStoreCluster;
  /** The operator itself has written its status. */
  readonly isTrusted: boolean;
  /** It has volumes. */
  readonly hasVolumes: boolean;
}

/**
 * Whether the final backup of a cluster is required and still to be made.
 *
 * **Guarantees.** No status says that there is no data while there are volumes: another client may have written it, or have put an earlier one of the operator's back. A backup
 * that can't be made, since there are no volumes, is not due.
 */
function isBackupDue({ cluster, isTrusted, hasVolumes }: Endangered): boolean {
  const { backup } = cluster.spec;
  if (backup === undefined || (backup.onDelete ?? 'Required') !== 'Required' || skips({ cluster }, 'FinalBackup'))
    return false;
  if (cluster.metadata.deletionTimestamp !== undefined && !hasFinalizer(cluster, clusterFinalizer)) return false;
  return hasVolumes && !(isTrusted && isBackedUp(cluster));
}

/** The namespace that a request deletes, unless it goes whatever is in it: it is being deleted already, or says by its UID that backups are left out. */
function namespaceToJudge({ operation, oldObject }: AdmissionRequest): KubernetesObject | undefined {
  if (operation !== 'DELETE' || oldObject === null || oldObject.kind !== 'Namespace') return undefined;
  const { uid, deletionTimestamp, annotations } = oldObject.metadata;
  const isAllowed = deletionTimestamp !== undefined || annotations?.[leaveBackupsOutAnnotation] === uid;
  return isAllowed ? undefined : oldObject;
}

const goOn = ({ metadata: { name, uid } }: Pick<KubernetesObject, 'metadata'>): string =>
  `to go on without it: kubectl annotate namespace ${name} ${leaveBackupsOutAnnotation}=${uid}`;

/** The verdict on the deletion of a namespace that holds these clusters. */
function judgeNamespaceDeletion(
  namespace: Pick<KubernetesObject, 'metadata'>,
  endangered: readonly Endangered[],
): Verdict {
  const { name } = namespace.metadata;
  const due = endangered.filter(isBackupDue).map(({ cluster }) => cluster.metadata.name);
  if (due.length === 0) return { allowed: true };
  const names = [...due].sort();
  const listed = names.slice(0, named);
  const more = names.length > named ? ` and ${names.length - named} more` : '';
  return {
    allowed: false,
    message:
      `the final backup of KVStoreCluster ${listed.join(', ')}${more} is required and not made yet; it can't run in a namespace that is being deleted, and the volumes go with it. ` +
      `To make it, delete first: kubectl delete kvs -n ${name} ${more === '' ? listed.join(' ') : '--all'}; ${goOn(namespace)}`,
  };
}

/** What the gate works with. */
export interface NamespaceGateOptions {
  readonly client: Client;
  readonly seals: Seals;
  /** The part of the clusters that this installation keeps: the selector of its shard. All unless given. */
  readonly shard?: string;
}

/**
 * The webhook on the deletion of namespaces.
 *
 * **Guarantees.** A namespace is not deleted while a required final backup in it is due, by what the API server says then.
 *
 * What load keeps it from judging is refused with 429, unless the namespace says that backups are left out: that is looked at first and costs nothing.
 *
 * **Caveats.** Where the operator may not read that, the deletion passes with a warning: a namespace must not stay for an operator that lacks something. Each installation judges
 * the clusters that it keeps.
 */
export class NamespaceGate {
  readonly #options: NamespaceGateOptions;
  readonly #statuses: SealedStatuses<KVStoreCluster>;
  readonly #looks = new SharedLooks((namespace, signal) => this.#endangered(namespace, signal));

  constructor(options: NamespaceGateOptions) {
    this.#options = options;
    this.#statuses = new SealedStatuses(clusterMemory, options.seals);
  }

  /** Judges one deletion. Never rejects. */
  async admit(request: AdmissionRequest, signal: AbortSignal): Promise<Verdict> {
    const namespace = namespaceToJudge(request);
    if (namespace === undefined) return { allowed: true };
    const { name } = namespace.metadata;
    try {
      return judgeNamespaceDeletion(namespace, await this.#looks.ask(name, signal));
    } catch (cause) {
      if (!isApiError(cause, 'Unauthorized', 'Forbidden', 'NotFound')) return this.undecided(request, String(cause));
      const warning = `the operator could not find out whether a required final backup of a KVStoreCluster in namespace ${name} is due: ${String(cause)}`;
      return { allowed: true, warnings: [warning] };
    }
  }

  /** The verdict on a deletion that was not judged, since there are too many or it is too late: 429, for no backup is left out because of that. What goes anyway passes. */
  undecided(request: AdmissionRequest, why: string): Verdict {
    const namespace = namespaceToJudge(request);
    if (namespace === undefined) return { allowed: true };
    const message =
      `the operator can’t tell now whether a required final backup of a KVStoreCluster in namespace ${namespace.metadata.name} is due (${why}). Try again in a few seconds; ` +
      goOn(namespace);
    return { allowed: false, code: 429, reason: 'TooManyRequests', message };
  }

  async #endangered(namespace: string, signal: AbortSignal): Promise<readonly Endangered[]> {
    const { client, shard } = this.#options;
    const { items } = await client(kvStoreClusters)
      .namespace(namespace)
      .list({ signal, project: judgedPart, ...(shard === undefined ? {} : { labelSelector: shard }) });
    const clusters = items.filter(({ spec }) => spec.backup !== undefined);
    const judged = clusters.map((cluster) => ({ cluster, isTrusted: this.#statuses.trusts(cluster) }));
    if (judged.length === 0) return [];
    const claims = await client(persistentVolumeClaims)
      .namespace(namespace)
      .list({ signal, project: ownerOfClaim, labelSelector: ownerUidLabel });
    const owners = new Set(claims.items.map(({ metadata }) => metadata.labels?.[ownerUidLabel]));
    return judged.map((one) => ({ ...one, hasVolumes: owners.has(one.cluster.metadata.uid) }));
  }
}
