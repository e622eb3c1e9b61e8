import type { Scheduler } from '../scheduler/scheduler.ts';
import { abortable } from './abortable.ts';
import { candidates } from './names.ts';
import type { Answer, Lookup, NameServer, Origin, RecordType } from './names.ts';
import type { Eventually, SimulatedReply, SimulatedRequest } from './program.ts';
import type { FetchLike } from './fetch-like.ts';

/** Answers requests of one host. */
export type HttpHandler = (request: SimulatedRequest) => Eventually<SimulatedReply>;

/** What a fault does to one exchange. A field that is absent changes nothing. */
export interface NetworkFault {
  /** The connection is refused. */
  readonly refuse?: boolean;
  /** The request is carried out, and the reply is lost: the connection breaks. */
  readonly loseReply?: boolean;
  /** The request gets lost, and the caller waits forever. */
  readonly hang?: boolean;
  /** The answer is this status, and the request is not carried out. */
  readonly status?: number;
  /** How many milliseconds longer the request takes to arrive. */
  readonly delayMs?: number;
}

/** Looks at each request before it is sent. */
export type NetworkHook = (caller: string, request: SimulatedRequest) => NetworkFault | undefined;

/** What a request is for, and where it comes from. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly protocol: 'TCP' | 'UDP';
  /** Undefined for what is no pod: an operator, the API server, or the test. */
  readonly from?: Origin | undefined;
}

/** Finds what answers at a host and port; undefined where nothing does. */
export type HostResolver = (target: Target) => HttpHandler | undefined;

const latencyMs: readonly [number, number] = [1, 3];

/** The network that operators, pods and the outside world share. Each exchange takes virtual time. */
export class Network {
  private readonly scheduler: Scheduler;
  private readonly externals = new Map<string, HttpHandler>();
  private readonly resolvers: HostResolver[] = [];
  private readonly hooks = new Set<NetworkHook>();
  private readonly nameServers = new Map<string, NameServer>();

  constructor(scheduler: Scheduler) {
    this.scheduler = scheduler;
  }

  /** Puts a service of the test on the network, at an origin such as `http://monitor.example`. Without a handler, takes it away. */
  external(origin: string, handler: HttpHandler | undefined): void {
    const key = new URL(origin).origin;
    if (handler === undefined) this.externals.delete(key);
    else this.externals.set(key, handler);
  }

  /** A service of the test, by its host and port. */
  externalAt(host: string, port: number): HttpHandler | undefined {
    const origins = ['http', 'https'].map((scheme) => new URL(`${scheme}://${host}:${port}`).origin);
    return origins.map((origin) => this.externals.get(origin)).find((handler) => handler !== undefined);
  }

  /** Adds a way to find hosts: the cluster's pods and services. */
  addResolver(resolver: HostResolver): void {
    this.resolvers.push(resolver);
  }

  /** Puts a name server on the network, at its address. */
  nameServer(address: string, server: NameServer): void {
    this.nameServers.set(address, server);
  }

  /** Looks at each request from now on, until the returned function is called. */
  hook(hook: NetworkHook): () => void {
    this.hooks.add(hook);
    return () => this.hooks.delete(hook);
  }

  /** How names are asked for from a place. The answer takes time, as any does. */
  lookupFrom(origin: Origin): Lookup {
    return (name, type) =>
      new Promise((resolve) => {
        this.scheduler.scheduleBetween(latencyMs, 'dns', () => resolve(this.lookup(name, type, origin)));
      });
  }

  /** What the name servers of a place answer: the first of the names that it may mean and that there is. */
  private lookup(name: string, type: RecordType, { names }: Origin): Answer {
    const server = names.servers.map((address) => this.nameServers.get(address)).find((each) => each !== undefined);
    const answers = candidates(name, names).map((whole) => server?.({ name: whole, type }));
    return answers.find((answer) => (answer?.length ?? 0) > 0) ?? answers.find((answer) => answer !== undefined);
  }

