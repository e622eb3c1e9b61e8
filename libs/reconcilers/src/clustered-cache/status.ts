import { defined, withFindings } from '@ordinal/client';
import type { ClusteredCacheStatus } from '@ordinal/api';
import { cacheSelector, selectorText } from '@ordinal/constructs';
import type { Member } from '@ordinal/lifecycle';
import { retries } from '../annotations.ts';
import { upgradeFields } from '../upgrade/record.ts';
import { findingsOf } from './conditions.ts';
import type { Findings } from './findings.ts';
import { toBuild } from './template.ts';

/** How many of the members are so. */
const count = (members: readonly Member[], is: (member: Member) => boolean): number => members.filter(is).length;

/**
 * The whole status. `currentVersion` moves only when every member runs what is wanted; what has failed is remembered until something else is wanted,
 * so that it is not tried again by itself (S0.7, S0.8). An error of an earlier reconcile is left out: this one has succeeded.
 */
export function statusOf(findings: Findings): ClusteredCacheStatus {
  const { cache, wanted, rollout, now } = findings;
  const before = cache.status ?? {};
  const { members } = rollout;
  const fields = upgradeFields(findings);
  const at = { now, generation: cache.metadata.generation };
  const conditions = withFindings(before.conditions, findingsOf(findings, fields.failedRevision !== undefined), at);
  return defined({
    observedGeneration: cache.metadata.generation,
    replicas: members.length,
    readyReplicas: count(members, ({ ready }) => ready),
    updatedReplicas: count(members, ({ revision }) => revision === wanted.specRevision),
    selector: selectorText(cacheSelector(toBuild(cache))),
    ...fields,
    retryToken: retries.tokenOf(cache),
    conditions,
  });
}
