import { decideOnError, execute, isSilent, unsealed } from '@ordinal/lifecycle';
import type { Decision, ExecutionContext } from '@ordinal/lifecycle';
import type { Result } from '@ordinal/runtime';
import type { Website } from './website.ts';
import { websites } from './website.ts';

export async function act(site: Website, decision: Decision, context: ExecutionContext): Promise<Result> {
  try {
    return await execute(decision, context, { seal: unsealed });
  } catch (failure) {
    if (isSilent(failure)) throw failure; // It was decided on an old view: the queue tries again at once.
    const reported = decideOnError(failure, { descriptor: websites, object: site }, context.clock.now());
    return execute(reported, context, { seal: unsealed });
  }
}
