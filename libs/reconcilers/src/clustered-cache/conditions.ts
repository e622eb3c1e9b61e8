import { conditionOf } from '@ordinal/client';
import type { Finding } from '@ordinal/client';
import type { RolloutOutcome } from '@ordinal/lifecycle';
import { membersReadyText } from '@ordinal/lifecycle';
import type { Findings } from './findings.ts';

/** A condition's status, reason and message. */
type Said = readonly [Finding['status'], string, string];

const is = (type: string, [status, reason, message]: Said): Finding => ({ type, status, reason, message });

/** How the failure was reported before. Another problem may stand in its place in one condition, but not in the other. */
function failureReportedBefore({ cache }: Findings): string | undefined {
  const reported = ['Degraded', 'Available'].map((type) => conditionOf(cache.status?.conditions, type));
  return reported.find((condition) => condition?.reason === 'UpgradeFailed')?.message;
}

const failureMessage = (findings: Findings): string =>
  findings.outcome?.step === 'Failed' && findings.outcome.message !== ''
    ? findings.outcome.message
    : (failureReportedBefore(findings) ?? 'the upgrade has failed');

/**
 * `Available`: whether the cache can be used, and whether its last upgrade worked, as the seed wants it reported. One member down is what it is made for;
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
  if (ready === 0 || ready < Math.min(cache.spec.replicas, rollout.replicas) - 1)
    return ['False', 'MembersNotReady', of];
  if (rollout.progress) return ['True', 'Upgrading', of];
  if (ready === rollout.members.length && ready === cache.spec.replicas) return ['True', 'AllMembersReady', of];
  return ['True', rollout.members.length === cache.spec.replicas ? 'SomeMembersNotReady' : 'Scaling', of];
}

/** What becomes of members while an upgrade has failed. */
function whatIsKept({ cache: { spec, status }, wanted }: Findings): string {
  const unchanged = 'nothing is done any more until what is wanted changes';
  const hasFormer = status?.currentVersion !== undefined && status.currentRevision !== wanted.specRevision;
  return hasFormer && spec.upgrade?.onFailure !== 'Rollback'
    ? `${unchanged}: members stay as they are, and one that is lost comes back as ${status.currentVersion}`
    : unchanged;
}

function progressing(findings: Findings): Said {
  const { outcome, rollout, wanted } = findings;
  if (!outcome) return ['False', 'Settled', `all ${rollout.replicas} members run ${wanted.image}`];
  if (outcome.step === 'Failed') return ['False', 'UpgradeFailed', whatIsKept(findings)];
  return ['True', outcome.step, stepText(outcome)];
}

/** The step in words, with what holds it up. */
const stepText = ({ message, blockedBy }: RolloutOutcome): string =>
  blockedBy === undefined ? message : `${message}: ${blockedBy}`;

/** What of the whole is missing. Why an upgrade has failed stays said until something else is wanted. */
function ready(findings: Findings, failed: boolean): Said {
  const { outcome, wanted } = findings;
  if (!outcome && !(failed && !wanted.rollingBack)) return ['True', 'AllMembersReady', ''];
  if (!outcome || outcome.step === 'Failed')
    return ['False', outcome?.step ?? 'UpgradeFailed', failureMessage(findings)];
  return ['False', outcome.step, stepText(outcome)];
}

function degraded(findings: Findings, failed: boolean): Said {
  if (failed) return ['True', 'UpgradeFailed', failureMessage(findings)];
  const unready = findings.rollout.members.filter((member) => !member.ready && !member.terminating);
  const names = unready.map(({ name, cause }) => (cause === undefined ? name : `${name} (${cause})`)).join(', ');
  if (unready.length > 0 && !findings.rollout.progress) return ['True', 'MembersNotReady', `not ready: ${names}`];
  return ['False', 'AsWanted', ''];
}

function upgrading({ rollout, outcome, wanted }: Findings): Said {
  if (!outcome || !rollout.progress) return ['False', 'NotUpgrading', `all members run ${wanted.image}`];
  if (outcome.step === 'Failed') return ['False', 'UpgradeFailed', 'the upgrade has failed'];
  const current = rollout.members.filter(({ revision }) => revision === rollout.revision).length;
  return [
    'True',
    wanted.rollingBack ? 'RollingBack' : 'Upgrading',
    `${current} of ${rollout.replicas} members run ${wanted.image}`,
  ];
}

/** What there is to say of a cache, as conditions by the API conventions. */
export function findingsOf(findings: Findings, failed: boolean): Finding[] {
  const { cache } = findings;
  const starts =
    findings.rollout.progress !== undefined && cache.status?.upgrade?.revision !== findings.rollout.revision;
  const bypassed = conditionOf(cache.status?.conditions, 'GateBypassed');
  const gate = bypassed && starts ? [is('GateBypassed', ['False', 'NewUpgrade', ''])] : [];
  return [
    is('Available', available(findings, failed)),
    is('Ready', ready(findings, failed)),
    is('Progressing', progressing(findings)),
    is('Degraded', degraded(findings, failed)),
    is('Upgrading', upgrading(findings)),
    ...gate,
  ];
}
