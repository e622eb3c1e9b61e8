import type { Client, Clock, Instant, KubernetesObject, Random, ResourceDescriptor, Transport } from '@ordinal/client';
import { createClient, leases, timestamp, microTimestamp } from '@ordinal/client';
import { administrator } from '../api-server/index.ts';
import type { Identity } from '../api-server/index.ts';
import { ObjectReader } from '../cluster/objects.ts';
import { Operator } from '../cluster/operator.ts';
import type { OperatorStart } from '../cluster/operator.ts';
import { attachHosts } from '../cluster/pod-network.ts';
import { PodTransport } from '../cluster/pod-transport.ts';
import type { TestCluster } from '../cluster/test-cluster.ts';
import { Trace } from '../cluster/trace.ts';
import type { LivePod } from '../controllers/kinds.ts';
import { podScheduler } from '../controllers/scheduling/pod-scheduler.ts';
import { runControllers } from '../controllers/runner.ts';
import { SimulatedNode } from '../node/kubelet.ts';
import type { HttpHandler } from '../node/network.ts';
import type { FetchLike } from '../node/fetch-like.ts';
import { Network } from '../node/network.ts';
import type { PodWorker } from '../node/pod-worker.ts';
import type { ImageProgram } from '../node/program.ts';
import { ImageRegistry } from '../node/program.ts';
import { VolumeStore } from '../node/volumes.ts';
import { Scheduler } from '../scheduler/scheduler.ts';
import type { RunOptions } from '../scheduler/scheduler.ts';
import { Activity } from './activity.ts';
import { DatedTransport, ownEpoch } from './dated-transport.ts';
import { Fence } from './fence.ts';
import { ImpersonatingTransport } from './impersonating-transport.ts';
import { Mirror } from './mirror.ts';
import { MirrorStore } from './mirror-store.ts';
import { builtinKinds, clearWorld } from './kinds.ts';
import { Pace } from './pace.ts';
import { volumeProvisioner } from './provisioner.ts';
import { SeenTransport } from './seen-transport.ts';
import { Timeline } from './timeline.ts';
import { WebhookRelay } from './webhook-relay.ts';
import { WebhookTransport } from './webhook-transport.ts';

/** How nodes are attached to a control plane. */
export interface AttachedOptions {
  /** The way to the API server, as an administrator. */
  readonly transport: Transport;
  /** The custom kinds of the test. */
  readonly kinds: readonly ResourceDescriptor[];
  /** How many nodes there are. Three by default. */
  readonly nodes?: number;
  readonly seed?: number;
}

/** How often nodes renew their leases, in milliseconds of the machine's clock. */
const leaseMs = 8_000;
/** How long the control plane may take to accept the nodes. */
const nodesWithinMs = 30_000;
/** Longer than the control plane waits after a pod of a Job has failed, in milliseconds of the machine's clock. */
const jobPauseMs = 3_600_000;
const ownTime = /"(2[1-9]\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)"/g;

/**
 * The simulation's nodes, with its images, network and operators, on a real control plane: the API server and the controller manager are real; the
 * scheduler, the kubelets and the volumes' driver are simulated. It offers tests what `SimulatedCluster` does, as far as that does not reach into the server.
 *
 * **Time.** Nodes and operators live by a clock of their own. It nearly stands still while anything is under way, and runs ahead when all is quiet. What the
 * server dates by the machine's clock is shown in their time.
 */
export class AttachedCluster implements TestCluster {
  readonly clock: Clock;
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly network: Network;
  readonly images = new ImageRegistry();
  readonly volumes = new VolumeStore();
  readonly objects: ObjectReader;
  readonly trace = new Trace();
  readonly startedAt: Instant = ownEpoch;
  /** When etcd was restored, which oracles ask of every cluster: never, as nothing here restores the real one. */
  readonly restores: readonly Instant[] = [];
  /** What was seen of the real server, read as a simulated one is. */
  readonly server: { readonly store: Mirror };
  private readonly options: AttachedOptions;
  private readonly activity = new Activity();
  private readonly timeline = new Timeline();
  private readonly dated: DatedTransport;
  private readonly store: MirrorStore;
  private readonly fence: Fence;
  private readonly pace: Pace;
  private readonly relay: WebhookRelay;
  private readonly allNodes = new Map<string, SimulatedNode>();
  private readonly allOperators: Operator[] = [];
  private readonly revisions: { readonly at: Instant; readonly revision: number }[] = [];
  private readonly stops: (() => void)[] = [];
  private podAddresses = 0;

