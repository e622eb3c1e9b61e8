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
}

/** What is written into a lease. */
export interface LeaseClaim {
  readonly holder: string;
  readonly durationMs: number;
  readonly now: Instant;
}

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

  #resource() {
    return this.#client(leases).namespace(this.#namespace);
  }

  #body({ holder, durationMs, now }: LeaseClaim, before: LeaseState | undefined) {
    const renewTime = microTimestamp(now);
    const taken = before === undefined || before.holder !== holder;
    const acquireTime = taken ? renewTime : (before.acquireTime ?? renewTime);
    return {
      apiVersion: 'coordination.k8s.io/v1' as const,
      kind: 'Lease' as const,
      metadata: {
        name: this.#name,
        namespace: this.#namespace,
        ...(before !== undefined && { resourceVersion: before.resourceVersion }),
      },
      spec: {
        holderIdentity: holder,
        leaseDurationSeconds: Math.max(1, Math.ceil(durationMs / 1000)),
        acquireTime,
        renewTime,
        leaseTransitions: (before?.transitions ?? 0) + (taken && before !== undefined && holder !== '' ? 1 : 0),
      },
    };
  }
}

interface LeaseObject {
  readonly metadata: { readonly resourceVersion: string };
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly leaseTransitions?: number;
    readonly acquireTime?: string;
  };
}

function stateOf({ metadata, spec }: LeaseObject): LeaseState {
  return {
    resourceVersion: metadata.resourceVersion,
    holder: spec?.holderIdentity ?? '',
    durationMs: (spec?.leaseDurationSeconds ?? 0) * 1000,
    transitions: spec?.leaseTransitions ?? 0,
    acquireTime: spec?.acquireTime,
  };
}
