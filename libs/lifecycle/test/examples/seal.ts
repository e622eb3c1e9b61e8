import { execute, SealedJobs, SealedStatuses } from '@ordinal/lifecycle';
import type { Decision, ExecutionContext, OwnJobs, SealKey } from '@ordinal/lifecycle';
import type { ReconcileContext, Result } from '@ordinal/runtime';
import type { Website } from './website.ts';
import { websites } from './website.ts';

/** The key comes from a Secret that only the operator may read. */
export const statusesOf = (key: SealKey): SealedStatuses<Website> =>
  new SealedStatuses(
    {
      descriptor: websites,
      finalizer: 'example.com/files',
      makesJobs: true,
      forget: () => ({}), // What can be known of a Website whose status is not believed.
    },
    { keys: () => [key] },
  );

export const jobsOf = (key: SealKey, site: Website): OwnJobs =>
  new SealedJobs(
    websites,
    { keys: () => [key] },
    { sealAnnotation: 'example.com/seal', labels: ['example.com/purpose'], annotations: [] },
  ).of(site);

/** What a reconciler of Websites is made of. */
interface Parts {
  readonly statuses: SealedStatuses<Website>;
  readonly jobs: OwnJobs;
  readonly decide: (site: Website) => Decision;
}

export async function reconcile(
  site: Website,
  { statuses, jobs, decide }: Parts,
  context: ExecutionContext & Pick<ReconcileContext, 'cache'>,
): Promise<Result> {
  if (!statuses.trusts(site)) return statuses.putRight(site, context); // Another client has written it.
  // Decides from those Jobs only of which jobs.isOwn says that the operator has made them.
  return execute(decide(site), context, { seal: statuses.sealed, create: jobs.create });
}
