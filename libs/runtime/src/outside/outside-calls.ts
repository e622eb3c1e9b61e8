import type { Clock, Timer } from '@ordinal/client';
import { RuntimeError } from '../error.ts';
import type { RuntimeMetrics } from '../metrics/metrics.ts';
import type { OutsideOptions } from '../reconciler.ts';

/** How many calls to the outside there may be. */
export interface OutsideLimits {
  /** At a time, in all. 128 by default. */
  readonly total?: number;
  /** At a time, for one namespace. 16 by default. */
  readonly perNamespace?: number;
  /** How many may wait for a place, for one namespace. 256 by default. */
  readonly waiting?: number;
  /** How long one may wait for a place, in milliseconds. 15 s by default. */
  readonly waitMs?: number;
}

const defaults = { total: 128, perNamespace: 16, waiting: 256, waitMs: 15_000 } satisfies OutsideLimits;

/** What the calls run on. */
export interface OutsideCallsOptions {
  readonly clock: Clock;
  readonly metrics: Pick<RuntimeMetrics, 'outsideCalls' | 'outsideRefused'>;
  readonly limits?: OutsideLimits;
}

/** One namespace that has calls. */
interface Tenant {
  readonly name: string;
  held: number;
  /** Who waits, the first one first, those that go ahead of the others apart. Each is called when it has a place. */
  readonly lines: { readonly ahead: Set<() => void>; readonly others: Set<() => void> };
}

const waitingOf = ({ lines }: Tenant): number => lines.ahead.size + lines.others.size;

/**
 * The places for calls to what the operator does not control: pods, monitors, providers. They may take their time on purpose, so they are bounded, in all and for
 * each namespace.
 *
 * **Guarantees.** A namespace that holds places gets one more only while more are free than it holds, beside a quarter of all, which is kept for namespaces that
 * hold none: the more of them want everything, the fewer each has. A place that gets free goes to the namespace that holds the fewest, and among those goes
 * round. A call that finds no place within `waitMs`, or a full line before it, is not made: `NoPlace`.
 *
 * **Caveats.** Which namespaces belong together is unknown. A tenant with some forty of them can hold all 128 places for as long as one call may take; a
 * namespace that comes then is the first to get one of those that get free.
 */
export class OutsideCalls {
  readonly #clock: Clock;
  readonly #metrics: OutsideCallsOptions['metrics'];
  readonly #limits: Required<OutsideLimits>;
  readonly #tenants = new Map<string, Tenant>();
  /** Namespaces with a call that waits, by how many places they hold; in each set the one whose turn it is comes first. */
  readonly #byHeld: readonly Set<Tenant>[];
  /** So many places are kept for namespaces that hold none. */
  readonly #kept: number;
  #held = 0;
  #waiting = 0;

  constructor({ clock, metrics, limits = {} }: OutsideCallsOptions) {
    this.#clock = clock;
    this.#metrics = metrics;
    this.#limits = { ...defaults, ...limits };
    this.#kept = Math.floor(this.#limits.total / 4);
    this.#byHeld = Array.from({ length: this.#limits.perNamespace }, () => new Set<Tenant>());
  }

  /**
   * Makes a call when there is a place for it, and gives the place back when it has ended.
   *
   * @throws RuntimeError with code `NoPlace` where the call was not made for want of a place, and the signal's reason where it was aborted before.
   */
  async run<T>(
    namespace: string,
    call: () => Promise<T>,
    { signal, ahead = false }: OutsideOptions & { readonly signal: AbortSignal },
  ): Promise<T> {
    signal.throwIfAborted();
    const tenant = this.#tenantOf(namespace);
    await this.#place(tenant, ahead ? tenant.lines.ahead : tenant.lines.others, signal);
    try {
      return await call();
    } finally {
      this.#give(tenant, -1);
      this.#serve();
    }
  }

  #tenantOf(name: string): Tenant {
    const known = this.#tenants.get(name);
    if (known !== undefined) return known;
    const tenant = { name, held: 0, lines: { ahead: new Set<() => void>(), others: new Set<() => void>() } };
    this.#tenants.set(name, tenant);
    return tenant;
  }

  /** Resolves with a place taken. */
  async #place(tenant: Tenant, line: Set<() => void>, signal: AbortSignal): Promise<void> {
    if (waitingOf(tenant) >= this.#limits.waiting) throw this.#refusal(tenant);
    let timer: Timer | undefined;
    let onAbort = (): void => undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        const abandon = (reason: unknown): void => {
          this.#wait(tenant, () => line.delete(resolve));
          reject(reason instanceof Error ? reason : new Error(String(reason)));
        };
        onAbort = () => abandon(signal.reason);
        this.#wait(tenant, () => line.add(resolve));
        this.#serve();
        if (!line.has(resolve)) return;
        timer = this.#clock.after(this.#limits.waitMs, () => abandon(this.#refusal(tenant)));
        signal.addEventListener('abort', onAbort, { once: true });
      });
    } finally {
      timer?.cancel();
      signal.removeEventListener('abort', onAbort);
    }
  }

  #refusal({ name, held }: Tenant): RuntimeError {
    this.#metrics.outsideRefused();
    const where = name === '' ? 'for objects without a namespace' : `for namespace ${name}`;
    return new RuntimeError('NoPlace', `${held} calls are under way ${where}, ${this.#held} in all: there is no place`);
  }

  /** Hands free places out, for as long as a waiting call may have one. */
  #serve(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const { tenant, line, first } = next;
      // In this order: a namespace that neither holds nor waits is forgotten.
      this.#give(tenant, 1);
      this.#wait(tenant, () => line.delete(first));
      first();
    }
  }

  #next(): { readonly tenant: Tenant; readonly line: Set<() => void>; readonly first: () => void } | undefined {
    const free = this.#limits.total - this.#held;
    for (const [held, tenants] of this.#byHeld.entries()) {
      if (free <= (held === 0 ? 0 : held + this.#kept)) return undefined;
      for (const tenant of tenants) {
        const line = tenant.lines.ahead.size > 0 ? tenant.lines.ahead : tenant.lines.others;
        for (const first of line) return { tenant, line, first };
      }
    }
    return undefined;
  }

  #wait(tenant: Tenant, change: () => void): void {
    const before = waitingOf(tenant);
    change();
    this.#waiting += waitingOf(tenant) - before;
    this.#file(tenant);
  }

  #give(tenant: Tenant, places: 1 | -1): void {
    this.#byHeld[tenant.held]?.delete(tenant);
    tenant.held += places;
    this.#held += places;
    this.#file(tenant);
  }

  /** Puts a namespace where it belongs: one that stays among those that hold as many keeps its turn. */
  #file(tenant: Tenant): void {
    const peers = this.#byHeld[tenant.held];
    const waiting = waitingOf(tenant);
    if (waiting > 0) peers?.add(tenant);
    else peers?.delete(tenant);
    this.#metrics.outsideCalls(this.#held, this.#waiting);
    if (waiting === 0 && tenant.held === 0) this.#tenants.delete(tenant.name);
  }
}