  private constructor(options: AttachedOptions) {
    this.options = options;
    this.scheduler = new Scheduler({ seed: options.seed ?? 1, startsAt: ownEpoch });
    this.clock = this.scheduler.clock;
    this.random = this.scheduler.random;
    this.network = new Network(this.scheduler);
    this.timeline.note(Date.now(), ownEpoch);
    const { activity, timeline, scheduler } = this;
    this.dated = new DatedTransport({ inner: options.transport, activity, timeline });
    const client = createClient({ transport: this.dated });
    const mirror = new Mirror({ client, activity, kinds: [...builtinKinds, ...options.kinds] });
    this.server = { store: mirror };
    this.objects = new ObjectReader(this.server);
    this.store = new MirrorStore({ mirror, client, activity, statusOf: (pod) => this.statusOf(pod) });
    // The fence's requests are no part of what happens in the world.
    this.fence = new Fence(createClient({ transport: options.transport }));
    this.relay = new WebhookRelay({ fetch: this.network.fetchAs('kube-apiserver'), activity });
    this.pace = new Pace({ scheduler, activity, timeline, mirror, fence: this.fence });
  }

  /** Attaches nodes, and waits until the control plane has accepted them. What an earlier test has left behind is removed first. */
  static async start(options: AttachedOptions): Promise<AttachedCluster> {
    const cluster = new AttachedCluster(options);
    await clearWorld(createClient({ transport: cluster.dated }), options.kinds);
    await cluster.boot();
    return cluster;
  }

  /**
   * The way to the API server for a client of the test. The reply to a write comes when its effect can be seen in `objects`; where it registers a webhook, when
   * the server asks that one.
   */
  transport(identity?: Identity): Transport {
    return new SeenTransport(this.wayOf(identity), this.server.store);
  }

  /** A client of the test; as an administrator, by default. */
  client(identity?: Identity): Client {
    return createClient({ transport: this.transport(identity) });
  }

  /** `fetch` to pods, services and external services. */
  get http(): FetchLike {
    return this.network.fetchAs('test');
  }

  /** Gives an image its program; pods that are started later run it. */
  image(reference: string, program: ImageProgram | undefined): void {
    this.images.set(reference, program);
  }

  /**
   * Puts a service of the test on the network; without a handler, takes it away. The API server reaches webhooks that are registered there while the world
   * goes on.
   */
  external(origin: string, handler: HttpHandler | undefined): void {
    this.network.external(origin, handler);
  }

  /** A node by name (`node-1`, …). Throws a `TypeError` where there is none. */
  node(name: string): SimulatedNode {
    const node = this.allNodes.get(name);
    if (node === undefined) throw new TypeError(`there is no node ${name}`);
    return node;
  }

  /**
   * Whether everything that happened so far has had its consequences, but for those that come with time: the control plane has had its turn, and no client
   * writes.
   */
  get isAtRest(): boolean {
    return this.pace.isAtRest;
  }

  /** All operators that were started. */
  get operators(): readonly Operator[] {
    return this.allOperators;
  }

  /** Runs an operator; as an administrator of its own name, unless an identity is given. */
  operator(name: string, start: OperatorStart, identity?: Identity): Operator {
    const { scheduler, network, trace } = this;
    const operator = new Operator({
      ...{ name, start, scheduler, network, trace },
      transport: (user) => this.wayOf(user),
      revisionAt: (instant) => this.revisionAt(instant),
      ...(identity !== undefined && { identity }),
    });
    this.allOperators.push(operator);
    operator.start();
    return operator;
  }

  /** Lets the world go on until `until` is true, or the time on its own clock is over. */
  run(options: RunOptions = {}): Promise<'reached' | 'timeout'> {
    return this.pace.run(options);
  }

  /**
   * Ends operators and nodes. The objects stay, among them the registrations of webhooks for which nothing answers any more: the next world on the control
   * plane removes them.
   */
  stop(): void {
    for (const operator of this.allOperators) operator.crash();
    for (const node of this.allNodes.values()) node.fail('power');
    for (const stop of this.stops.splice(0)) stop();
    this.relay.stop();
    this.server.store.stop();
  }

