import type { Client, Clock, Instant, KubernetesObject, ResourceDescriptor } from '@ordinal/client';
import type { CleanupMetrics, Gauges, GaugeSample, Probes, Seals, SpecRequest } from '@ordinal/lifecycle';
import type { CacheReader, ControllerDefinition, ControllerOptions, OutsideCalls } from '@ordinal/runtime';
import type { AdmissionRequest, Verdict } from '@ordinal/runtime/webhooks';
import type { DatabaseProviders } from './cloud-database/database.ts';
import type { Monitors } from './monitored-stateful-set/monitor.ts';

/** What the controllers of kinds reach the world with. Each kind takes what it needs. */
export interface KindEnvironment {
  /** How members are asked. */
  readonly probes: Probes;
  /** The keys by which the operator knows what it has written itself. */
  readonly seals: Seals;
  readonly monitors: Monitors;
  readonly providers: DatabaseProviders;
  /** Makes a password that cannot be guessed: at least 128 random bits, in characters that need no quoting. */
  readonly newPassword: () => string;
  readonly metrics?: CleanupMetrics;
  readonly controller?: ControllerOptions;
}

/**
 * What every decision of a kind is made from beside its observation: `decide(observation, inputs)`. Kinds add what else a decision may not make up, such as
 * random numbers and answers.
 */
export interface DecisionInputs {
  readonly now: Instant;
}

/** What the gates of kinds work with. */
export interface GateEnvironment extends Pick<KindEnvironment, 'probes' | 'seals'> {
  /** The caches of the kind's own controller. */
  readonly reader: CacheReader;
  readonly client: Client;
  readonly clock: Clock;
  /** The places to ask from, shared with the reconcilers. */
  readonly outside: OutsideCalls;
  /** The operator's own user name: `system:serviceaccount:ordinal-system:ordinal-operator`. */
  readonly operator: string;
  /** The part of the resources that this installation keeps: the selector of its shard. Absent: all. */
  readonly shard?: string;
}

/** Judges requests that would take something away. */
export interface Gate {
  admit(request: AdmissionRequest, signal: AbortSignal): Promise<Verdict>;
  /** The verdict on a request that was not judged: there are too many at a time, it is too late, or an error came of it. */
  undecided(request: AdmissionRequest, why: string): Verdict;
}

/** The requests that gates judge: deletions and evictions of pods, and deletions of namespaces. */
export type GateName = 'disruption' | 'namespaces';

/** What the operator's webhooks ask a kind. */
export interface KindWebhook<Resource extends KubernetesObject> {
  /** The verdict on a new or changed spec. Pure. */
  admit(request: SpecRequest<Resource>): Verdict;
  /** What the operator creates, or takes over, for a resource out of images and accounts that its author writes down: the author has to be allowed to do the same. Pure. */
  creates(resource: Resource): readonly ('StatefulSet' | 'AdoptedStatefulSet' | 'Job')[];
  readonly gates?: Readonly<Partial<Record<GateName, (environment: GateEnvironment) => Gate>>>;
}

/** What the resources of a kind themselves say, in gauges. */
export interface KindMetrics<Resource extends KubernetesObject> {
  /** The names, what they say, and their labels beside the resource's. The operator serves exactly these. */
  readonly gauges: Gauges;
  /** Computed from the objects when metrics are read, so that no gauge outlives its object. Pure. */
  samples(resources: readonly Resource[], now: Instant): readonly GaugeSample[];
}

/** A kind that the operator keeps: all that the program has to know of it. `kinds.ts` lists them. */
export interface Kind<Resource extends KubernetesObject = KubernetesObject> {
  /** The name of its folder, of the controller of its resources, and of its page in `docs/reference/kinds`. */
  readonly name: string;
  /** What the API server calls it. Its kind is the word of `--kinds`. */
  readonly descriptor: ResourceDescriptor<Resource>;
  /** The controller of its resources, and those that it needs beside. What they declare becomes the operator's permissions. */
  controllers(environment: KindEnvironment): readonly ControllerDefinition[];
  readonly webhook: KindWebhook<Resource>;
  readonly metrics: KindMetrics<Resource>;
}
