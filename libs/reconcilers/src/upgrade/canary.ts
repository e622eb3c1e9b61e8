import { timestamp } from '@ordinal/client';
import type { CanaryPolicy, Member, Progress, RolloutObservation, TaskStep, UpgradeSteps } from '@ordinal/lifecycle';
import { namesUpgrade } from '@ordinal/lifecycle';
import { abortAnnotation, promoteAnnotation } from '../annotations.ts';
import type { RunTask } from './jobs.ts';
import { upgradeSteps } from './steps.ts';
import type { Goal, Upgradable } from './upgradable.ts';

/** An upgrade that is under way, and what it leads to. */
interface Upgrade {
  readonly wanted: Goal;
  readonly progress: Progress;
}

/** Whether the value of an annotation names this upgrade: by the revision that it leads to, or by an image that does not run yet. */
function names({ metadata, status }: Upgradable, annotation: string, { wanted }: Upgrade): boolean {
  const aim = { revision: wanted.revision, version: wanted.image, runs: status?.currentVersion };
  return namesUpgrade(metadata.annotations?.[annotation], aim);
}

/** The judgments of this upgrade that are on record. One that is asked for again judges again: what failed a member may be mended. */
function judgementsOf({ status }: Upgradable, { progress }: Upgrade): CanaryPolicy['judgements'] {
  const { upgrade } = status ?? {};
  const isSame = upgrade?.revision === progress.revision && (upgrade.step !== 'Failed' || progress.step === 'Failed');
  return (isSame ? upgrade.analysed : undefined) ?? [];
}

/** What the Job is run for that judges one pod, and what it finds in its environment: once in an upgrade. In one that is asked for again it is another one, for what failed the pod may be mended. */
export const analysisOf = (member: Member, startedAt: string) =>
  ({
    purpose: 'Analysis',
    subject: `${member.uid}/${member.revision}@${startedAt}`,
    variables: { ORDINAL_POD: member.name, ORDINAL_POD_IP: member.ip ?? '' },
  }) as const;

/** What is known of the canaries of an upgrade beside what its spec says. */
interface Judging {
  /** What the upgrade leads to. */
  readonly revision: string;
  readonly judgements: CanaryPolicy['judgements'];
  /** A user has promoted it. */
  readonly isPromoted: boolean;
  /** Takes the Job that judges a member one step further; undefined without a Job. */
  readonly judge: ((member: Member) => TaskStep) | undefined;
}

/** How canaries are judged that a spec asks for. */
export const canaryPolicyOf = (
  { replicas, bakeMs, isManual, analysis }: NonNullable<UpgradeSteps<unknown>['canary']>,
  { revision, judgements, isPromoted, judge }: Judging,
): CanaryPolicy => ({
  ...{ replicas, bakeMs, judgements, isPromoted: !isManual || isPromoted, abortBy: `${abortAnnotation}=${revision}` },
  ...(analysis && { analysis: { failureThreshold: analysis.failureThreshold, ...(judge && { task: judge }) } }),
});

/** How canaries are judged. Absent without `spec.upgrade.canary`, and where nothing ran before or members go back to it. */
function canaryOf(object: Upgradable, upgrade: Upgrade, run: RunTask): CanaryPolicy | undefined {
  const { canary } = upgradeSteps(object);
  if (!canary) return undefined;
  const { wanted, progress } = upgrade;
  const task = canary.analysis?.job;
  const startedAt = timestamp(progress.startedAt);
  return canaryPolicyOf(canary, {
    revision: wanted.revision,
    judgements: judgementsOf(object, upgrade),
    isPromoted: names(object, promoteAnnotation, upgrade),
    judge: task && ((member) => run({ ...analysisOf(member, startedAt), task })),
  });
}

/** What the spec and a user ask for of an upgrade to a new version: how canaries are judged, and that it ends. A rollback, and what is made first, know neither. */
export function askedOfUpgrade(
  object: Upgradable,
  { wanted, progress }: { readonly wanted: Goal; readonly progress: Progress | undefined },
  run: RunTask,
): Pick<RolloutObservation, 'canary' | 'abortedBy'> {
  const ran = object.status?.currentRevision;
  if (!progress || wanted.rollingBack || ran === undefined || ran === wanted.revision) return {};
  const upgrade = { wanted, progress };
  const canary = canaryOf(object, upgrade, run);
  return {
    ...(canary && { canary }),
    ...(names(object, abortAnnotation, upgrade) && { abortedBy: abortAnnotation }),
  };
}
