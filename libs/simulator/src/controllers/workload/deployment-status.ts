import { timestamp } from '@ordinal/client';
import type { Instant } from '@ordinal/client';
import type { DeploymentCondition, DeploymentStatus } from 'kubernetes-types/apps/v1.js';
import type { LiveDeployment, LiveReplicaSet } from './live-deployment.ts';
import { isCurrent } from './live-deployment.ts';

/** A Deployment's status: counts over its ReplicaSets, and whether it is available and makes progress. */
export function deploymentStatus(
  deployment: LiveDeployment,
  sets: readonly LiveReplicaSet[],
  now: Instant,
): DeploymentStatus {
  const current = sets.find((set) => isCurrent(deployment, set));
  const sum = (of: (set: LiveReplicaSet) => number | undefined): number =>
    sets.reduce((total, set) => total + (of(set) ?? 0), 0);
  const available = sum(({ status }) => status?.availableReplicas);
  const desired = deployment.spec?.replicas ?? 1;
  const counts = {
    replicas: sum(({ status }) => status?.replicas),
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: sum(({ status }) => status?.readyReplicas),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, sum(({ spec }) => spec?.replicas) - available),
  };
  const present = Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    ...present,
    conditions: [
      ...conditionsOf(deployment, { ...counts, desired, name: current?.metadata.name ?? '' }, now),
      ...failureOf(current === undefined ? sets : [current, ...sets]),
    ],
    ...(deployment.status?.collisionCount !== undefined && { collisionCount: deployment.status.collisionCount }),
  };
}

/** That a ReplicaSet's pods could not be created is said of its Deployment too. */
function failureOf(sets: readonly LiveReplicaSet[]): readonly DeploymentCondition[] {
  const failures = sets
    .flatMap(({ status }) => status?.conditions ?? [])
    .filter(({ type }) => type === 'ReplicaFailure');
  return failures.slice(0, 1).map((failure) => ({
    ...failure,
    ...(failure.lastTransitionTime && { lastUpdateTime: failure.lastTransitionTime }),
  }));
}

/** How many milliseconds until a roll that makes no progress counts as failed; undefined where none is under way. */
export function progressDeadlineMs(
  deployment: LiveDeployment,
  status: DeploymentStatus,
  now: Instant,
): number | undefined {
  const progressing = status.conditions?.find(({ type }) => type === 'Progressing');
  if (deployment.spec?.paused === true || progressing === undefined || progressing.status === 'False') return undefined;
  if (progressing.reason === 'NewReplicaSetAvailable') return undefined;
  return Math.max(1000, Date.parse(progressing.lastUpdateTime ?? '') + deadlineMs(deployment) - now);
}

interface Counts {
  readonly desired: number;
  readonly name: string;
  readonly replicas: number;
  readonly updatedReplicas: number;
  readonly availableReplicas: number;
}

const deadlineMs = ({ spec }: Pick<LiveDeployment, 'spec'>): number => (spec?.progressDeadlineSeconds ?? 600) * 1000;

function conditionsOf(deployment: LiveDeployment, counts: Counts, now: Instant): DeploymentCondition[] {
  const old = deployment.status?.conditions ?? [];
  const minAvailable = counts.desired - maxUnavailable(deployment, counts.desired);
  const isAvailable = counts.availableReplicas >= minAvailable;
  const availability = condition(
    'Available',
    isAvailable,
    isAvailable
      ? ['MinimumReplicasAvailable', 'Deployment has minimum availability.']
      : ['MinimumReplicasUnavailable', 'Deployment does not have minimum availability.'],
  );
  return [withTimes(availability, old, { now, isProgress: false }), progress(deployment, counts, now)];
}

