import { instantOf, timestamp } from '@ordinal/client';
import type { Instant } from '@ordinal/client';
import { dueRun } from '@ordinal/lifecycle';
import type { Decision } from '@ordinal/lifecycle';
import type { Website } from './website.ts';
import { websites } from './website.ts';

const nightly = { cron: '0 2 * * *', timeZone: 'Europe/Berlin' };

/** A report each night. What was missed while the operator was away is made up for once, with the newest. */
export function decide(site: Website, now: Instant): Decision<'report'> {
  const settled = instantOf(site.status?.lastReport ?? site.metadata.creationTimestamp) ?? now;
  const { due, next = now + 3_600_000 } = dueRun(nightly, { settled, now });
  if (due === undefined) return { actions: [], lookAgainAt: next };
  const status = { ...site.status, lastReport: timestamp(due) }; // Written first: a crash makes no second report.
  return {
    status: { descriptor: websites, object: site, status },
    actions: [{ kind: 'call', call: 'report', because: `it is due since ${timestamp(due)}` }],
    lookAgainAt: next,
  };
}
