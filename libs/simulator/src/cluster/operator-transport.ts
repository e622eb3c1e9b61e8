import type { Status, Transport, TransportChannel, TransportReply, TransportRequest } from '@ordinal/client';
import { ApiError, TransportError } from '@ordinal/client';
import type { Scheduler } from '../scheduler/scheduler.ts';
import { integerBetween } from '../scheduler/random.ts';
import type { Incarnation } from './incarnation.ts';
import { wayMs } from './incarnation.ts';
import type { OperatorCall, Verdict } from './operator-call.ts';
import { atRevision, watchFromPast } from './past.ts';
import { WatchPipe } from './watch-pipe.ts';

/** What an operator's transport works with. */
export interface OperatorTransportOptions {
  readonly inner: Transport;
  readonly incarnation: Incarnation;
  readonly scheduler: Scheduler;
  /** Counts a call, and asks the faults what becomes of it. */
  readonly before: (
    kind: OperatorCall['kind'],
    method: string,
    target: string,
  ) => { readonly call: OperatorCall; readonly verdict: Verdict | undefined };
  readonly after: (call: OperatorCall) => Verdict | undefined;
  /** A watch of a kind was opened. Returns what to call when it ends. */
  readonly watching: (plural: string, pipe: WatchPipe) => () => void;
  /** The revision at which a kind is shown for now, where it is shown as it was. */
  readonly pastOf: (plural: string) => { readonly revision: number } | undefined;
  readonly delivered: (plural: string, chunk: Uint8Array) => void;
}

/** A promise that is never settled: what a dead process waits for. */
const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

/**
 * An operator's way to the API server, in virtual time: requests, replies and watch events take some time each, and faults can end the operator at any
 * of these points, or lose what is on the way.
 */
export class OperatorTransport implements Transport {
  private readonly options: OperatorTransportOptions;

  constructor(options: OperatorTransportOptions) {
    this.options = options;
    options.incarnation.whenEnded(() => void options.inner.close());
  }

  /** Sends a request, or opens a watch. */
  async send(request: TransportRequest): Promise<TransportReply> {
    const [path = '', query = ''] = request.path.split('?', 2);
    const isWatch = request.method === 'GET' && /(^|&)watch=(true|1)/.test(query);
    if (isWatch) return this.watch(request, path);
    const { call, verdict } = this.options.before(kindOf(request.method, path), request.method, path);
    const refused = await this.judge(verdict, { request, sent: false });
    if (refused !== undefined) return refused;
    await this.way(request.signal);
    const reply = await this.options.inner.send(this.asOfPast(request, path));
    const refusedAfter = await this.judge(this.options.after(call), { request, sent: true });
    await this.way(request.signal);
    return refusedAfter ?? reply;
  }

  /** Opens a channel of messages. */
  async connect(request: TransportRequest & { readonly protocols: readonly string[] }): Promise<TransportChannel> {
    const [path = ''] = request.path.split('?', 1);
    const { call, verdict } = this.options.before('external', 'CONNECT', path);
    const refused = verdict !== undefined && 'status' in verdict ? verdict.status : undefined;
    await this.judge(verdict, { request, sent: false });
    if (refused !== undefined) throw new ApiError(statusOf(refused), `CONNECT ${path}`);
    await this.way(request.signal);
    const channel = await this.options.inner.connect(request);
    await this.judge(this.options.after(call), { request, sent: true });
    return channel;
  }

  /** Ends the inner transport's connections. */
  close(): Promise<void> {
    return this.options.inner.close();
  }

  private async watch(request: TransportRequest, path: string): Promise<TransportReply> {
    const { inner, incarnation, scheduler, watching, delivered } = this.options;
    await this.way(request.signal);
    const plural = path.split('/').at(-1) ?? '';
    const past = this.options.pastOf(plural);
    const shown = past === undefined ? undefined : await watchFromPast(inner, request, past.revision);
    const reply = shown?.reply ?? (await inner.send(request));
    await this.way(request.signal);
    if (reply.status !== 200) return reply;
    const pipe = new WatchPipe(reply.body, { incarnation, scheduler, delivered: (chunk) => delivered(plural, chunk) });
    pipe.begin(shown?.initial ?? []);
    return { ...reply, body: pipe.read(watching(plural, pipe)) };
  }

  /** Has the call wait, answers it, or lets it fail, as the faults have it. */
  private async judge(
    verdict: Verdict | undefined,
    { request, sent }: { readonly request: TransportRequest; readonly sent: boolean },
  ): Promise<TransportReply | undefined> {
    if (verdict === undefined) return undefined;
    if ('crash' in verdict || 'hang' in verdict) return untilAborted(request.signal);
    if ('delayMs' in verdict) {
      await this.wait(verdict.delayMs, request.signal);
      return undefined;
    }
    await this.way(request.signal);
    if ('refuse' in verdict || 'status' in verdict) {
      await this.way(request.signal);
      return statusReply('refuse' in verdict ? verdict.refuse : statusOf(verdict.status));
    }
    const when = sent ? 'before the reply came' : 'before the request arrived';
    throw new TransportError('ConnectionFailed', `the connection was lost ${when}`);
  }

  /** A list, at the revision at which the kind is shown for now. One that asks for a later revision gets it: no server shows such a one the past. */
  private asOfPast(request: TransportRequest, path: string): TransportRequest {
    const past = request.method === 'GET' ? this.options.pastOf(path.split('/').at(-1) ?? '') : undefined;
    if (past === undefined) return request;
    const query = new URLSearchParams(request.path.split('?', 2)[1]);
    const isBound = query.get('resourceVersionMatch') === 'NotOlderThan';
    if (isBound && Number(query.get('resourceVersion')) > past.revision) return request;
    return atRevision(request, past.revision);
  }

  private way(signal: AbortSignal | undefined): Promise<void> {
    return this.wait(integerBetween(this.options.scheduler.random, wayMs[0], wayMs[1]), signal);
  }

  private wait(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
    const { incarnation } = this.options;
    if (!incarnation.isAlive) return never();
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        timer.cancel();
        reject(aborted(signal));
      };
      const timer = incarnation.after(delayMs, 'operator request', () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      });
      if (signal?.aborted === true) abort();
      else signal?.addEventListener('abort', abort, { once: true });
    });
  }
}

function aborted(signal: AbortSignal | undefined): TransportError {
  return new TransportError('Aborted', 'the request was aborted', { cause: signal?.reason });
}

function untilAborted<T>(signal: AbortSignal | undefined): Promise<T> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(aborted(signal)), { once: true });
  });
}

/** A request through the proxy asks a pod, and only that. */
function kindOf(method: string, path: string): OperatorCall['kind'] {
  if (path.includes('/proxy/')) return 'external';
  return method === 'GET' || isReview(path) ? 'read' : 'write';
}

/** What the API server says where whom it was to ask answers with this code. */
function statusOf(code: number): Status {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message: `answered with ${code}` };
}

/** Reviews are created and store nothing. */
function isReview(path: string): boolean {
  return path.endsWith('reviews');
}

const encoder = new TextEncoder();

function statusReply(status: Status): TransportReply {
  const bytes = encoder.encode(JSON.stringify(status));
  const retryAfter = status.details?.retryAfterSeconds;
  return {
    status: status.code,
    headers: {
      'content-type': 'application/json',
      ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    },
    body: (async function* (): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(bytes);
    })(),
  };
}
