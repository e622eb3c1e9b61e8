import type { ClusteredCache } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { timestamp } from '@ordinal/client';
import type { CacheTaskToBuild } from '@ordinal/constructs';
import { milliseconds } from '@ordinal/constructs';
import type { CanaryPolicy, Member, Progress, RolloutObservation } from '@ordinal/lifecycle';
import { namesUpgrade } from '@ordinal/lifecycle';
import { abortAnnotation, promoteAnnotation } from '../annotations.ts';
import { cacheTask } from './jobs.ts';
import type { CacheObservation } from './observe.ts';
import type { Goal } from './template.ts';

/** An upgrade that is under way, and what it leads to. */
interface Upgrade {
  readonly wanted: Goal;
  readonly progress: Progress;
}

/** Whether the value of an annotation names this upgrade: by the revision that it leads to, or by an image that does not run yet. */
function names({ metadata, status }: ClusteredCache, annotation: string, { wanted }: Upgrade): boolean {
  const aim = { revision: wanted.revision, version: wanted.image, runs: status?.currentVersion };
  return namesUpgrade(metadata.annotations?.[annotation], aim);
}

/** The judgments of this upgrade that are on record. One that is asked for again judges again: what failed a member may be mended. */
function judgementsOf({ status }: ClusteredCache, { progress }: Upgrade): CanaryPolicy['judgements'] {
  const { upgrade } = status ?? {};
  const isSame = upgrade?.revision === progress.revision && (upgrade.step !== 'Failed' || progress.step === 'Failed');
  return (isSame ? upgrade.analysed : undefined) ?? [];
}

/** The Job that judges one pod, once in an upgrade. */
const analysisOf = (member: Member, task: CacheTaskToBuild['task'], { startedAt }: Progress): CacheTaskToBuild => ({
  purpose: 'Analysis',
  subject: `${member.uid}/${member.revision}@${timestamp(startedAt)}`,
  task,
  variables: { ORDINAL_POD: member.name, ORDINAL_POD_IP: member.ip ?? '' },
});

/** How canaries are judged. Absent without `spec.upgrade.canary`, and where nothing ran before or members go back to it. */
function canaryOf(seen: CacheObservation, upgrade: Upgrade, now: Instant): CanaryPolicy | undefined {
  const { spec } = seen.cache;
  const { canary } = spec.upgrade ?? {};
  if (!canary) return undefined;
  const { wanted, progress } = upgrade;
  const { analysis } = canary;
  const job = analysis?.job;
  const judge = job && ((member: Member) => cacheTask(seen, analysisOf(member, job, progress), now));
  return {
    replicas: canary.replicas,
    bakeMs: milliseconds(canary.bake),
    ...(analysis && { analysis: { failureThreshold: analysis.failureThreshold, ...(judge && { task: judge }) } }),
    judgements: judgementsOf(seen.cache, upgrade),
    isPromoted: canary.promotion !== 'Manual' || names(seen.cache, promoteAnnotation, upgrade),
    abortBy: `${abortAnnotation}=${wanted.revision}`,
  };
}

/** What the spec and a user ask for of an upgrade to a new version: how canaries are judged, and that it ends. A rollback, and what is made first, know neither. */
export function askedOfUpgrade(
  seen: CacheObservation,
  { wanted, progress }: { readonly wanted: Goal; readonly progress: Progress | undefined },
  now: Instant,
): Pick<RolloutObservation, 'canary' | 'abortedBy'> {
  const ran = seen.cache.status?.currentRevision;
  if (!progress || wanted.rollingBack || ran === undefined || ran === wanted.revision) return {};
  const upgrade = { wanted, progress };
  const canary = canaryOf(seen, upgrade, now);
  return {
    ...(canary && { canary }),
    ...(names(seen.cache, abortAnnotation, upgrade) && { abortedBy: abortAnnotation }),
  };
}
