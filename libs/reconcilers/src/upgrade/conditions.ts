import { conditionOf } from '@ordinal/client';
import type { Finding } from '@ordinal/client';
import type { RolloutOutcome } from '@ordinal/lifecycle';
import { bypassesOver } from '../gate-bypasses.ts';
import type { UpgradeFindings } from './record.ts';
import { upgradeSteps } from './steps.ts';

/** A condition's status, reason and message. */
export type Said = readonly [Finding['status'], string, string];

/** A finding of this type. */
export const is = (type: string, [status, reason, message]: Said): Finding => ({ type, status, reason, message });

/** How the failure was reported before. Another problem may stand in its place in one condition, but not in the other. */
function failureReportedBefore({ object }: UpgradeFindings): string | undefined {
  const reported = ['Degraded', 'Available'].map((type) => conditionOf(object.status?.conditions, type));
  return reported.find((condition) => condition?.reason === 'UpgradeFailed')?.message;
}

/** Why the upgrade has failed, as it was reported. */
export const failureMessage = (findings: UpgradeFindings): string =>
  findings.outcome?.step === 'Failed' && findings.outcome.message !== ''
    ? findings.outcome.message
    : (failureReportedBefore(findings) ?? 'the upgrade has failed');

/** What becomes of members while an upgrade has failed. */
function whatIsKept({ object, wanted, rollout }: UpgradeFindings): string {
  const { status } = object;
  const goesBack = upgradeSteps(object).onFailure === 'Rollback';
  const unchanged = 'the operator does nothing more until the spec changes';
  if (goesBack && status?.currentVersion === undefined)
    return `${unchanged}: there is no version to go back to, as no version has run on all members yet`;
  const hasFormer = status?.currentVersion !== undefined && status.currentRevision !== wanted.specRevision;
  if (!hasFormer || goesBack) return unchanged;
  const lost = `members stay as they are, and one that is lost comes back as ${status.currentVersion}`;
  // The StatefulSet's controller makes no pod while one below it is not ready (`OrderedReady`).
  const isHeldUp = rollout.isOrdered === true && rollout.members.some(({ ready }) => !ready);
  return `${unchanged}: ${lost}${isHeldUp ? ', once all members below it are ready' : ''}`;
}

function progressing(findings: UpgradeFindings): Said {
  const { outcome, rollout, wanted } = findings;
  if (!outcome) return ['False', 'Settled', `all ${rollout.replicas} members run ${wanted.image}`];
  if (outcome.step === 'Failed') return ['False', 'UpgradeFailed', whatIsKept(findings)];
  return ['True', outcome.step, stepText(outcome)];
}

/** The step in words, with what holds it up. */
export const stepText = ({ message, blockedBy }: RolloutOutcome): string =>
  blockedBy === undefined ? message : `${message}: ${blockedBy}`;

function degraded(findings: UpgradeFindings, failed: boolean): Said {
  if (failed) return ['True', 'UpgradeFailed', failureMessage(findings)];
  const unready = findings.rollout.members.filter((member) => !member.ready && !member.terminating);
  const names = unready.map(({ name, cause }) => (cause === undefined ? name : `${name} (${cause})`)).join(', ');
  if (unready.length > 0 && !findings.rollout.progress) return ['True', 'MembersNotReady', `not ready: ${names}`];
  return ['False', 'AsWanted', ''];
}

function upgrading({ rollout, outcome, wanted }: UpgradeFindings): Said {
  if (!outcome || !rollout.progress) return ['False', 'NotUpgrading', `all members run ${wanted.image}`];
  if (outcome.step === 'Failed') return ['False', 'UpgradeFailed', 'the upgrade has failed'];
  const current = rollout.members.filter(({ revision }) => revision === rollout.revision).length;
  return [
    'True',
    wanted.rollingBack ? 'RollingBack' : 'Upgrading',
    `${current} of ${rollout.replicas} members run ${wanted.image}`,
  ];
}

/** What there is to say of an upgrade in the conditions that every kind has. `failed`: what the spec asks for has failed, and nothing has changed since. */
export const upgradeConditions = (findings: UpgradeFindings, failed: boolean): readonly Finding[] => [
  is('Progressing', progressing(findings)),
  is('Degraded', degraded(findings, failed)),
  is('Upgrading', upgrading(findings)),
  ...bypassesSoFar(findings),
];

function bypassesSoFar({ object: { status }, rollout }: UpgradeFindings): readonly Finding[] {
  const begins = rollout.progress !== undefined && status?.upgrade?.revision !== rollout.revision;
  return begins ? bypassesOver(status?.conditions) : [];
}
