import type { Instant } from '@ordinal/client';
import type { UpgradeTaskToBuild } from '@ordinal/constructs';
import { cacheJob } from '@ordinal/constructs';
import type { TaskStep } from '@ordinal/lifecycle';
import { upgradeTask } from '../upgrade/jobs.ts';
import type { CacheObservation } from './observe.ts';
import { toBuild } from './template.ts';

/** Takes a Job of a cache one step further, when it is its turn. */
export function cacheTask(seen: CacheObservation, wanted: UpgradeTaskToBuild, now: Instant): TaskStep {
  const job = cacheJob(toBuild(seen.cache), wanted);
  return upgradeTask(seen, { status: seen.cache.status, job, wanted }, now);
}
