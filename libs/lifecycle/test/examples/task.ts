import type { Instant, Job, JobInput } from '@ordinal/client';
import { runTask } from '@ordinal/lifecycle';
import type { Decision } from '@ordinal/lifecycle';
import type { Website } from './website.ts';
import { websites } from './website.ts';

/** `seen`: the Job of this name, and what it has printed where that was read. */
export function decide(
  site: Website,
  wanted: { readonly job: JobInput },
  seen: { readonly job: Job | undefined; readonly output: string | undefined; readonly now: Instant },
): Decision {
  // Another version is another subject, and runs another Job.
  const task = { purpose: 'publish', subject: site.spec.version, job: wanted.job, retryMs: 60_000 };
  const { record, actions, lookAgainAt } = runTask(task, { record: site.status?.published, ...seen }, seen.now);
  const status = { ...site.status, published: record }; // Outlives the Job.
  return {
    status: { descriptor: websites, object: site, status },
    actions,
    ...(lookAgainAt === undefined ? {} : { lookAgainAt }),
  };
}
