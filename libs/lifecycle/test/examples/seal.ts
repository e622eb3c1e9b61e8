import { execute, SealedStatuses } from '@ordinal/lifecycle';
import type { Decision, ExecutionContext, SealKey } from '@ordinal/lifecycle';
import type { ReconcileContext, Result } from '@ordinal/runtime';
import type { Website } from './website.ts';
import { websites } from './website.ts';

/** The key comes from a Secret that only the operator may read. */
export const statusesOf = (key: SealKey): SealedStatuses<Website> =>
  new SealedStatuses(
    {
      descriptor: websites,
      finalizer: 'example.com/files',
      forget: () => ({}), // What can be known of a Website whose status is not believed.
    },
    { keys: () => [key] },
  );

export async function reconcile(
  site: Website,
  { statuses, decide }: { readonly statuses: SealedStatuses<Website>; readonly decide: (site: Website) => Decision },
  context: ExecutionContext & Pick<ReconcileContext, 'cache'>,
): Promise<Result> {
  if (!statuses.trusts(site)) return statuses.putRight(site, context); // Another client has written it.
  return execute(decide(site), context, { seal: statuses.sealed });
}
