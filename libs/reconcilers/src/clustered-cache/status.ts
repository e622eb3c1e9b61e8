import { instantOf, timestamp, withFindings } from '@ordinal/client';
import type { ClusteredCache, ClusteredCacheStatus } from '@ordinal/api';
import { cacheSelector, selectorText } from '@ordinal/constructs';
import type { Member, RolloutOutcome, Progress } from '@ordinal/lifecycle';
import { catchingUpAfter, isWaiting, progressAfter, withRecords } from '@ordinal/lifecycle';
import { abortAnnotation, openGatesAnnotation, promoteAnnotation, retries } from '../annotations.ts';
import { findingsOf } from './conditions.ts';
import type { Goal } from './template.ts';
import type { Findings } from './findings.ts';

type UpgradeStatus = NonNullable<ClusteredCacheStatus['upgrade']>;

/** As long as the annotation is there, what is tried again is ended at once. */
const isAborted = ({ metadata }: ClusteredCache): boolean => metadata.annotations?.[abortAnnotation] !== undefined;

/** Where an upgrade stood by the status; undefined where none is recorded. */
export function progressOf(upgrade: UpgradeStatus | undefined): Progress | undefined {
  if (!upgrade) return undefined;
  const { revision, startedAt, lastProgressAt = startedAt, updated = 0, step, pod, podUID, blockedBy } = upgrade;
  const since = instantOf(upgrade.since);
  return {
    revision,
    step,
    updated,
    startedAt: instantOf(startedAt) ?? 0,
    lastProgressAt: instantOf(lastProgressAt) ?? 0,
    ...(since === undefined ? {} : { since }),
    ...(pod === undefined ? {} : { pod }),
    ...(podUID === undefined ? {} : { podUID }),
    ...(blockedBy === undefined ? {} : { blockedBy }),
  };
}

/** The command that overrides what an outcome waits for; undefined where there is none. */
export function releaseCommand(
  { release, member }: RolloutOutcome,
  { cache, rollout }: Pick<Findings, 'cache' | 'rollout'>,
): string | undefined {
  const { revision } = rollout;
  const { name, namespace } = cache.metadata;
  const object = `-n ${namespace ?? 'default'} clusteredcache ${name}`;
  switch (release) {
    case 'gate':
      return member && `kubectl annotate ${object} ${openGatesAnnotation}=${member.uid} --overwrite`;
    case 'retry':
      return retries.command(isAborted(cache) ? `${object} ${abortAnnotation}-` : object);
    case 'promotion':
      return `kubectl annotate ${object} ${promoteAnnotation}=${revision} --overwrite`;
    case 'pause':
      return `kubectl patch ${object} --type merge -p '{"spec":{"upgrade":{"paused":false}}}'`;
    default:
      return undefined;
  }
}

const shownStep = (outcome: RolloutOutcome, { rollingBack }: Goal): UpgradeStatus['step'] =>
  outcome.step === 'Starting' && rollingBack ? 'RollingBack' : outcome.step;

/** What of single members the next reconcile has to know. */
function rememberedOf({ rollout, outcome }: Findings): Pick<UpgradeStatus, 'handedOff' | 'catchingUp'> {
  const handedOff = outcome && (outcome.handedOff ?? rollout.handedOff);
  const catchingUp = catchingUpAfter(rollout, outcome ?? { actions: [] });
  return {
    ...(handedOff === undefined ? {} : { handedOff }),
    ...(catchingUp.length === 0 ? {} : { catchingUp }),
  };
}

/** The judgments of this upgrade. Of one that has failed they stay. */
function analysedOf({ rollout }: Findings, { analysed }: RolloutOutcome): Pick<UpgradeStatus, 'analysed'> {
  const judgements = analysed ?? rollout.canary?.judgements ?? [];
  return judgements.length === 0 ? {} : { analysed: [...judgements] };
}

