import type { Client, Clock, Instant, KubernetesObject, Random, Transport } from '@ordinal/client';
import { createClient } from '@ordinal/client';
import type { Namespace, Pod } from 'kubernetes-types/core/v1.js';
import type { StorageClass } from 'kubernetes-types/storage/v1.js';
import { admit, permit } from '../api-server/authorization/permit.ts';
import { administrator, ApiServer } from '../api-server/index.ts';
import type { Identity, WebhookCaller } from '../api-server/index.ts';
import { builtinControllers } from '../controllers/builtin.ts';
import { EventPublisher } from '../controllers/events.ts';
import { GarbageCollector } from '../controllers/garbage-collector/collector.ts';
import { kinds } from '../controllers/kinds.ts';
import type { LivePod } from '../controllers/kinds.ts';
import { controllerIdentity, runControllers } from '../controllers/runner.ts';
import { ServerStore } from '../controllers/server-store.ts';
import type { Store } from '../controllers/store.ts';
import { SimulatedNode } from '../node/kubelet.ts';
import type { NodeSetup } from '../node/kubelet.ts';
import { Network } from '../node/network.ts';
import type { HttpHandler } from '../node/network.ts';
import type { FetchLike } from '../node/fetch-like.ts';
import { ImageRegistry } from '../node/program.ts';
import type { ImageProgram } from '../node/program.ts';
import type { PodWorker } from '../node/pod-worker.ts';
import type { SimulatedProcess } from '../node/process.ts';
import { VolumeStore } from '../node/volumes.ts';
import { VolumeTokens } from '../node/volume-tokens.ts';
import { podToken } from './pod-token.ts';
import { Scheduler } from '../scheduler/scheduler.ts';
import type { RunOptions, RunOutcome } from '../scheduler/scheduler.ts';
import { compiledKinds, installDefinitions } from './definitions.ts';
import { ObjectReader } from './objects.ts';
import { Operator } from './operator.ts';
import type { OperatorStart } from './operator.ts';
import { attachHosts } from './pod-network.ts';
import { PodTransport } from './pod-transport.ts';
import type { EndpointSource } from './service-endpoints.ts';
import type { TestCluster } from './test-cluster.ts';
import { Trace } from './trace.ts';
import { recordWrites } from './record.ts';
import { putObjects } from './seed.ts';
import { webhookCaller } from './webhooks.ts';

/** How a simulated cluster is set up. */
export interface ClusterOptions {
  /** CustomResourceDefinitions: YAML texts, or objects. */
  readonly crds?: readonly (string | object)[];
  /** The seed of everything that is left to chance. 1 by default. */
  readonly seed?: number;
  /** How many nodes there are (`node-1`, …), or which. Three by default. */
  readonly nodes?: number | readonly NodeSetup[];
  /** `virtual` by default: the clock jumps from event to event. A number: wall-clock time, `2` being twice as fast. */
  readonly pace?: 'virtual' | number;
  /** The start time. The start of 2026 in virtual time, else now. */
  readonly startsAt?: Instant;
  /** Namespaces beside `default` and the system's. */
  readonly namespaces?: readonly string[];
  /**
   * What is there from the beginning, as it is: UIDs, statuses, owner references and managed fields are kept, nothing is validated, and pods that run on one of the
   * nodes run on. Such as the objects of a real cluster. Their namespaces have to be there, and the definitions of their kinds.
   */
  readonly objects?: readonly KubernetesObject[];
  /** Whether there is a class of storage, `standard`, that is the default. True by default; a cluster that is given its `objects` may have others. */
  readonly storageClass?: boolean;
  /** Whether controllers and kubelets publish events. True by default; a search of thousands of histories is quicker without them. */
  readonly events?: boolean;
  /** Whether Services get Endpoints and EndpointSlices. True by default; a search that does not read them is quicker without them. */
  readonly endpoints?: boolean;
  /** Whether permissions are checked; operators and clients with an identity of their own then need roles. Not by default. */
  readonly rbac?: boolean;
  /** Calls admission webhooks whose `url` names a host that is no part of the simulation, such as `httpsWebhooks` for a cluster that keeps to the wall clock. */
  readonly webhooks?: WebhookCaller;
  /**
   * Whether objects are completed as by a real server. Pods get the token of their service account, the priority of their class and what their runtime class asks
   * for, and are refused where one of these does not exist. The cluster has the Service `kubernetes`, and an IPAddress for each Service. Not by default.
   */
  readonly serviceAccounts?: boolean;
  /** `false`: no controllers, as in a bare control plane; nodes run all the same. */
  readonly controllers?: boolean;
}

