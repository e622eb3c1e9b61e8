import type { Instant } from '@ordinal/client';
import { timestamp } from '@ordinal/client';
import type { ContainerStatus, PodCondition, PodStatus } from 'kubernetes-types/core/v1.js';
import type { LivePod } from '../controllers/kinds.ts';
import type { SimulatedContainer } from './container.ts';
import type { PendingResize } from './resize.ts';

/** What the kubelet knows of a pod when it reports it. */
export interface PodObservation {
  readonly pod: LivePod;
  readonly now: Instant;
  readonly startedAt: Instant;
  readonly hostIp: string;
  readonly podIp: string | undefined;
  readonly initContainers: readonly SimulatedContainer[];
  readonly containers: readonly SimulatedContainer[];
  readonly ephemeral: readonly SimulatedContainer[];
  /** Why the pod has not the resources that it asks for now. */
  readonly resize: PendingResize | undefined;
  readonly initialized: boolean;
  /** Whether all containers have ended for good, because the pod was to be deleted. */
  readonly ended: boolean;
  /** Why the pod fails although its containers may have ended well; undefined where their ends decide. */
  readonly failure: { readonly reason: string; readonly message: string } | undefined;
}

/** The pod's status as its node reports it: phase, conditions and containers. */
export function podStatus(observation: PodObservation): PodStatus {
  const { pod, hostIp, podIp, containers, initContainers, startedAt, ended, failure } = observation;
  const phase = phaseOf(observation);
  const asks = [...containers, ...initContainers].some(
    ({ spec }) => spec.resources?.requests !== undefined || spec.resources?.limits !== undefined,
  );
  return {
    ...pod.status,
    phase,
    ...(ended && failure),
    conditions: conditionsOf(observation, phase),
    hostIP: hostIp,
    hostIPs: [{ ip: hostIp }],
    ...(podIp !== undefined && { podIP: podIp, podIPs: [{ ip: podIp }] }),
    startTime: timestamp(startedAt),
    ...(initContainers.length > 0 && {
      initContainerStatuses: initContainers.map((container) =>
        containerStatus(container, isInitialized(container), asks),
      ),
    }),
    containerStatuses: containers.map((container) => containerStatus(container, container.isReady, asks)),
    ...(observation.ephemeral.length > 0 && {
      ephemeralContainerStatuses: observation.ephemeral.map((container) => containerStatus(container, false, asks)),
    }),
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
  failure,
}: PodObservation): NonNullable<PodStatus['phase']> {
  const restartPolicy = pod.spec?.restartPolicy ?? 'Always';
  if (ended && failure !== undefined) return 'Failed';
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
  const { pod, podIp, ended, resize } = observation;
  const own: readonly PodCondition[] = [
    { type: 'PodReadyToStartContainers', status: podIp !== undefined && !ended ? 'True' : 'False' },
    initialization(observation, phase),
    ...readiness(observation, phase),
    { type: 'PodScheduled', status: 'True' },
    ...(resize === undefined ? [] : [{ type: 'PodResizePending', status: 'True', ...resize }]),
  ];
  const old = pod.status?.conditions ?? [];
  const kept = old.filter(
    ({ type }) => type !== 'PodResizePending' && !own.some((condition) => condition.type === type),
  );
  return [...own.map((condition) => withTransition(condition, old, observation)), ...kept];
}

const isSidecar = ({ spec }: SimulatedContainer): boolean =>
  (spec as { readonly restartPolicy?: string }).restartPolicy === 'Always';

/** Whether the containers after this init container may start. */
const isInitialized = (container: SimulatedContainer): boolean =>
  isSidecar(container) ? container.isReady : container.exitCode === 0;

/** The condition `Initialized`. A pod that was initialized once stays so, whatever becomes of its sidecars. */
function initialization({ containers, initContainers }: PodObservation, phase: string): PodCondition {
  if (phase === 'Succeeded') return { type: 'Initialized', status: 'True', reason: 'PodCompleted' };
  const hasStarted = containers.some(
    ({ process, lastExitCode }) => process !== undefined || lastExitCode !== undefined,
  );
  const incomplete = initContainers.filter((container) =>
    isSidecar(container) ? !container.started : container.exitCode !== 0,
  );
  if (hasStarted || incomplete.length === 0) return { type: 'Initialized', status: 'True' };
  const message = `containers with incomplete status: ${listOf(incomplete)}`;
  return { type: 'Initialized', status: 'False', reason: 'ContainersNotInitialized', message };
}

/** Names as Go prints a list of them. */
const listOf = (containers: readonly SimulatedContainer[]): string =>
  `[${containers.map(({ spec }) => spec.name).join(' ')}]`;

/** The conditions `Ready` and `ContainersReady`; the first also asks the pod's readiness gates. */
function readiness(
  { pod, containers, initContainers, initialized }: PodObservation,
  phase: string,
): readonly PodCondition[] {
  const isOver = phase === 'Succeeded' || phase === 'Failed';
  const unready = [...initContainers.filter(isSidecar), ...containers].filter((container) => !container.isReady);
  const closed = closedGates(pod);
  const unreadyReason = isOver
    ? { reason: phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed' }
    : { reason: 'ContainersNotReady', message: `containers with unready status: ${listOf(unready)}` };
  const gateReason = { reason: 'ReadinessGatesNotReady', message: closed.join(', ') };
  if (isOver || !initialized || unready.length > 0) {
    return [
      { type: 'Ready', status: 'False', ...unreadyReason },
      { type: 'ContainersReady', status: 'False', ...unreadyReason },
    ];
  }
  const ready: PodCondition =
    closed.length === 0 ? { type: 'Ready', status: 'True' } : { type: 'Ready', status: 'False', ...gateReason };
  return [ready, { type: 'ContainersReady', status: 'True' }];
}

/** What is wrong with the pod's readiness gates, in the kubelet's words. */
function closedGates({ spec, status }: LivePod): readonly string[] {
  return (spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const condition = status?.conditions?.find(({ type }) => type === conditionType);
    if (condition === undefined)
      return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    return condition.status === 'True'
      ? []
      : [`the status of pod readiness gate "${conditionType}" is not "True", but ${condition.status}`];
  });
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

/** What a container has got, in a pod that asks for something. */
function resourcesOf({ spec, process }: SimulatedContainer): Pick<ContainerStatus, 'allocatedResources' | 'resources'> {
  if (process === undefined) return {};
  const { resources = {} } = spec;
  return { ...(resources.requests && { allocatedResources: resources.requests }), resources };
}

function containerStatus(container: SimulatedContainer, ready: boolean, asks: boolean): ContainerStatus {
  const { spec, restarts, started } = container;
  // While a container ends because its image was changed, it is still of the one before.
  const image = container.process?.view.image ?? spec.image ?? '';
  const hasRun = container.process !== undefined || container.lastExitCode !== undefined;
  return {
    name: spec.name,
    ...container.states(),
    ready,
    restartCount: restarts,
    image,
    imageID: hasRun ? `simulated://${image}` : '',
    ...(hasRun && { containerID: container.id }),
    started,
    ...(asks && resourcesOf(container)),
  };
}
