import type { Job, KubernetesObject } from '@ordinal/client';
import { jobs } from '@ordinal/client';
import type { OwnJobs } from '@ordinal/lifecycle';
import type { ReconcileContext } from '@ordinal/runtime';

/** Which Jobs an earlier version of the operator took for those of an object. */
export interface JobsBefore {
  readonly own: OwnJobs;
  /** What an earlier version went by: names, labels, owner references, and for what decides about data the UIDs in the status. */
  readonly isMade: (job: Job) => boolean;
}

/**
 * Seals the Jobs that an earlier version of the operator, which sealed none, has made for an object: once, when the object is first seen after the upgrade.
 *
 * **Guarantees.** Its Jobs that are at work go on, and count. Resolves with whether any was sealed: then nothing else is to be done, and no status written, until the next
 * reconcile. A failure leaves the status as it is, so that it is tried again.
 */
export async function adoptJobs(
  { metadata: { namespace = '' } }: KubernetesObject,
  { own, isMade }: JobsBefore,
  { client, signal }: Pick<ReconcileContext, 'client' | 'signal'>,
): Promise<boolean> {
  const ofOperator = { labelSelector: 'app.kubernetes.io/managed-by=ordinal-operator', signal };
  const { items } = await client(jobs).namespace(namespace).list(ofOperator);
  return own.adopt(items.filter(isMade), { client, signal });
}
