import type { MonitoredStatefulSet } from '@ordinal/api';
import type { Job, StatefulSet } from '@ordinal/client';
import type { Place } from './place.ts';

/** Everything that a decision about a MonitoredStatefulSet depends on, save time and chance. */
export interface MonitoredSetObservation {
  readonly set: MonitoredStatefulSet;
  readonly statefulSet: StatefulSet | undefined;
  /** The monitors that matter, the one that the spec names first. */
  readonly places: readonly Place[];
  /** What there is of the clean-up Job; undefined where none is wanted, or none can be made because the namespace is being deleted. */
  readonly cleanup: { readonly job: Job | undefined; readonly output: string | undefined } | undefined;
}