const numbered = (number: number): NodeSetup => ({ name: `node-${number}` });

const standardClass = {
  metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: 'simulated.ordinal.dev/volume',
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'Immediate',
  allowVolumeExpansion: true,
} as const;

const quietKinds = new Set(['leases.coordination.k8s.io', 'events', 'events.events.k8s.io']);
const settledAfterMs = 60_000;
const compactionPeriodMs = 300_000;
/** How many recorded times, and how many entries of its trace, a cluster on the wall clock keeps: it may run for days. */
const wallClockMemory = 2_000;

/**
 * A Kubernetes cluster in the process: API server, controllers, nodes and the network around them, on one seeded scheduler with its own clock. The same
 * seed and the same requests give the same history, to the byte.
 *
 * @example
 * ```ts
 * const cluster = await SimulatedCluster.start({ seed: 7 });
 * cluster.image('cache:1', { startsIn: 2000 });
 * await cluster.client()(statefulSets).namespace('default').create(mySet);
 * await cluster.run({ until: () => cluster.objects.list(pods, 'default').length === 3 });
 * ```
 */
export class SimulatedCluster implements TestCluster {
  readonly clock: Clock;
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly server: ApiServer;
  readonly network: Network;
  readonly images = new ImageRegistry();
  readonly volumes = new VolumeStore(
    new VolumeTokens(
      (pod, order) => podToken(this.server, pod, order),
      () => this.scheduler.now(),
    ),
  );
  /** The objects as they are now. */
  readonly objects: ObjectReader;
  /** Everything that happened, in order; on the wall clock only the latest. */
  readonly trace: Trace;
  /** The start time. */
  readonly startedAt: Instant;
  private readonly options: ClusterOptions;
  private readonly allNodes = new Map<string, SimulatedNode>();
  private readonly allOperators: Operator[] = [];
  private readonly stops: (() => void)[] = [];
  /** The last revision of each time. */
  private readonly revisions: { readonly at: Instant; revision: number }[] = [];
  private nodeChanged: (name: string) => void = () => undefined;
  private lastChange: Instant;
  private podAddresses = 0;
  private readonly restoredAt: Instant[] = [];
  private isStopped = false;

  private constructor(options: ClusterOptions) {
    this.options = options;
    this.trace = new Trace(typeof options.pace === 'number' ? wallClockMemory : undefined);
    this.scheduler = new Scheduler({
      seed: options.seed ?? 1,
      ...(options.pace !== undefined && { pace: options.pace }),
      ...(options.startsAt !== undefined && { startsAt: options.startsAt }),
    });
    this.clock = this.scheduler.clock;
    this.random = this.scheduler.random;
    this.startedAt = this.scheduler.now();
    this.lastChange = this.startedAt;
    this.network = new Network(this.scheduler);
    this.server = new ApiServer({
      clock: this.clock,
      random: this.scheduler.randomFor('api-server'),
      compiled: compiledKinds,
      webhooks: webhookCaller(this.network, this.scheduler, options.webhooks),
      requiresNamespaces: true,
      completes: options.serviceAccounts === true,
      authorizes: options.rbac === true,
    });
    this.objects = new ObjectReader(this.server);
  }

  /** Starts a cluster. In virtual time nothing moves until `run`, `settle`, `advance` or `play` is called. */
  static async start(options: ClusterOptions = {}): Promise<SimulatedCluster> {
    const cluster = new SimulatedCluster(options);
    await cluster.boot();
    return cluster;
  }

  /** The way to the API server for a client of the test. Replies are there at once and take no virtual time. */
  transport(identity?: Identity): Transport {
    return this.wayOf(identity, 'ordinal-test');
  }

  /** Whose token of a service account it is; undefined for any other text. One that counts for nothing is refused. */
  authenticate(token: string): Identity | 'refused' | undefined {
    return this.server.authenticate(token);
  }

