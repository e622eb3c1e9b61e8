import type { Instant, Timer } from '@ordinal/client';
import type { Lease } from 'kubernetes-types/coordination/v1.js';
import type { Node, NodeCondition, Pod, Taint } from 'kubernetes-types/core/v1.js';
import { isApiError, timestamp, microTimestamp } from '@ordinal/client';
import { kinds } from '../controllers/kinds.ts';
import type { LivePod } from '../controllers/kinds.ts';
import { portsCollide, takenPorts } from '../controllers/scheduling/host-ports.ts';
import { hasEnded } from '../controllers/scheduling/occupants.ts';
import type { StoreEvent } from '../controllers/store.ts';
import type { NodeEnvironment } from './node-environment.ts';
import { PodWorker } from './pod-worker.ts';

/** How a node fails. With `power` the machine is off and its processes are gone; with `partition` they run on, but none of their messages arrives. */
export type NodeFailure = 'power' | 'partition';

/** A node of a simulated cluster. */
export interface NodeSetup {
  readonly name: string;
  /** Beside the host name, the operating system and the architecture. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly taints?: readonly Taint[] | undefined;
  readonly unschedulable?: boolean | undefined;
  /** What pods can have of it: 64 processors, 256 GiB and 500 pods by default. */
  readonly allocatable?: Readonly<Record<string, string>> | undefined;
}

/** What a kubelet works with. */
export interface KubeletEnvironment extends NodeEnvironment, NodeSetup {
  /** Called when the node falls silent, or is heard of again. */
  readonly changed: () => void;
}

const leasePeriodMs = 10_000;
const capacity = { cpu: '64', memory: '256Gi', pods: '500', 'ephemeral-storage': '1Ti' };

/**
 * A node with its kubelet. It runs the pods that are bound to it, and ends a pod's processes when the pod's deletion begins, whatever finalizers the
 * object has: a finalizer keeps an object, never a process.
 */
export class SimulatedNode {
  readonly name: string;
  private readonly environment: KubeletEnvironment;
  private readonly workers = new Map<string, PodWorker>();
  private readonly resumed = new Set<string>();
  private failure: NodeFailure | undefined;
  private silence: Instant | undefined;
  private lease: Timer | undefined;

  constructor(environment: Omit<KubeletEnvironment, 'isConnected'>) {
    this.name = environment.name;
    this.environment = { ...environment, isConnected: () => this.failure === undefined };
  }

  /** Since when no message of the node arrives; undefined while it is well. */
  get silentSince(): Instant | undefined {
    return this.silence;
  }

