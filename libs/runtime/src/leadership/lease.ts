import { leases, microTimestamp } from '@ordinal/client';
import type { Client, Instant } from '@ordinal/client';

/** A lease as the elector reads it. */
export interface LeaseState {
  readonly resourceVersion: string;
  /** Empty where it is not held. */
  readonly holder: string;
  readonly durationMs: number;
  readonly transitions: number;
  readonly acquireTime: string | undefined;
  readonly renewTime: string | undefined;
  /** Who has asked the holder to give it up; empty where no one has. */
  readonly wantedBy: string;
}

/** What is written into a lease. */
export interface LeaseClaim {
  readonly holder: string;
  readonly durationMs: number;
  readonly now: Instant;
}

/** On a lease: who has asked its holder to give it up. */
const wantedByAnnotation = 'ordinal.dev/wanted-by';

/** One Lease object (`coordination.k8s.io/v1`), with the preconditions that make it a lock. */
export class Lease {
  readonly #client: Client;
  readonly #namespace: string;
  readonly #name: string;

  constructor(client: Client, namespace: string, name: string) {
    this.#client = client;
    this.#namespace = namespace;
    this.#name = name;
  }

  /** The lease as the server has it; undefined where there is none yet. */
  async read(signal: AbortSignal): Promise<LeaseState | undefined> {
    const lease = await this.#resource().find(this.#name, { signal });
    return lease === undefined ? undefined : stateOf(lease);
  }

  /** Makes the lease. `AlreadyExists` where another process was faster. */
  async create(claim: LeaseClaim, signal: AbortSignal): Promise<LeaseState> {
    const created = await this.#resource().create(this.#body(claim, undefined), { signal });
    return stateOf(created);
  }

  /** Writes a claim over a state that was read. `Conflict` where it has changed since. */
  async claim(claim: LeaseClaim, before: LeaseState, signal: AbortSignal): Promise<LeaseState> {
    const updated = await this.#resource().update(this.#body(claim, before), { signal });
    return stateOf(updated);
  }

  /** Asks the holder to give the lease up. Nothing else of it changes. `Conflict` where it has changed since. */
  async ask(wantedBy: string, before: LeaseState, signal: AbortSignal): Promise<LeaseState> {
    const { holder, durationMs, transitions, acquireTime, renewTime } = before;
    const spec = {
      holderIdentity: holder,
      leaseDurationSeconds: Math.ceil(durationMs / 1000),
      leaseTransitions: transitions,
      ...(acquireTime !== undefined && { acquireTime }),
      ...(renewTime !== undefined && { renewTime }),
    };
    const updated = await this.#resource().update(this.#object(spec, { ...before, wantedBy }), { signal });
    return stateOf(updated);
  }

  #resource() {
    return this.#client(leases).namespace(this.#namespace);
  }

  #body({ holder, durationMs, now }: LeaseClaim, before: LeaseState | undefined) {
    const renewTime = microTimestamp(now);
    const taken = before === undefined || before.holder !== holder;
    const acquireTime = taken ? renewTime : (before.acquireTime ?? renewTime);
    const spec = {
      holderIdentity: holder,
      leaseDurationSeconds: Math.max(1, Math.ceil(durationMs / 1000)),
      acquireTime,
      renewTime,
      leaseTransitions: (before?.transitions ?? 0) + (taken && before !== undefined && holder !== '' ? 1 : 0),
    };
    // It stays on a lease that is renewed or given back, for whom it names. Who takes the lease is asked for nothing yet.
    const wantedBy = taken && holder !== '' ? '' : (before?.wantedBy ?? '');
    return this.#object(spec, before && { ...before, wantedBy });
  }

  #object(spec: LeaseSpec, at: Pick<LeaseState, 'resourceVersion' | 'wantedBy'> | undefined) {
    return {
      apiVersion: 'coordination.k8s.io/v1' as const,
      kind: 'Lease' as const,
      metadata: {
        name: this.#name,
        namespace: this.#namespace,
        ...(at !== undefined && { resourceVersion: at.resourceVersion }),
        ...(at !== undefined && at.wantedBy !== '' && { annotations: { [wantedByAnnotation]: at.wantedBy } }),
      },
      spec,
    };
  }
}

interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly leaseTransitions?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
}

interface LeaseObject {
  readonly metadata: { readonly resourceVersion: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec?: LeaseSpec;
}

function stateOf({ metadata, spec }: LeaseObject): LeaseState {
  return {
    resourceVersion: metadata.resourceVersion,
    holder: spec?.holderIdentity ?? '',
    durationMs: (spec?.leaseDurationSeconds ?? 0) * 1000,
    transitions: spec?.leaseTransitions ?? 0,
    acquireTime: spec?.acquireTime,
    renewTime: spec?.renewTime,
    wantedBy: metadata.annotations?.[wantedByAnnotation] ?? '',
  };
}
