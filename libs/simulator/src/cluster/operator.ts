import type { Clock, Instant, Random, Transport } from '@ordinal/client';
import type { Identity } from '../api-server/index.ts';
import type { HttpHandler, Network } from '../node/network.ts';
import type { FetchLike } from '../node/fetch-like.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';
import { Incarnation } from './incarnation.ts';
import type { OperatorCall, OperatorHooks, Verdict } from './operator-call.ts';
import { OperatorTransport } from './operator-transport.ts';
import { operatorFetch } from './operator-fetch.ts';
import type { Trace } from './trace.ts';
import type { WatchPipe } from './watch-pipe.ts';

/** What an operator gets in place of the world: everything it needs, and nothing that it could reach the machine with. */
export interface OperatorEnvironment {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  /** HTTP to pods, services and the outside. */
  readonly http: FetchLike;
  /** Puts an endpoint of this process on the network, at an origin such as `https://webhooks.operators.svc`: for webhooks. It goes with the process. */
  readonly serve: (origin: string, handler: HttpHandler) => void;
  /** A name for this process: another one after each restart, like that of a pod. */
  readonly identity: string;
  /** Which life of the operator this is, beginning with 1. */
  readonly incarnation: number;
}

/** Starts an operator. What it resolves with stops it in good order. */
export type OperatorStart = (environment: OperatorEnvironment) => Promise<{ readonly stop: () => Promise<void> }>;

/** What an operator in the simulation is made of. */
export interface OperatorOptions {
  readonly name: string;
  readonly start: OperatorStart;
  /** The way to the API server for a user. */
  readonly transport: (user: Identity, userAgent: string) => Transport;
  readonly scheduler: Scheduler;
  readonly network: Network;
  readonly trace: Trace;
  /** The API server's revision at a time of the past. */
  readonly revisionAt: (instant: Instant) => number;
  /** Who it is to the API server. A service account that may do everything, by default; with another identity its permissions are tested too. */
  readonly identity?: Identity;
}

/** An operator that runs in the simulation, and all that can be done to it. */
export class Operator {
  readonly name: string;
  /** Who it is to the API server. */
  readonly user: Identity;
  private readonly options: OperatorOptions;
  private readonly hooks = new Set<OperatorHooks>();
  private readonly pipes = new Map<string, Set<WatchPipe>>();
  private readonly heldKinds = new Set<string>();
  private readonly counts: Record<OperatorCall['kind'], number> = { write: 0, read: 0, external: 0 };
  private readonly past = new Map<string, { readonly revision: number; readonly until: Instant }>();
  private readonly seen = { watched: new Set<string>(), written: new Set<string>() };
  private startFunction: OperatorStart;
  private current: Incarnation | undefined;
  private stopCurrent: (() => Promise<void>) | undefined;
  private lives = 0;
  /** What the start function rejected with, where it did: the process ended by itself. */
  failure: unknown;

  constructor(options: OperatorOptions) {
    this.name = options.name;
    this.options = options;
    this.user = options.identity ?? {
      name: `system:serviceaccount:operators:${options.name}`,
      groups: ['system:masters', 'system:serviceaccounts', 'system:authenticated'],
    };
    this.startFunction = options.start;
  }

  /** Whether its process runs. */
  get isRunning(): boolean {
    return this.current?.isAlive === true;
  }

  /** How many writes it has sent in all its lives. */
  get writes(): number {
    return this.counts.write;
  }

  /** How many external calls it has made in all its lives. */
  get externalCalls(): number {
    return this.counts.external;
  }

  /** The kinds that it has watched, and those that it has written, by plural name. */
  get kinds(): { readonly watched: readonly string[]; readonly written: readonly string[] } {
    return { watched: [...this.seen.watched].sort(), written: [...this.seen.written].sort() };
  }

  /** How many times it was started. */
  get incarnations(): number {
    return this.lives;
  }

  /** Starts the process; the present one is crashed first, where there is one. With a start function, as another version from now on. */
  start(version: OperatorStart = this.startFunction): void {
    this.current?.crash();
    this.startFunction = version;
    this.lives += 1;
    const { scheduler, network } = this.options;
    const incarnation = new Incarnation(this.lives, scheduler);
    this.current = incarnation;
    const identity = `${this.name}-${this.lives}`;
    const environment: OperatorEnvironment = {
      transport: this.transport(incarnation),
      clock: incarnation.clock,
      random: scheduler.randomFor(identity),
      http: operatorFetch({
        inner: network.fetchAs(`operator ${this.name}`),
        incarnation,
        before: (method, url) => this.before('external', method, url),
        after: (call) => this.after(call),
      }),
      serve: (origin, handler) => {
        if (!incarnation.isAlive) return;
        network.external(origin, handler);
        incarnation.whenEnded(() => network.external(origin, undefined));
      },
      identity,
      incarnation: this.lives,
    };
    this.record('start', this.name, `life ${this.lives}`);
    incarnation.after(0, 'operator start', () => {
      version(environment).then(
        ({ stop }) => {
          if (incarnation.isAlive) this.stopCurrent = stop;
        },
        (error: unknown) => {
          if (!incarnation.isAlive) return;
          this.failure = error;
          this.record('fail', this.name, error instanceof Error ? error.message : String(error));
          incarnation.crash();
        },
      );
    });
  }

  /** Ends the process at once: nothing that it waits for comes any more, and its timers are gone. */
  crash(): void {
    if (!this.isRunning) return;
    this.record('crash', this.name);
    this.current?.crash();
    this.stopCurrent = undefined;
  }

  /** Crashes the process, and starts it again after a delay. */
  restart(afterMs = 1000): void {
    this.crash();
    this.options.scheduler.schedule(afterMs, 'operator restart', () => {
      if (!this.isRunning) this.start();
    });
  }

