import { clusteredCaches } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { withFindings } from '@ordinal/client';
import type { Decision, Problem } from '@ordinal/lifecycle';
import { manageError } from '@ordinal/lifecycle';
import { latenessOf } from './lateness.ts';
import type { CacheObservation } from './observe.ts';
import { ended, releasePods } from './release.ts';

/**
 * Decides for a cache about which nothing can be decided: reports what is wrong, and touches nothing, except that pods which have ended are released.
 *
 * **Guarantees.** The deadline of an upgrade that is under way counts all the same (I19): it fails as any other, beside what is reported here, and every member that
 * is held is released (I3).
 */
export function decideBlocked(seen: CacheObservation, problem: Problem, now: Instant): Decision {
  const { cache, pods: present } = seen;
  const { status, event, lookAgainAt } = manageError(problem, cache.status?.processingError, now);
  const { reason, message } = problem;
  const { generation } = cache.metadata;
  const findings = [
    { type: 'Ready', status: 'False', reason, message },
    { type: 'Progressing', status: 'False', reason, message },
    { type: 'Degraded', status: 'True', reason, message },
  ] as const;
  const late = latenessOf(seen, now);
  const before = late?.status ?? cache.status;
  return {
    actions: late?.failed
      ? releasePods(present, 'the upgrade has failed')
      : releasePods(ended(seen), 'nothing can be decided about it now'),
    status: {
      descriptor: clusteredCaches,
      object: cache,
      status: {
        ...before,
        ...(generation === undefined ? {} : { observedGeneration: generation }),
        processingError: status,
        conditions: withFindings(before?.conditions, findings, { now, generation }),
      },
    },
    events: [...(late?.events ?? []), event],
    lookAgainAt: Math.min(lookAgainAt, late?.lookAgainAt ?? Infinity),
  };
}