  /** A client of the test; as the cluster's administrator, by default. */
  client(identity?: Identity): Client {
    return createClient({ transport: this.transport(identity), clock: this.clock, random: this.random });
  }

  /** `fetch` in virtual time: reaches pods, services and external services. Its promise settles while the cluster runs. */
  get http(): FetchLike {
    return this.network.fetchAs('test');
  }

  /** Gives an image its program; pods that are started later run it. */
  image(reference: string, program: ImageProgram | undefined): void {
    this.images.set(reference, program);
  }

  /** Puts a service of the test on the network, at an origin such as `http://monitor.example`; without a handler, takes it away. */
  external(origin: string, handler: HttpHandler | undefined): void {
    this.network.external(origin, handler);
  }

  /** A node by name (`node-1`, …). Throws a `TypeError` where there is none. */
  node(name: string): SimulatedNode {
    const node = this.allNodes.get(name);
    if (node === undefined)
      throw new TypeError(`there is no node ${name}: there are ${[...this.allNodes.keys()].join(', ')}`);
    return node;
  }

  /** All nodes. */
  get nodes(): readonly SimulatedNode[] {
    return [...this.allNodes.values()];
  }

  /** All operators that were started, running or not. */
  get operators(): readonly Operator[] {
    return this.allOperators;
  }

  /**
   * Runs an operator inside the simulation, where it can be crashed, restarted and lied to. It begins when the cluster runs. It is an administrator,
   * unless an identity is given.
   */
  operator(name: string, start: OperatorStart, identity?: Identity): Operator {
    const { scheduler, network, trace } = this;
    const revisionAt = (instant: Instant): number => this.revisionAt(instant);
    const operator = new Operator({
      name,
      start,
      transport: (user, userAgent) => this.wayOf(user, userAgent),
      scheduler,
      network,
      trace,
      revisionAt,
      ...(identity !== undefined && { identity }),
    });
    this.allOperators.push(operator);
    operator.start();
    return operator;
  }

  /** The process in a container of a pod, while it runs; of its first container, unless another is named. */
  process(namespace: string, pod: string, container?: string): SimulatedProcess | undefined {
    const found = this.server.store.get('pods', `${namespace}/${pod}`) as LivePod | undefined;
    return (found && this.workerOf(found))?.container(container)?.process;
  }

  /** The times at which etcd was restored to an older state. What an observer remembers from before the last one may belong to a history that is lost. */
  get restores(): readonly Instant[] {
    return this.restoredAt;
  }

  /**
   * Restores etcd from a backup of this time, and starts the API server again. What has happened outside of etcd since, on nodes and volumes, stays; kubelets
   * list their pods again. Returns the time of the restored state, which is later than `instant` where the history does not go back so far.
   */
  restore(instant: Instant): Instant {
    const { server, scheduler } = this;
    const first = this.revisions.findIndex(({ revision }) => revision >= server.store.compacted);
    const later = this.revisions.findIndex(({ at }) => at > instant);
    const kept = Math.max(later < 0 ? this.revisions.length : later, first + 1);
    const { at, revision } = this.revisions[kept - 1] as { readonly at: Instant; readonly revision: number };
    this.trace.add({ at: scheduler.now(), actor: 'etcd', action: 'restore', subject: `revision ${revision}` });
    this.revisions.splice(kept);
    this.restoredAt.push(scheduler.now());
    for (const operator of this.operators) operator.endTravel();
    server.restore(revision);
    this.lastChange = scheduler.now();
    for (const node of this.allNodes.values()) scheduler.schedule(1, 'kubelet', () => node.reconnect());
    return at;
  }

  /** Runs the cluster until `until` is true, nothing is left to do, or the time is over. */
  run(options: RunOptions = {}): Promise<RunOutcome> {
    return this.scheduler.run(options);
  }

  /** Runs a cluster that keeps to the wall clock until it is stopped: for demonstrations, and for clients from outside such as `kubectl`. */
  async keepRunning(): Promise<void> {
    if (this.options.pace === undefined || this.options.pace === 'virtual') {
      throw new TypeError('a cluster in virtual time has no end of its own: give it a pace to keep it running');
    }
    await this.run({ until: () => this.isStopped, maxVirtualMs: Infinity });
  }