/** The part of the status that explains an upgrade under way. */
function upgradeStatus(
  findings: Findings & { readonly outcome: RolloutOutcome; readonly progress: Progress },
): UpgradeStatus {
  const { cache, outcome, progress, rollout, wanted, now } = findings;
  const before = cache.status?.upgrade;
  const step = shownStep(outcome, wanted);
  const pod = outcome.member?.name ?? progress.pod;
  const podUID = outcome.member?.uid ?? progress.podUID;
  const same =
    before?.revision === progress.revision && before.step === step && before.pod === pod && before.podUID === podUID;
  // A failed upgrade is reported once, with what it was waiting for then.
  const message = outcome.message === '' ? before?.message : outcome.message;
  const release = releaseCommand(outcome, findings);
  const lastProgressAt = progressAfter(rollout, outcome, now);
  return {
    revision: progress.revision,
    startedAt: timestamp(progress.startedAt),
    lastProgressAt: timestamp(lastProgressAt),
    updated: progress.updated,
    ...(isWaiting({ step: outcome.step }) ? {} : { deadline: timestamp(lastProgressAt + rollout.deadlineMs) }),
    step,
    since: same ? before.since : timestamp(now),
    ...(pod === undefined ? {} : { pod }),
    ...(podUID === undefined ? {} : { podUID }),
    ...rememberedOf(findings),
    ...analysedOf(findings, outcome),
    ...(message === undefined ? {} : { message }),
    ...(outcome.blockedBy === undefined ? {} : { blockedBy: outcome.blockedBy }),
    ...(release === undefined ? {} : { release }),
  };
}

/** How many of the members are so. */
const count = (members: readonly Member[], is: (member: Member) => boolean): number => members.filter(is).length;

/** Why the upgrade to what the spec asks for has failed, as long as that is remembered. */
function failureOf(
  { cache, outcome, now }: Findings,
  failsNow: boolean,
  failedRevision: string | undefined,
): ClusteredCacheStatus['failure'] {
  if (failsNow && outcome?.failed) return { ...outcome.failed, at: timestamp(now) };
  return failedRevision === undefined ? undefined : cache.status?.failure;
}

/** The Jobs that are remembered. What one has come before has happened when all members run it. */
function hooksOf({ cache, outcome }: Findings): ClusteredCacheStatus['hooks'] {
  const records = withRecords(cache.status?.hooks, outcome?.tasks ?? []);
  if (records.length === 0) return undefined;
  return records.map((record) =>
    outcome === undefined && record.purpose === 'BeforeUpgrade' ? { ...record, spent: true } : record,
  );
}

/**
 * How many members there are for as long as there are more than the spec asks for; undefined otherwise. A reduction begins with the members that are there: a StatefulSet that is
 * seen as it was before one had ended asks for members that are gone, which no client has taken away since.
 */
function shrinkingFrom({ cache, kept, rollout: { members } }: Findings): number | undefined {
  const begun = cache.status?.shrinkingFrom ?? 0;
  const from = Math.min(kept, Math.max(begun, ...members.map(({ ordinal }) => ordinal + 1)));
  return from > cache.spec.replicas ? from : undefined;
}

/**
 * The whole status. `currentVersion` moves only when every member runs what is wanted; what has failed is remembered until something else is wanted,
 * so that it is not tried again by itself (S0.7, S0.8). An error of an earlier reconcile is left out: this one has succeeded.
 */
export function statusOf(findings: Findings): ClusteredCacheStatus {
  const { cache, wanted, rollout, outcome, now } = findings;
  const before = cache.status ?? {};
  const { members, progress } = rollout;
  const upgrade = outcome && progress ? upgradeStatus({ ...findings, outcome, progress }) : undefined;
  const failsNow = upgrade?.step === 'Failed' && !wanted.rollingBack;
  const completed = outcome === undefined;
  const current = completed
    ? { currentVersion: wanted.image, currentRevision: wanted.revision }
    : { currentVersion: before.currentVersion, currentRevision: before.currentRevision };
  const failedRevision = failsNow
    ? wanted.specRevision
    : wanted.failed && !(completed && !wanted.rollingBack)
      ? before.failedRevision
      : undefined;
  const at = { now, generation: cache.metadata.generation };
  const conditions = withFindings(before.conditions, findingsOf(findings, failedRevision !== undefined), at);
  const status: { -readonly [Key in keyof ClusteredCacheStatus]: ClusteredCacheStatus[Key] | undefined } = {
    observedGeneration: cache.metadata.generation,
    replicas: members.length,
    readyReplicas: count(members, ({ ready }) => ready),
    updatedReplicas: count(members, ({ revision }) => revision === wanted.specRevision),
    selector: selectorText(cacheSelector(cache.metadata.name)),
    ...current,
    targetVersion: upgrade ? wanted.image : undefined,
    failedRevision,
    failure: failureOf(findings, failsNow, failedRevision),
    hooks: hooksOf(findings),
    retryToken: retries.tokenOf(cache),
    upgrade,
    // Outside of an upgrade: while the set shrinks, and after members went.
    ...(upgrade ? {} : rememberedOf(findings)),
    shrinkingFrom: shrinkingFrom(findings),
    conditions,
  };
  return Object.fromEntries(Object.entries(status).filter(([, value]) => value !== undefined)); // What is undefined is not there.
}