  /** A `fetch` of one caller; its name stands in the requests that hooks see. */
  fetchAs(caller: string, from?: Origin): FetchLike {
    return (url, init = {}) => {
      const headers = Object.fromEntries(
        Object.entries(init.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
      );
      const request = {
        method: (init.method ?? 'GET').toUpperCase(),
        url: new URL(url),
        headers,
        body: init.body ?? '',
        ...(from && { client: from.address }),
      };
      return this.exchange({ caller, from }, request, init.signal);
    };
  }

  private exchange(
    { caller, from }: { readonly caller: string; readonly from: Origin | undefined },
    request: SimulatedRequest,
    signal?: AbortSignal,
  ): Promise<Response> {
    return abortable(signal, ({ resolve, reject }) => {
      const fault = this.faultOf(caller, request);
      if (fault.hang === true) return;
      const fail = (code: string): void =>
        reject(
          new TypeError('fetch failed', { cause: Object.assign(new Error(`${code} ${request.url.host}`), { code }) }),
        );
      const later = (label: string, action: () => void): void => {
        this.scheduler.scheduleBetween(latencyMs, label, action);
      };
      const arrive = (): void => {
        if (signal?.aborted === true) return;
        if (fault.status !== undefined) {
          later('http reply', () => resolve(responseOf(fault.status ?? 0)));
          return;
        }
        const handler = this.handlerFor(request.url, from);
        if (handler === undefined || fault.refuse === true) {
          later('http refused', () => fail(handler === undefined ? 'ENOTFOUND' : 'ECONNREFUSED'));
          return;
        }
        answer(handler, request).then(
          (reply) =>
            later('http reply', () => (fault.loseReply === true ? fail('ECONNRESET') : resolve(responseOf(reply)))),
          (error: unknown) =>
            later('http reply', () => {
              if (error instanceof ConnectionRefused) fail('ECONNREFUSED');
              else if (error instanceof ConnectionTimedOut) fail('ETIMEDOUT');
              else reject(error as Error);
            }),
        );
      };
      this.scheduler.schedule((fault.delayMs ?? 0) + 1, 'http request', arrive);
    });
  }

  private faultOf(caller: string, request: SimulatedRequest): NetworkFault {
    let merged: NetworkFault = {};
    for (const hook of this.hooks) merged = { ...merged, ...hook(caller, request) };
    return merged;
  }

  /** What answers for a URL; undefined where nothing does. */
  handlerFor(url: URL, from?: Origin): HttpHandler | undefined {
    const external = this.externals.get(url.origin);
    if (external !== undefined) return external;
    const target = { host: url.hostname, port: portOf(url), protocol: protocolOf(url), from };
    for (const resolve of this.resolvers) {
      const handler = resolve(target);
      if (handler !== undefined) return handler;
    }
    return undefined;
  }
}

/** The port that a URL leads to. */
export const portOf = ({ port, protocol }: URL): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);

const protocolOf = ({ protocol }: URL): Target['protocol'] => (protocol === 'udp:' ? 'UDP' : 'TCP');

/** A host that is there, and does not listen. */
export class ConnectionRefused extends Error {
  override readonly name = 'ConnectionRefused';
}

/** A host from which no message arrives. */
export class ConnectionTimedOut extends Error {
  override readonly name = 'ConnectionTimedOut';
}

async function answer(handler: HttpHandler, request: SimulatedRequest): Promise<SimulatedReply> {
  return handler(request);
}

/** A reply with all its parts. */
export function normalReply(reply: SimulatedReply): {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
} {
  return typeof reply === 'number' ? { status: reply, body: '', headers: {} } : { body: '', headers: {}, ...reply };
}

function responseOf(reply: SimulatedReply): Response {
  const { status, body, headers } = normalReply(reply);
  const hasNoBody = status === 204 || status === 205 || status === 304;
  return new Response(hasNoBody ? null : body, { status, headers });
}