function progress(deployment: LiveDeployment, counts: Counts, now: Instant): DeploymentCondition {
  const old = deployment.status?.conditions ?? [];
  const { desired, name } = counts;
  const pause = pauseOf(deployment, old, now);
  if (deployment.spec?.paused === true && pause !== undefined) return pause;
  const isComplete =
    counts.updatedReplicas === desired && counts.replicas === desired && counts.availableReplicas === desired;
  if (isComplete) {
    return withTimes(
      condition('Progressing', true, ['NewReplicaSetAvailable', `ReplicaSet "${name}" has successfully progressed.`]),
      old,
      { now, isProgress: false },
    );
  }
  const before = old.find(({ type }) => type === 'Progressing');
  const moved = before?.reason === 'NewReplicaSetAvailable' || hasMoved(deployment, counts);
  if (pause !== undefined && !moved) return pause;
  const isLate = !moved && before !== undefined && isOverdue(before, deployment.spec, now);
  if (isLate || (!moved && before?.status === 'False')) {
    return withTimes(
      condition('Progressing', false, ['ProgressDeadlineExceeded', `ReplicaSet "${name}" has timed out progressing.`]),
      old,
      { now, isProgress: false },
    );
  }
  return withTimes(condition('Progressing', true, ['ReplicaSetUpdated', `ReplicaSet "${name}" is progressing.`]), old, {
    now,
    isProgress: moved,
  });
}

const isOverdue = ({ lastUpdateTime }: DeploymentCondition, spec: LiveDeployment['spec'], now: Instant): boolean =>
  lastUpdateTime !== undefined && Date.parse(lastUpdateTime) + deadlineMs({ ...(spec && { spec }) }) <= now;

/** What is said of a Deployment that is paused, or was until now; undefined where neither is so. A roll that was late before stays so. */
function pauseOf(
  { spec }: LiveDeployment,
  old: readonly DeploymentCondition[],
  now: Instant,
): DeploymentCondition | undefined {
  const before = old.find(({ type }) => type === 'Progressing');
  const isPaused = spec?.paused === true;
  if (isPaused && before?.reason === 'ProgressDeadlineExceeded') return before;
  if (!isPaused && before?.reason === 'DeploymentResumed') return isOverdue(before, spec, now) ? undefined : before;
  if (!isPaused && before?.reason !== 'DeploymentPaused') return undefined;
  const [reason, message] = isPaused
    ? ['DeploymentPaused', 'Deployment is paused']
    : ['DeploymentResumed', 'Deployment is resumed'];
  return withTimes({ type: 'Progressing', status: 'Unknown', reason, message }, old, { now, isProgress: false });
}

/** Whether there are more new or available pods than at the last look, or fewer in all. */
function hasMoved({ status }: LiveDeployment, counts: Counts): boolean {
  const { updatedReplicas = 0, availableReplicas = 0, replicas = 0 } = status ?? {};
  return (
    counts.updatedReplicas > updatedReplicas ||
    counts.availableReplicas > availableReplicas ||
    counts.replicas < replicas
  );
}

function condition(type: string, isTrue: boolean, [reason, message]: readonly [string, string]): DeploymentCondition {
  return { type, status: isTrue ? 'True' : 'False', reason, message };
}

function withTimes(
  next: DeploymentCondition,
  old: readonly DeploymentCondition[],
  { now, isProgress }: { readonly now: Instant; readonly isProgress: boolean },
): DeploymentCondition {
  const time = timestamp(now);
  const before = old.find(({ type }) => type === next.type);
  const isSame = before?.status === next.status && before.reason === next.reason;
  return {
    ...next,
    lastUpdateTime: isSame && !isProgress ? (before.lastUpdateTime ?? time) : time,
    lastTransitionTime: before?.status === next.status ? (before.lastTransitionTime ?? time) : time,
  };
}

function maxUnavailable(deployment: LiveDeployment, desired: number): number {
  if (deployment.spec?.strategy?.type === 'Recreate') return 0;
  const value = deployment.spec?.strategy?.rollingUpdate?.maxUnavailable ?? '25%';
  return typeof value === 'number' ? value : Math.floor((Number(value.replace('%', '')) * desired) / 100);
}
