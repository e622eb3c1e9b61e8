import type { Instant, Timer } from '@ordinal/client';
import { instantOf, isApiError } from '@ordinal/client';
import type { Container, Pod } from 'kubernetes-types/core/v1.js';
import { kinds } from '../controllers/kinds.ts';
import type { LivePod } from '../controllers/kinds.ts';
import { isTerminating } from '../controllers/owner.ts';
import { SimulatedContainer } from './container.ts';
import { ContainerLog } from './container-log.ts';
import { environmentOf, volumesAreThere } from './environment.ts';
import { describedProcess } from './described-process.ts';
import type { PodFacts } from './downward.ts';
import { mountMistake } from './mounts.ts';
import type { NodeEnvironment } from './node-environment.ts';
import { podStatus } from './pod-status.ts';
import { lastMessage } from './termination-message.ts';
import type { SimulatedProcess } from './process.ts';
import type { ContainerProcess } from './program.ts';
import type { PendingResize } from './resize.ts';
import { pendingResize, withFormerResources } from './resize.ts';

const volumeRetryMs = 200;
const resizeRetryMs = 10_000;
const pastDeadline = {
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
};
const reportDelayMs: readonly [number, number] = [1, 2];

/** One pod on its node, from the time it was bound there until its containers have ended. */
export class PodWorker {
  readonly uid: string;
  /** What the containers have written, by their names: in this life, and in the one before. */
  readonly logs = new Map<string, { readonly current: ContainerLog; readonly previous?: ContainerLog }>();
  podIp: string | undefined;
  /** What the containers have set as the message that they end with. */
  private readonly messages = new Map<string, string>();
  private readonly node: NodeEnvironment;
  private readonly startedAt: Instant;
  private pod: LivePod;
  private initContainers: SimulatedContainer[] = [];
  private containers: SimulatedContainer[] = [];
  private readonly ephemeral: SimulatedContainer[] = [];
  /** Why the pod has not the resources that it asks for now. */
  private resize: PendingResize | undefined;
  private nextInit = 0;
  private state: 'preparing' | 'running' | 'stopping' | 'ended' = 'preparing';
  private report: Timer | undefined;
  private deadline: Timer | undefined;
  /** Why the pod is to fail whatever its containers have come to, as its status says. */
  private failure: { readonly reason: string; readonly message: string } | undefined;
  private retry: Timer | undefined;

  /** `resumed`: the pod runs already, as its status says. */
  constructor(pod: LivePod, node: NodeEnvironment, life: 'new' | 'resumed' = 'new') {
    this.uid = pod.metadata.uid;
    this.pod = pod;
    this.node = node;
    this.startedAt = (life === 'resumed' ? instantOf(pod.status?.startTime) : undefined) ?? node.scheduler.now();
    this.containers = (pod.spec?.containers ?? []).map((spec) => this.makeContainer(spec));
    this.initContainers = (pod.spec?.initContainers ?? []).map((spec) => this.makeContainer(spec));
    this.nextInit = 0;
    this.reportSoon();
    this.awaitDeadline();
    if (life === 'resumed') this.resume();
    else this.prepare();
  }

  /** A container by name, or the first. */
  container(name?: string): SimulatedContainer | undefined {
    if (name === undefined) return this.containers[0];
    return [...this.containers, ...this.initContainers, ...this.ephemeral].find(({ spec }) => spec.name === name);
  }

  /** The process that listens at a port of the pod: the one whose container declares it, or whose program says so; undefined where none does. */
  processAt(port: number): SimulatedProcess | undefined {
    const all = [...this.containers, ...this.initContainers, ...this.ephemeral];
    const declaring = all.filter(({ spec }) => spec.ports?.some(({ containerPort }) => containerPort === port));
    const listening = all.filter(({ process }) => process?.program.ports?.includes(port));
    return [...declaring, ...listening].find(({ process }) => process !== undefined)?.process;
  }

  /** Takes notice of the pod's present state in the API. */
  observe(pod: LivePod): void {
    const before = this.pod;
    this.pod = pod;
    if (isTerminating(pod) && (this.state === 'preparing' || this.state === 'running'))
      this.stop(pod.metadata.deletionGracePeriodSeconds ?? 30);
    else if (isTerminating(pod) && this.state === 'ended') this.finish();
    else if (pod.spec?.readinessGates !== undefined || pod.metadata.generation !== before.metadata.generation)
      this.reportSoon();
    if (pod.metadata.generation !== before.metadata.generation) this.changeContainers();
    if (pod.spec?.activeDeadlineSeconds !== before.spec?.activeDeadlineSeconds) this.awaitDeadline();
  }

