import type { Client, Clock, Instant, KubernetesObject, Random, Transport } from '@ordinal/client';
import type { Identity, Interceptor } from '../api-server/index.ts';
import type { FetchLike } from '../node/fetch-like.ts';
import type { SimulatedNode } from '../node/kubelet.ts';
import type { HttpHandler, Network } from '../node/network.ts';
import type { ImageProgram } from '../node/program.ts';
import type { VolumeStore } from '../node/volumes.ts';
import type { RunOptions, RunOutcome, Scheduler } from '../scheduler/scheduler.ts';
import type { ObjectReader } from './objects.ts';
import type { Operator, OperatorStart } from './operator.ts';
import type { Trace } from './trace.ts';

/** A change of an object, as a store reports it. */
export interface StoreChange {
  /** `plural.group`, or the plural name in the core group. */
  readonly kind: string;
  /** The object as it is now; of one that was deleted, as it was last. */
  readonly after: KubernetesObject;
  readonly before?: KubernetesObject | undefined;
  readonly deleted: boolean;
  /** Etcd went back to an older state: no client has written this. Never on a real control plane. */
  readonly restored?: boolean;
}

/** What an API server holds, as a test sees it. */
export interface ObservedStore {
  /** The latest revision. */
  readonly revision: number;
  /** An object by its key: `namespace/name`, or the name where the kind has no namespaces. */
  get(kind: string, key: string): KubernetesObject | undefined;
  /** All objects of a kind with their keys, in the keys' order. */
  snapshot(kind: string): readonly (readonly [key: string, object: KubernetesObject])[];
  /** Reports each change from now on, until the returned function is called. */
  subscribe(listener: (change: StoreChange) => void): () => void;
}

/** An API server, as a test sees it. */
interface ObservedServer {
  readonly store: ObservedStore;
  /** Sees the requests of all clients, until the returned function is called. Absent where a test does not see them: on a real API server. */
  intercept?(interceptor: Interceptor): () => void;
}

/**
 * A cluster with the simulation's nodes, images, network and operators, whichever control plane it has: the simulated one (`SimulatedCluster`) or a real one
 * (`AttachedCluster`). A scenario and an oracle that ask for no more than this run on both.
 */
export interface TestCluster {
  readonly clock: Clock;
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly network: Network;
  readonly volumes: VolumeStore;
  /** The objects as they are now, as far as they were seen. */
  readonly objects: ObjectReader;
  /** What happened, in order. */
  readonly trace: Trace;
  /** The first instant. */
  readonly startedAt: Instant;
  /** When etcd was restored to an older state. What an observer remembers from before the last one may belong to a history that is lost. */
  readonly restores: readonly Instant[];
  readonly server: ObservedServer;
  /** All operators that were started, running or not. */
  readonly operators: readonly Operator[];
  /** `fetch` in the cluster's time: reaches pods, services and external services. */
  readonly http: FetchLike;
  /** The way to the API server for a client of the test; as an administrator, by default. */
  transport(identity?: Identity): Transport;
  /** A client of the test; as an administrator, by default. */
  client(identity?: Identity): Client;
  /** Gives an image its program; pods that are started later run it. */
  image(reference: string, program: ImageProgram | undefined): void;
  /** Puts a service of the test on the network, at an origin such as `http://monitor.example`; without a handler, takes it away. */
  external(origin: string, handler: HttpHandler | undefined): void;
  /** A node by name (`node-1`, …). Throws a `TypeError` where there is none. */
  node(name: string): SimulatedNode;
  /** Runs an operator that can be crashed, restarted and lied to; as an administrator, unless an identity is given. */
  operator(name: string, start: OperatorStart, identity?: Identity): Operator;
  /** Runs the cluster until `until` is true, nothing is left to do, or the time is over. */
  run(options?: RunOptions): Promise<RunOutcome>;
  /** Ends operators, nodes and controllers. */
  stop(): void;
}
