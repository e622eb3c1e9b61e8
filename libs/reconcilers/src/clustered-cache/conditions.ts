import type { Finding } from '@ordinal/client';
import { membersReadyText } from '@ordinal/lifecycle';
import type { Said } from '../upgrade/conditions.ts';
import { failureMessage, is, stepText, upgradeConditions } from '../upgrade/conditions.ts';
import type { Findings } from './findings.ts';

/**
 * `Available`: whether the cache can be used, and whether its last upgrade worked, as the seed wants it reported. As many members down as may be are what it is made for, one by default;
 * a failed upgrade makes it unavailable in name until what is wanted changes or all members run the former version again.
 */
function available(findings: Findings, failed: boolean): Said {
  const { rollout, outcome, cache, wanted } = findings;
  const ready = rollout.members.filter((member) => member.ready).length;
  const of = membersReadyText({ ready, present: rollout.members.length, wanted: cache.spec.replicas });
  if (failed && !(wanted.rollingBack && outcome === undefined))
    return ['False', 'UpgradeFailed', failureMessage(findings)];
  if (failed) return ['True', 'RolledBack', `all members run ${wanted.image} again; ${failureMessage(findings)}`];
  if (outcome === undefined) return ['True', 'AllMembersReady', of];
  if (cache.status?.currentRevision === undefined) return ['False', 'Creating', of];
  const { maxUnavailable = 1 } = rollout;
  if (ready === 0 || ready < Math.min(cache.spec.replicas, rollout.replicas) - maxUnavailable)
    return ['False', 'MembersNotReady', of];
  if (rollout.progress) return ['True', 'Upgrading', of];
  if (ready === rollout.members.length && ready === cache.spec.replicas) return ['True', 'AllMembersReady', of];
  return ['True', rollout.members.length === cache.spec.replicas ? 'SomeMembersNotReady' : 'Scaling', of];
}

/** What of the whole is missing. Why an upgrade has failed stays said until something else is wanted. */
function ready(findings: Findings, failed: boolean): Said {
  const { outcome, wanted } = findings;
  if (!outcome && !(failed && !wanted.rollingBack)) return ['True', 'AllMembersReady', ''];
  if (!outcome || outcome.step === 'Failed')
    return ['False', outcome?.step ?? 'UpgradeFailed', failureMessage(findings)];
  return ['False', outcome.step, stepText(outcome)];
}

/** What there is to say of a cache, as conditions by the API conventions. */
export function findingsOf(findings: Findings, failed: boolean): Finding[] {
  return [
    is('Available', available(findings, failed)),
    is('Ready', ready(findings, failed)),
    ...upgradeConditions(findings, failed),
  ];
}