  /** Lets this many milliseconds pass. */
  advance(delayMs: number): Promise<void> {
    return this.scheduler.advance(delayMs);
  }

  /**
   * Runs the cluster until nothing but leases and events was written for a minute of its time. Answers whether it came to rest within
   * `maxVirtualMs` (an hour by default).
   */
  async settle(options: { readonly maxVirtualMs?: number; readonly quietMs?: number } = {}): Promise<boolean> {
    const { maxVirtualMs = 3_600_000, quietMs = settledAfterMs } = options;
    this.lastChange = this.scheduler.now();
    const outcome = await this.run({ until: () => this.scheduler.now() - this.lastChange >= quietMs, maxVirtualMs });
    return outcome !== 'timeout';
  }

  /** Runs the cluster until an asynchronous scenario has ended. Rejects with its error, or after `maxVirtualMs` (an hour by default) of the cluster's time. */
  async play<T>(scenario: () => Promise<T>, maxVirtualMs = 3_600_000): Promise<T> {
    let ended: { readonly value: T } | { readonly error: unknown } | undefined;
    scenario().then(
      (value) => (ended = { value }),
      (error: unknown) => (ended = { error }),
    );
    await this.run({ until: () => ended !== undefined, maxVirtualMs });
    if (ended === undefined)
      throw new Error(`the scenario did not end within ${maxVirtualMs / 1000} s of the cluster's time`);
    if ('error' in ended) throw ended.error;
    return ended.value;
  }

  /** Ends operators and controllers. */
  stop(): void {
    this.isStopped = true;
    // Wakes a run that waits for the wall clock.
    this.scheduler.schedule(0, 'stop', () => undefined);
    for (const operator of this.allOperators) operator.crash();
    for (const node of this.allNodes.values()) node.fail('power');
    for (const stop of this.stops.splice(0)) stop();
  }