  /** Ends the process in good order. Resolves while the cluster runs. */
  async stop(): Promise<void> {
    const incarnation = this.current;
    await this.stopCurrent?.();
    incarnation?.crash();
  }

  /** Stops the process in its tracks for a while: it notices nothing, and goes on afterwards as if nothing had been. */
  pause(forMs: number): void {
    this.record('pause', this.name, `${forMs} ms`);
    this.current?.pause(forMs);
  }

  /** Sets the process's clock forward or back. */
  skewClock(byMs: number): void {
    this.record('set clock of', this.name, `${byMs} ms`);
    this.current?.skew(byMs);
  }

  /** Asks `hooks` about every call from now on. Returns how to take them out. */
  hook(hooks: OperatorHooks): () => void {
    this.hooks.add(hooks);
    return () => this.hooks.delete(hooks);
  }

  /** Holds up watch events of a kind (its plural name), so that the operator's cache grows stale. Returns how to let them go on. */
  holdEvents(plural: string): () => void {
    this.record('hold events', plural);
    this.heldKinds.add(plural);
    for (const pipe of this.pipes.get(plural) ?? []) pipe.hold();
    return () => {
      if (!this.heldKinds.delete(plural)) return;
      this.record('release events', plural);
      for (const pipe of this.pipes.get(plural) ?? []) pipe.release();
    };
  }

  /** Throws away the events of a kind that are held up, and makes the operator list again: what happened between it never learns. */
  expireEvents(plural: string): void {
    this.record('expire watches', plural);
    this.heldKinds.delete(plural);
    for (const pipe of this.pipes.get(plural) ?? []) pipe.expire();
  }

  /**
   * Shows a kind, to anyone who lists or watches it again within the next `forMs`, as it was `backMs` ago: what an operator sees that restarts against an API
   * server that lags behind. What is shown stays as it is until the time is over.
   */
  travelBack(plural: string, backMs: number, forMs: number): void {
    const { scheduler, revisionAt } = this.options;
    const now = scheduler.now();
    this.record('show the past of', plural, `${backMs} ms ago`);
    this.past.set(plural, { revision: revisionAt(now - backMs), until: now + forMs });
  }

  /** Ends what `travelBack` shows: no API server lags behind that has just started. */
  endTravel(): void {
    this.past.clear();
  }

  private transport(incarnation: Incarnation): Transport {
    const { transport, scheduler } = this.options;
    return new OperatorTransport({
      inner: transport(this.user, this.name),
      incarnation,
      scheduler,
      before: (kind, method, target) => this.before(kind, method, target),
      after: (call) => this.after(call),
      watching: (plural, pipe) => this.watching(plural, pipe),
      pastOf: (plural) => this.pastOf(plural),
      delivered: (plural, chunk) => {
        const event = eventName(chunk);
        if (!event.startsWith('BOOKMARK')) this.record('receive', plural, event);
      },
    });
  }

  private watching(plural: string, pipe: WatchPipe): () => void {
    const pipes = this.pipes.get(plural) ?? new Set();
    this.pipes.set(plural, pipes.add(pipe));
    this.seen.watched.add(plural);
    const past = this.pastOf(plural);
    if (past !== undefined) {
      pipe.hold();
      const { scheduler } = this.options;
      scheduler.schedule(past.until - scheduler.now(), 'the past is over', () => pipe.release());
    }
    if (this.heldKinds.has(plural)) pipe.hold();
    return () => pipes.delete(pipe);
  }

  private pastOf(plural: string): { readonly revision: number; readonly until: Instant } | undefined {
    const past = this.past.get(plural);
    return past !== undefined && past.until > this.options.scheduler.now() ? past : undefined;
  }

  private before(
    kind: OperatorCall['kind'],
    method: string,
    target: string,
  ): { readonly call: OperatorCall; readonly verdict: Verdict | undefined } {
    this.counts[kind] += 1;
    const call: OperatorCall = { operator: this.name, kind, number: this.counts[kind], method, target };
    if (kind === 'write') this.seen.written.add(kindOfPath(target));
    if (kind === 'external') this.record('call', `${method} ${target}`);
    return { call, verdict: this.ask('before', call) };
  }

  private after(call: OperatorCall): Verdict | undefined {
    return this.ask('after', call);
  }

  private ask(when: 'before' | 'after', call: OperatorCall): Verdict | undefined {
    for (const hooks of this.hooks) {
      const verdict = hooks[when]?.(call);
      if (verdict === undefined) continue;
      if ('crash' in verdict) this.crash();
      return verdict;
    }
    return undefined;
  }

  private record(action: string, subject: string, outcome?: string): void {
    const { trace, scheduler } = this.options;
    trace.add({
      at: scheduler.now(),
      actor: `operator ${this.name}`,
      action,
      subject,
      ...(outcome !== undefined && { outcome }),
    });
  }
}

/** The plural name of the kind that an API path is about. */
function kindOfPath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '');
  const place = parts.slice(parts[0] === 'api' ? 2 : 3);
  return (place[0] === 'namespaces' && place.length > 2 ? place[2] : place[0]) ?? '';
}

/** What a watch event is about, for the trace: its type, name and version, without reading it as JSON. */
function eventName(chunk: Uint8Array): string {
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
  const type = /"type":"([A-Z]+)"/.exec(text)?.[1] ?? '';
  const name = /"metadata":\{[^{}]*?"name":"([^"]+)"/.exec(text)?.[1] ?? '';
  const version = /"resourceVersion":"(\d+)"/.exec(text)?.[1] ?? '';
  return `${type} ${name}@${version}`;
}
