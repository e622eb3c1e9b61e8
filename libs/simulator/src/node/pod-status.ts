import type { Instant } from '@ordinal/client';
import { timestamp } from '@ordinal/client';
import type { ContainerStatus, PodCondition, PodStatus } from 'kubernetes-types/core/v1.js';
import type { LivePod } from '../controllers/kinds.ts';
import type { SimulatedContainer } from './container.ts';

/** What the kubelet knows of a pod when it reports it. */
export interface PodObservation {
  readonly pod: LivePod;
  readonly now: Instant;
  readonly startedAt: Instant;
  readonly hostIp: string;
  readonly podIp: string | undefined;
  readonly initContainers: readonly SimulatedContainer[];
  readonly containers: readonly SimulatedContainer[];
  readonly initialized: boolean;
  /** Whether all containers have ended for good, because the pod was to be deleted. */
  readonly ended: boolean;
}

/** The pod's status as its node reports it: phase, conditions and containers. */
export function podStatus(observation: PodObservation): PodStatus {
  const { pod, hostIp, podIp, containers, initContainers, startedAt } = observation;
  const phase = phaseOf(observation);
  return {
    ...pod.status,
    phase,
    conditions: conditionsOf(observation, phase),
    hostIP: hostIp,
    hostIPs: [{ ip: hostIp }],
    ...(podIp !== undefined && { podIP: podIp, podIPs: [{ ip: podIp }] }),
    startTime: timestamp(startedAt),
    ...(initContainers.length > 0 && {
      initContainerStatuses: initContainers.map((container) => containerStatus(container, pod)),
    }),
    containerStatuses: containers.map((container) => containerStatus(container, pod)),
    qosClass: pod.status?.qosClass ?? 'BestEffort',
    ...(pod.metadata.generation !== undefined && { observedGeneration: pod.metadata.generation }),
  };
}

function phaseOf({
  pod,
  containers,
  initContainers,
  initialized,
  ended,
}: PodObservation): NonNullable<PodStatus['phase']> {
  const restartPolicy = pod.spec?.restartPolicy ?? 'Always';
  if (!initialized) {
    const failed = initContainers.some(({ exitCode = 0 }) => exitCode !== 0);
    return failed && (restartPolicy === 'Never' || ended) ? 'Failed' : ended ? 'Failed' : 'Pending';
  }
  const neverRan = containers.some((container) => container.isWaiting && container.lastExitCode === undefined);
  if (neverRan) return ended ? 'Failed' : 'Pending';
  if (containers.some(({ process }) => process !== undefined)) return 'Running';
  const allSucceeded = containers.every(({ lastExitCode }) => lastExitCode === 0);
  if (ended) return allSucceeded ? 'Succeeded' : 'Failed';
  if (restartPolicy === 'Always') return 'Running';
  if (allSucceeded) return 'Succeeded';
  return restartPolicy === 'Never' ? 'Failed' : 'Running';
}

function conditionsOf(observation: PodObservation, phase: string): PodCondition[] {
  const { pod, initialized, podIp, ended } = observation;
  const own: readonly PodCondition[] = [
    { type: 'PodReadyToStartContainers', status: podIp !== undefined && !ended ? 'True' : 'False' },
    initialized
      ? { type: 'Initialized', status: 'True', ...(phase === 'Succeeded' && { reason: 'PodCompleted' }) }
      : {
          type: 'Initialized',
          status: 'False',
          reason: 'ContainersNotInitialized',
          message: 'containers with incomplete status',
        },
    ...readiness(observation, phase),
  ];
  const old = pod.status?.conditions ?? [];
  const kept = old.filter(({ type }) => !own.some((condition) => condition.type === type));
  return [...own.map((condition) => withTransition(condition, old, observation)), ...kept];
}

/** The conditions `Ready` and `ContainersReady`; the first also asks the pod's readiness gates. */
function readiness({ pod, containers, initialized }: PodObservation, phase: string): readonly PodCondition[] {
  const isOver = phase === 'Succeeded' || phase === 'Failed';
  const unready = containers.filter((container) => !container.isReady).map(({ spec }) => spec.name);
  const isTrue = (gate: string): boolean =>
    pod.status?.conditions?.find(({ type }) => type === gate)?.status === 'True';
  const closed = (pod.spec?.readinessGates ?? []).find(({ conditionType }) => !isTrue(conditionType))?.conditionType;
  const unreadyReason = isOver
    ? { reason: phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed' }
    : { reason: 'ContainersNotReady', message: `containers with unready status: [${unready.join(' ')}]` };
  const gateReason = {
    reason: 'ReadinessGatesNotReady',
    message: `the status of pod readiness gate "${closed ?? ''}" is not "True"`,
  };
  if (isOver || !initialized || unready.length > 0) {
    return [
      { type: 'Ready', status: 'False', ...unreadyReason },
      { type: 'ContainersReady', status: 'False', ...unreadyReason },
    ];
  }
  const ready: PodCondition =
    closed === undefined ? { type: 'Ready', status: 'True' } : { type: 'Ready', status: 'False', ...gateReason };
  return [ready, { type: 'ContainersReady', status: 'True' }];
}

function withTransition(
  condition: PodCondition,
  old: readonly PodCondition[],
  { now, pod }: PodObservation,
): PodCondition {
  const before = old.find(({ type }) => type === condition.type);
  const lastTransitionTime =
    before?.status === condition.status ? (before.lastTransitionTime ?? timestamp(now)) : timestamp(now);
  return {
    ...condition,
    lastTransitionTime,
    ...(pod.metadata.generation !== undefined && { observedGeneration: pod.metadata.generation }),
  };
}

function containerStatus(container: SimulatedContainer, pod: LivePod): ContainerStatus {
  const { spec, isReady, restarts, started } = container;
  const image = spec.image ?? '';
  const hasRun = container.process !== undefined || container.lastExitCode !== undefined;
  return {
    name: spec.name,
    ...container.states(),
    ready: isReady,
    restartCount: restarts,
    image,
    imageID: hasRun ? `simulated://${image}` : '',
    ...(hasRun && { containerID: `simulated://${pod.metadata.uid}/${spec.name}/${restarts}` }),
    started,
  };
}