  private changeContainers(): void {
    const all = [...this.containers, ...this.initContainers].map(({ spec }) => spec);
    const wanted = [...(this.pod.spec?.containers ?? []), ...(this.pod.spec?.initContainers ?? [])];
    const resized = withFormerResources(wanted, all).some((spec, index) => spec !== wanted[index]);
    this.resize = resized ? pendingResize(this.pod, this.node) : undefined;
    const specs = this.resize === undefined ? wanted : withFormerResources(wanted, all);
    if (this.resize?.reason === 'Deferred')
      this.retry = this.node.scheduler.schedule(resizeRetryMs, 'resize', () => {
        this.changeContainers();
        this.reportSoon();
      });
    this.addEphemeral();
    const graceMs = (this.pod.spec?.terminationGracePeriodSeconds ?? 30) * 1000;
    for (const container of [...this.containers, ...this.initContainers]) {
      const spec = specs.find(({ name }) => name === container.spec.name);
      if (spec !== undefined) container.change(spec, graceMs);
    }
  }

  /** Starts containers that were added while the pod runs. */
  private addEphemeral(): void {
    if (this.state !== 'running') return;
    for (const added of this.pod.spec?.ephemeralContainers ?? []) {
      if (this.ephemeral.some(({ spec }) => spec.name === added.name)) continue;
      // It has no fields that a container has not.
      const container = this.makeContainer(added as Container, 'Never');
      this.ephemeral.push(container);
      container.start();
    }
  }

  /** Ends the containers of a pod that is gone from the API already. */
  abandon(): void {
    if (this.state === 'preparing' || this.state === 'running')
      this.stop(this.pod.metadata.deletionGracePeriodSeconds ?? 30);
  }

  /** The machine is gone. */
  vanish(): void {
    this.state = 'ended';
    this.report?.cancel();
    this.retry?.cancel();
    this.deadline?.cancel();
    for (const container of [...this.initContainers, ...this.containers, ...this.ephemeral]) container.vanish();
  }

  /** Reports the pod's state to the API server when it has changed. */
  reportNow(): void {
    this.report?.cancel();
    this.report = undefined;
    if (!this.node.isConnected()) return;
    const pod = this.stored();
    if (pod === undefined) return;
    const { podIp, startedAt, initContainers, containers, node } = this;
    const ended = this.state === 'ended';
    const status = podStatus({
      pod,
      now: node.scheduler.now(),
      startedAt,
      hostIp: node.ip,
      podIp,
      initContainers,
      containers,
      ephemeral: this.ephemeral,
      resize: this.resize,
      initialized: this.nextInit >= initContainers.length && this.state !== 'preparing',
      ended,
      failure: this.failure,
    });
    if (JSON.stringify(status) === JSON.stringify(pod.status)) return;
    try {
      this.pod = node.store.updateStatus<Pod>(kinds.pod, { ...pod, status });
    } catch (error) {
      if (!isApiError(error)) throw error;
      if (error.code !== 'NotFound') node.scheduler.schedule(1000, 'kubelet', () => this.reportSoon());
    }
  }

  private stored(): LivePod | undefined {
    const pod = this.node.store.find<Pod>(kinds.pod, this.pod.metadata.namespace ?? '', this.pod.metadata.name);
    // Where the store went back to before its binding, it may run on another node by now.
    return pod?.metadata.uid === this.uid && pod.spec?.nodeName === this.node.name ? pod : undefined;
  }

  private prepare(): void {
    const { scheduler, nextPodIp } = this.node;
    if (this.state !== 'preparing') return;
    if (!volumesAreThere(this.pod, this.node.store)) {
      this.retry = scheduler.schedule(volumeRetryMs, 'volumes', () => this.prepare());
      return;
    }
    this.state = 'running';
    // On the network of its node, a pod has that one's address.
    this.podIp = this.pod.spec?.hostNetwork === true ? this.node.ip : nextPodIp();
    this.startNext();
  }

  private resume(): void {
    const { status } = this.pod;
    this.state = 'running';
    this.podIp = status?.podIP ?? this.node.nextPodIp();
    this.nextInit = this.initContainers.length;
    const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
    for (const container of [...this.initContainers, ...this.containers]) {
      const known = statuses.find(({ name }) => name === container.spec.name);
      if (known) container.resume(known);
      else container.start();
    }
  }

  private startNext(): void {
    const next = this.initContainers[this.nextInit];
    if (next !== undefined) next.start();
    else for (const container of this.containers) container.start();
  }

  private changed(container: SimulatedContainer): void {
    if (this.state === 'running' && container === this.initContainers[this.nextInit] && this.isPassed(container)) {
      this.nextInit += 1;
      this.startNext();
    }
    this.reportSoon();
  }

  /** Whether the containers after this init container may start: it has succeeded or, as a sidecar, started. */
  private isPassed(container: SimulatedContainer): boolean {
    const isSidecar = (container.spec as { readonly restartPolicy?: string }).restartPolicy === 'Always';
    return isSidecar ? container.started : container.exitCode === 0;
  }

