import type { MonitoredStatefulSet } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import type { MonitoredSetToBuild, UpgradeTaskToBuild } from '@ordinal/constructs';
import { monitoredSetJob } from '@ordinal/constructs';
import type { TaskStep } from '@ordinal/lifecycle';
import { upgradeTask } from '../upgrade/jobs.ts';
import type { MonitoredSetObservation } from './observation.ts';

/** What the children of a set are built from. */
export function toBuild({ apiVersion, kind, metadata, spec }: MonitoredStatefulSet): MonitoredSetToBuild {
  const { name, uid, namespace = '' } = metadata;
  return { name, namespace, spec, owner: { apiVersion, kind, name, uid, namespace } };
}

/** Takes a Job of a set's upgrade one step further, when it is its turn. */
export function setTask(seen: MonitoredSetObservation, wanted: UpgradeTaskToBuild, now: Instant): TaskStep {
  const job = monitoredSetJob(toBuild(seen.set), wanted);
  return upgradeTask(seen, { status: seen.set.status, job, wanted }, now);
}
