import type { MonitoredStatefulSet } from '@ordinal/api';
import type { Job, Pod, StatefulSet } from '@ordinal/client';
import type { SeenUpgradeJobs } from '../upgrade/jobs.ts';
import type { Place } from './place.ts';

/** Everything that a decision about a MonitoredStatefulSet depends on, save time and chance. */
export interface MonitoredSetObservation extends SeenUpgradeJobs {
  readonly set: MonitoredStatefulSet;
  readonly statefulSet: StatefulSet | undefined;
  /** The pods that a StatefulSet of the set's name controls or would take up, in the order of their names; none where the operator does not replace them. */
  readonly pods: readonly Pod[];
  /** The first member that does not get ready, and why; looked for where the operator does not replace the pods. */
  readonly unready?: string | undefined;
  /** The UID of the member that another client may delete now. */
  readonly reserved: string | undefined;
  /** The pods and the StatefulSet are as the API server has them, not as the informers show them. */
  readonly isConfirmed: boolean;
  /** The StatefulSet’s controller had seen the StatefulSet as it is before the pods were looked at: by its size it takes no more of them away. */
  readonly isSizeSeen: boolean;
  /** Members that were seen to end, and that were gone when the pods were looked at once more. */
  readonly gone?: readonly Pod[];
  /** The namespace is being deleted, and all that is in it goes; known where the pods were looked at once more. */
  readonly namespaceEnds?: boolean;
  /** The monitors that matter, the one that the spec names first. */
  readonly places: readonly Place[];
  /** What there is of the clean-up Job; undefined where none is wanted, or none can be made because the namespace is being deleted. */
  readonly cleanup: { readonly job: Job | undefined; readonly output: string | undefined } | undefined;
}