  private async boot(): Promise<void> {
    const { server, scheduler, options } = this;
    this.stops.push(recordWrites(server, scheduler, this.trace));
    const store = new ServerStore(server, { name: 'system:admin', groups: ['system:masters'] }, 'kubeadm');
    for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease', ...(options.namespaces ?? [])]) {
      if (store.find<Namespace>(kinds.namespace, '', name) === undefined)
        store.create<Namespace>(kinds.namespace, { metadata: { name } });
    }
    if (options.storageClass !== false) store.create<StorageClass>(kinds.storageClass, standardClass);
    await installDefinitions(options.crds ?? [], server);
    this.revisions.push({ at: this.startedAt, revision: server.store.revision });
    this.stops.push(
      server.store.subscribe(({ kind, revision, restored }) => {
        if (restored !== true) this.noteRevision(revision);
        if (!quietKinds.has(kind)) this.lastChange = scheduler.now();
      }),
    );
    if (options.controllers !== false) {
      const definitions = builtinControllers({
        discard: (volume) => this.volumes.discard(volume),
        silentSince: (node) => this.allNodes.get(node)?.silentSince,
        endpoints: options.endpoints !== false,
        rbac: options.rbac === true,
      });
      const running = runControllers(definitions, {
        storeOf: (controller) => new ServerStore(server, controllerIdentity(controller), 'kube-controller-manager'),
        subscribe: (listener) => server.store.subscribe(listener),
        scheduler,
        publishEvents: options.events !== false,
      });
      this.stops.push(running.stop);
      this.nodeChanged = (name) => running.wake('node-lifecycle-controller', { namespace: '', name });
      const collector = new GarbageCollector(server, scheduler);
      this.stops.push(() => collector.stop());
    }
    const { nodes = 3 } = options;
    const setups = typeof nodes === 'number' ? Array.from({ length: nodes }, (_, index) => numbered(index + 1)) : nodes;
    for (const [index, setup] of setups.entries()) this.addNode(setup, index + 1);
    const reaches = (pod: LivePod): boolean => this.reaches(pod);
    attachHosts(this.network, {
      ...this.endpointSource(store),
      scheduler,
      workerOf: (pod) => this.workerOf(pod),
      reaches,
    });
    this.stops.push(this.notifyNodes());
    if (typeof this.options.pace === 'number') this.forgetLater(server.store.revision);
    for (const pod of putObjects(options.objects ?? [], server))
      this.allNodes.get(pod.spec?.nodeName ?? '')?.resume(pod);
  }

  /** On the wall clock etcd forgets what was before this revision, five minutes from now. In virtual time all of a history can be looked back on. */
  private forgetLater(revision: number): void {
    const { server, scheduler } = this;
    scheduler.schedule(compactionPeriodMs, 'compaction', () => {
      server.store.compact(revision);
      this.forgetLater(server.store.revision);
    });
  }

  private workerOf(pod: LivePod): PodWorker | undefined {
    return this.allNodes.get(pod.spec?.nodeName ?? '')?.worker(pod.metadata.uid);
  }

  private endpointSource(store: Store): EndpointSource {
    const { controllers, endpoints } = this.options;
    return { store, keepsSlices: controllers !== false && endpoints !== false };
  }

  /** Whether the node that the pod runs on can be reached. */
  private reaches(pod: LivePod): boolean {
    return this.allNodes.get(pod.spec?.nodeName ?? '')?.isReachable !== false;
  }

  private wayOf(identity: Identity | undefined, userAgent: string): Transport {
    const store = new ServerStore(this.server, administrator, 'kubelet');
    return new PodTransport({
      inner: this.server.transport(identity, userAgent),
      store,
      source: this.endpointSource(store),
      random: this.random,
      network: this.network,
      workerOf: (pod) => this.workerOf(pod),
      reaches: (pod) => this.reaches(pod),
      now: () => this.scheduler.now(),
      permit: (request, asked) => permit(this.server, identity ?? administrator, { request, asked }),
      admit: (connection) => admit(this.server, connection),
    });
  }

  private noteRevision(revision: number): void {
    const at = this.scheduler.now();
    const last = this.revisions.at(-1);
    if (last?.at === at) last.revision = revision;
    else this.revisions.push({ at, revision });
    if (typeof this.options.pace === 'number' && this.revisions.length > wallClockMemory)
      this.revisions.splice(0, this.revisions.length >> 1);
  }

  private revisionAt(instant: Instant): number {
    const later = this.revisions.findIndex(({ at }) => at > instant);
    const last = later < 0 ? this.revisions.at(-1) : this.revisions[later - 1];
    return last?.revision ?? this.server.store.revision;
  }

  private addNode(setup: NodeSetup, number: number): void {
    const { server, scheduler, images, network, volumes } = this;
    const { name } = setup;
    const store = new ServerStore(
      server,
      { name: `system:node:${name}`, groups: ['system:masters', 'system:nodes'] },
      'kubelet',
    );
    const events = new EventPublisher(store, scheduler, 'kubelet');
    const node = new SimulatedNode({
      ...setup,
      ip: `192.168.${number >> 8}.${number & 0xff}`,
      store,
      scheduler,
      images,
      network,
      volumes,
      renewsLease: typeof this.options.pace === 'number',
      changed: () => this.nodeChanged(name),
      nextPodIp: () => this.nextPodIp(number),
      event: (pod: KubernetesObject, type, reason, message) => {
        if (this.options.events !== false) events.publish(pod, type, reason, message);
      },
    });
    this.allNodes.set(name, node);
    node.start();
  }

  private nextPodIp(node: number): string {
    this.podAddresses += 1;
    return `10.${node & 0xff}.${this.podAddresses >> 8}.${this.podAddresses & 0xff}`;
  }

  /** Notifies each kubelet of the pods that are bound to its node, shortly after they changed. */
  private notifyNodes(): () => void {
    const { server, scheduler } = this;
    return server.store.subscribe(({ kind, after, deleted, before, restored }) => {
      // When the store has gone back, kubelets list again.
      if (kind !== 'pods' || restored === true) return;
      const pod = after as unknown as Parameters<SimulatedNode['observe']>[0]['object'] & Pod;
      const node = this.allNodes.get(pod.spec?.nodeName ?? '');
      if (node === undefined) return;
      const type = deleted ? 'DELETED' : before === undefined ? 'ADDED' : 'MODIFIED';
      scheduler.schedule(1, 'kubelet', () => node.observe({ type, object: pod }));
    });
  }
}