  private async boot(): Promise<void> {
    const { scheduler, server, store } = this;
    await Promise.all([server.store.start(), this.fence.start()]);
    this.stops.push(
      server.store.subscribe(({ after }) => {
        this.revisions.push({ at: scheduler.now(), revision: Number(after.metadata.resourceVersion) });
      }),
    );
    const definitions = [podScheduler(), volumeProvisioner((volume) => this.volumes.discard(volume))];
    const subscribe = server.store.subscribe.bind(server.store);
    const running = runControllers(definitions, { storeOf: () => store, subscribe, scheduler, publishEvents: false });
    this.stops.push(running.stop);
    for (let number = 1; number <= (this.options.nodes ?? 3); number += 1) this.addNode(number);
    const reaches = (pod: LivePod): boolean => this.reaches(pod);
    const workerOf = (pod: LivePod): PodWorker | undefined => this.workerOf(pod);
    attachHosts(this.network, { store, keepsSlices: false, scheduler, workerOf, reaches });
    this.stops.push(this.notifyNodes(), this.renewLeases());
    const areUp = (): boolean =>
      [...this.allNodes.keys()].every((name) => {
        const node = server.store.get('nodes', name) as { readonly spec?: { readonly taints?: unknown } } | undefined;
        return node !== undefined && node.spec?.taints === undefined;
      });
    if (!(await this.pace.wait(areUp, nodesWithinMs))) throw new Error('the control plane does not accept the nodes');
  }

  private wayOf(identity: Identity | undefined): Transport {
    const inner = new WebhookTransport(this.dated, this.relay);
    return new PodTransport({
      inner: identity === undefined ? inner : new ImpersonatingTransport(inner, identity),
      ...{ store: this.store, network: this.network, random: this.random },
      source: { store: this.store, keepsSlices: false },
      workerOf: (pod) => this.workerOf(pod),
      reaches: (pod) => this.reaches(pod),
      now: () => this.scheduler.now(),
      permit: () => administrator,
      admit: () => Promise.resolve(),
    });
  }

  private reaches(pod: LivePod): boolean {
    return this.allNodes.get(pod.spec?.nodeName ?? '')?.isReachable !== false;
  }

  private workerOf(pod: LivePod): PodWorker | undefined {
    return this.allNodes.get(pod.spec?.nodeName ?? '')?.worker(pod.metadata.uid);
  }

  private revisionAt(instant: Instant): number {
    return this.revisions.findLast(({ at }) => at <= instant)?.revision ?? this.server.store.revision;
  }

  private addNode(number: number): void {
    const { store, scheduler, images, network, volumes } = this;
    const name = `node-${number}`;
    const node = new SimulatedNode({
      ...{ name, ip: `192.168.0.${number}`, store, scheduler, images, network, volumes },
      renewsLease: false,
      changed: () => undefined,
      nextPodIp: () => `10.${number}.${(this.podAddresses += 1) >> 8}.${this.podAddresses & 0xff}`,
      event: () => undefined,
    });
    this.allNodes.set(name, node);
    node.start();
  }

  /** Notifies each kubelet of the pods that are bound to its node, shortly after they changed. */
  private notifyNodes(): () => void {
    return this.server.store.subscribe(({ kind, after, deleted, before }) => {
      if (kind !== 'pods') return;
      const pod = after as KubernetesObject & LivePod;
      const node = this.allNodes.get(pod.spec?.nodeName ?? '');
      if (node === undefined) return;
      const type = deleted ? 'DELETED' : before === undefined ? 'ADDED' : 'MODIFIED';
      this.scheduler.schedule(1, 'kubelet', () => node.observe({ type, object: pod }));
    });
  }

  /** Renews the nodes' leases by the machine's clock, as the controller manager does its waiting. This, too, is no part of what happens in the world. */
  private renewLeases(): () => void {
    const resource = createClient({ transport: this.options.transport })(leases).namespace('kube-node-lease');
    const renew = (): void => {
      // Later than any other: the node's first time is by its own clock, and the leases of an earlier test are still there.
      const renewTime = microTimestamp(Date.now() + ownEpoch);
      for (const { name, isReachable } of this.allNodes.values()) {
        const lease = {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { name },
          spec: { renewTime },
        } as const;
        // Where it fails, the next one comes soon.
        if (isReachable) resource.apply(lease, { fieldManager: 'attached', force: true }).catch(() => undefined);
      }
    };
    // At once, too: the controller manager takes nodes of one name for the same node, so short worlds one after the other would be one long silence.
    renew();
    const timer = setInterval(renew, leaseMs);
    timer.unref();
    return () => clearInterval(timer);
  }

  /**
   * What the kubelet says of a pod. Before the Job controller tries again, it waits by the machine's clock, from the end that the kubelet reports: this end is
   * dated so long ago that the wait is over.
   */
  private statusOf({ spec, status }: LivePod): unknown {
    if (spec?.restartPolicy !== 'Never') return status;
    const ended = timestamp(Date.now() - jobPauseMs);
    return JSON.parse(JSON.stringify(status).replace(ownTime, `"${ended}"`)) as unknown;
  }
}