  /** Registers the node and keeps its lease alive. */
  start(): void {
    const { store, scheduler, ip, labels, taints, unschedulable, allocatable = capacity } = this.environment;
    const own = { 'kubernetes.io/hostname': this.name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' };
    const metadata = { name: this.name, labels: { ...own, ...labels } };
    const spec = { ...(taints && { taints: [...taints] }), ...(unschedulable && { unschedulable }) };
    const node = store.create<Node>(kinds.node, { metadata, spec, status: {} });
    store.updateStatus<Node>(kinds.node, {
      ...node,
      status: {
        addresses: [
          { type: 'InternalIP', address: ip },
          { type: 'Hostname', address: this.name },
        ],
        allocatable,
        capacity: allocatable,
        conditions: [this.readyCondition()],
      },
    });
    this.renewLease();
    scheduler.schedule(0, 'kubelet', () => this.listPods());
  }

  /** Whether the node's messages arrive. */
  get isReachable(): boolean {
    return this.failure === undefined;
  }

  /** Has the node fail. */
  fail(failure: NodeFailure): void {
    this.failure = failure;
    this.silence = this.environment.scheduler.now();
    this.lease?.cancel();
    this.environment.changed();
    if (failure === 'partition') return;
    for (const worker of this.workers.values()) worker.vanish();
    this.workers.clear();
  }

  /** The node comes back; what was powered off starts again. */
  recover(): void {
    if (this.failure === undefined) return;
    this.failure = undefined;
    this.silence = undefined;
    this.reconnect();
  }

  /** The kubelet connects to the API server again, unless the node has failed: it renews its lease and its status, and looks at all pods that it is to run. */
  reconnect(): void {
    if (this.failure !== undefined) return;
    this.lease?.cancel();
    this.renewLease();
    const { store } = this.environment;
    const node = store.find<Node>(kinds.node, '', this.name);
    if (node !== undefined) {
      const conditions = [
        this.readyCondition(),
        ...(node.status?.conditions ?? []).filter(({ type }) => type !== 'Ready'),
      ];
      store.updateStatus<Node>(kinds.node, { ...node, status: { ...node.status, conditions } });
    }
    this.listPods();
    for (const worker of this.workers.values()) worker.reportNow();
  }

  /** What runs the pod of this UID; undefined where the pod does not run on this node. */
  worker(uid: string): PodWorker | undefined {
    return this.workers.get(uid);
  }

  /** All pods that run here. */
  running(): Iterable<PodWorker> {
    return this.workers.values();
  }

  /** Acts on a change of a pod that is bound to this node. */
  observe(event: StoreEvent): void {
    if (this.failure !== undefined) return;
    const pod: LivePod = event.object;
    if (event.type === 'DELETED') {
      this.workers.get(pod.metadata.uid)?.abandon();
      this.workers.delete(pod.metadata.uid);
      return;
    }
    this.take(pod);
  }

  /** A pod runs here already, as its status says: when the kubelet begins, nothing of it is started again. */
  resume(pod: LivePod): void {
    if (pod.status?.phase === 'Running') this.resumed.add(pod.metadata.uid);
  }

  private listPods(): void {
    const { store } = this.environment;
    const pods = store.list<Pod>(kinds.pod).filter(({ spec }) => spec?.nodeName === this.name);
    for (const pod of pods) this.take(pod);
    const uids = new Set(pods.map(({ metadata }) => metadata.uid));
    for (const [uid, worker] of this.workers) {
      if (uids.has(uid)) continue;
      worker.abandon();
      this.workers.delete(uid);
    }
  }

  private take(pod: LivePod): void {
    const worker = this.workers.get(pod.metadata.uid);
    if (worker !== undefined) {
      worker.observe(pod);
      return;
    }
    if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') {
      if (pod.metadata.deletionTimestamp === undefined || pod.metadata.deletionGracePeriodSeconds === 0) return;
    }
    if (this.rejects(pod)) return;
    const life = this.resumed.delete(pod.metadata.uid) ? 'resumed' : 'new';
    const created = new PodWorker(pod, this.environment, life);
    this.workers.set(pod.metadata.uid, created);
    if (pod.metadata.deletionTimestamp !== undefined) created.observe(pod);
  }

  /** Fails a pod that was bound to the node although a port that it needs is taken. */
  private rejects(pod: LivePod): boolean {
    if (pod.status?.phase !== 'Pending' || pod.metadata.deletionTimestamp !== undefined) return false;
    const { store } = this.environment;
    const others = (): readonly LivePod[] =>
      store
        .list<Pod>(kinds.pod)
        .filter((other) => other.metadata.uid !== pod.metadata.uid && this.workers.has(other.metadata.uid))
        .filter((other) => !hasEnded(other));
    if (!(pod.spec?.containers ?? []).some(({ ports = [] }) => ports.some(({ hostPort = 0 }) => hostPort > 0)))
      return false;
    if (!portsCollide(pod, others())) return false;
    const message = `Pod was rejected: Predicate NodePorts failed: ${takenPorts}`;
    store.updateStatus<Pod>(kinds.pod, {
      ...pod,
      status: {
        ...pod.status,
        phase: 'Failed',
        reason: 'NodePorts',
        message,
        startTime: timestamp(this.environment.scheduler.now()),
      },
    });
    this.environment.event(pod, 'Warning', 'NodePorts', message);
    return true;
  }

  private readyCondition(): NodeCondition {
    const now = timestamp(this.environment.scheduler.now());
    const message = 'kubelet is posting ready status';
    return {
      type: 'Ready',
      status: 'True',
      reason: 'KubeletReady',
      message,
      lastHeartbeatTime: now,
      lastTransitionTime: now,
    };
  }

  private renewLease(): void {
    const { store, scheduler } = this.environment;
    const renewTime = microTimestamp(scheduler.now());
    const spec = { holderIdentity: this.name, leaseDurationSeconds: 40, renewTime };
    try {
      const lease = store.find<Lease>(kinds.lease, 'kube-node-lease', this.name);
      if (lease === undefined)
        store.create<Lease>(kinds.lease, { metadata: { name: this.name, namespace: 'kube-node-lease' }, spec });
      else store.update<Lease>(kinds.lease, { ...lease, spec: { ...lease.spec, ...spec } });
    } catch (error) {
      if (!isApiError(error)) throw error;
    }
    if (this.environment.renewsLease) this.lease = scheduler.schedule(leasePeriodMs, 'lease', () => this.renewLease());
  }
}