  /** Fails the pod when it has been active for as long as it may be. */
  private awaitDeadline(): void {
    this.deadline?.cancel();
    this.deadline = undefined;
    const seconds = this.pod.spec?.activeDeadlineSeconds;
    if (seconds === undefined || (this.state !== 'preparing' && this.state !== 'running')) return;
    const { scheduler, event } = this.node;
    const left = Math.max(0, this.startedAt + seconds * 1000 - scheduler.now());
    this.deadline = scheduler.schedule(left, 'deadline', () => {
      this.failure = pastDeadline;
      event(this.pod, 'Normal', pastDeadline.reason, pastDeadline.message);
      this.stop(this.pod.spec?.terminationGracePeriodSeconds ?? 30);
    });
  }

  private stop(graceSeconds: number): void {
    this.state = 'stopping';
    this.retry?.cancel();
    this.deadline?.cancel();
    const all = [...this.containers, ...this.initContainers, ...this.ephemeral];
    let left = all.length;
    const ended = (): void => {
      left -= 1;
      if (left > 0) return;
      this.state = 'ended';
      this.node.scheduler.schedule(1, 'kubelet', () => this.finish());
    };
    for (const container of all) container.stop(graceSeconds * 1000, ended);
    this.reportSoon();
  }

  /** Reports the end, then has the object removed: a client that holds it with a finalizer keeps an object, not a process. */
  private finish(): void {
    this.reportNow();
    const pod = this.stored();
    if (pod === undefined || !this.node.isConnected()) return;
    this.node.volumes.discardPod(this.uid);
    // A pod that is not being deleted any more, in a store that went back, is one that has ended.
    if (!isTerminating(pod) || pod.metadata.deletionGracePeriodSeconds === 0) return;
    try {
      this.node.store.delete(kinds.pod, pod, { uid: this.uid, gracePeriodSeconds: 0 });
    } catch (error) {
      if (!isApiError(error, 'NotFound', 'Conflict')) throw error;
    }
  }

  private reportSoon(): void {
    this.report ??= this.node.scheduler.scheduleBetween(reportDelayMs, 'kubelet', () => this.reportNow());
  }

  private makeContainer(spec: Container, ownPolicy?: 'Never'): SimulatedContainer {
    const { scheduler, images, event } = this.node;
    const isSidecar = (spec as { readonly restartPolicy?: string }).restartPolicy === 'Always';
    const isInit = (this.pod.spec?.initContainers ?? []).includes(spec) && !isSidecar;
    const podPolicy = this.pod.spec?.restartPolicy ?? 'Always';
    const container: SimulatedContainer = new SimulatedContainer({
      spec,
      // An init container runs to its end; it is repeated unless the pod never repeats anything.
      restartPolicy:
        ownPolicy ??
        (isInit
          ? podPolicy === 'Never'
            ? 'Never'
            : 'OnFailure'
          : isSidecar
            ? 'Always'
            : (podPolicy as 'Always' | 'OnFailure' | 'Never')),
      waitsFor: (this.pod.spec?.initContainers ?? []).length > 0 ? 'PodInitializing' : 'ContainerCreating',
      idOf: (restarts) => `simulated://${this.uid}/${spec.name}/${restarts}`,
      scheduler,
      program: () => images.of(container.spec),
      describe: (terminated, restarts) => this.describe(container.spec, terminated, restarts),
      obstacle: () => {
        const environment = environmentOf(container.spec, this.facts);
        const mistake =
          'missing' in environment ? environment.missing : mountMistake(container.spec, environment.values);
        return mistake === undefined ? undefined : ['CreateContainerConfigError', mistake];
      },
      changed: () => {
        if (container.process === undefined) this.logs.get(spec.name)?.current.end();
        this.changed(container);
      },
      mateAt: (port) => this.processAt(port),
      event: (type, reason, message) => event(this.pod, type, reason, message),
      messageOf: (exitCode) =>
        lastMessage(container.spec, {
          exitCode,
          reported: this.messages.get(spec.name),
          lines: this.logs.get(spec.name)?.current.lines ?? [],
        }),
    });
    return container;
  }

  private get facts(): PodFacts {
    const { pod, node, podIp = '' } = this;
    return { pod, podIp, hostIp: node.ip, store: node.store };
  }

  private describe(spec: Container, terminated: AbortSignal, restarts: number): Omit<ContainerProcess, 'startedAt'> {
    const { pod, node, podIp = '' } = this;
    const environment = environmentOf(spec, this.facts);
    const log = new ContainerLog();
    const before = this.logs.get(spec.name)?.current;
    this.logs.set(spec.name, { current: log, ...(before && { previous: before }) });
    this.messages.delete(spec.name);
    const env = 'values' in environment ? environment.values : {};
    return {
      ...describedProcess({ pod, spec, podIp, node, restarts, terminated, env }),
      env,
      log: (line) => log.append(line, node.scheduler.now()),
      report: (message) => this.messages.set(spec.name, message),
    };
  }
}
