import type { Clock, Random } from '../clock.ts';
import { sleep } from '../clock.ts';
import { ApiError, TransportError } from '../error.ts';
import { joinSignals } from '../joined-signal.ts';
import type { ClientMetrics } from '../metrics.ts';
import type { Transport, TransportReply, TransportRequest } from '../transport.ts';
import type { Call } from './call.ts';
import { describeCall } from './call.ts';
import { beforeAbort } from './before-abort.ts';
import { startDeadline } from './deadline.ts';
import { readJson, readRefusal } from './reply.ts';
import type { RetryPolicy } from './retry.ts';
import { pauseBeforeRetry } from './retry.ts';

/** What an exchange is made of. */
export interface ExchangeSettings {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly retry: RetryPolicy;
  /** For calls that bring no `timeoutMs`. */
  readonly timeoutMs: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly repeatedHeaders: Readonly<Record<string, readonly string[]>>;
  readonly metrics: ClientMetrics | undefined;
  readonly hold: Hold;
}

/** The time before which the server, overloaded, asked to be left alone. Shared by all clients of one transport. */
interface Hold {
  until: number;
}

/** What a call's reader does with a reply, with the signal that bounds it. */
export type ReplyReader<T> = (reply: TransportReply, signal: AbortSignal) => Promise<T>;

/** Sends calls: with deadline, retry, the server's hints, metrics, and every failure as `ApiError` or `TransportError`. */
export class Exchange {
  readonly settings: ExchangeSettings;

  constructor(settings: ExchangeSettings) {
    this.settings = settings;
  }

  /** The reply as JSON. */
  json(call: Call): Promise<unknown> {
    return this.run(call, readJson);
  }

  /** Runs a call to its end, the reading of the reply included, and repeats it where that is safe. */
  async run<T>(call: Call, read: ReplyReader<T>): Promise<T> {
    const { clock, retry, random, timeoutMs, hold } = this.settings;
    const deadline = startDeadline(clock, call.options.timeoutMs ?? timeoutMs, call.options.signal, describeCall(call));
    try {
      for (let attempts = 1; ; attempts += 1) {
        deadline.signal.throwIfAborted();
        if (hold.until > clock.now()) await sleep(clock, hold.until - clock.now(), deadline.signal);
        call.options.permit?.();
        const outcome = await this.attempt(call, read, deadline.signal);
        if ('value' in outcome) return outcome.value;
        const { failure, overloaded } = outcome;
        const pause = pauseBeforeRetry({ failure, overloaded, attempts, repeatable: call.repeatable }, retry, random);
        if (overloaded) this.obey(failure);
        if (pause === undefined || deadline.signal.aborted || pause >= deadline.remainingMs()) throw failure;
        await sleep(clock, pause, deadline.signal);
      }
    } catch (failure) {
      throw deadline.explain(failure);
    } finally {
      deadline.end();
    }
  }

  /** Opens a call whose reply is read for as long as it lasts. The deadline ends with the reply's head; nothing is repeated. */
  async open(call: Call): Promise<TransportReply> {
    const { clock, timeoutMs, transport } = this.settings;
    const deadline = startDeadline(clock, call.options.timeoutMs ?? timeoutMs, undefined, describeCall(call));
    const { signal: caller } = call.options;
    const { signal, release } = joinSignals(...(caller === undefined ? [] : [caller]), deadline.signal);
    const startedAt = clock.now();
    try {
      const reply = await beforeAbort(signal, transport.send(this.request(call, signal)));
      this.observe(call, String(reply.status), startedAt);
      if (!isSuccess(reply)) throw (await beforeAbort(signal, readRefusal(reply, describeCall(call)))).error;
      return { status: reply.status, headers: reply.headers, body: readThen(release, reply.body) };
    } catch (error) {
      release();
      if (error instanceof TransportError) this.observe(call, error.code, startedAt);
      throw deadline.explain(asFailure(error, call));
    } finally {
      deadline.end();
    }
  }

  /** The request as it is handed to the transport. */
  request(call: Call, signal: AbortSignal): TransportRequest {
    const { headers, repeatedHeaders } = this.settings;
    return {
      method: call.method,
      path: call.path,
      headers: { accept: 'application/json', ...headers, ...call.headers },
      ...(Object.keys(repeatedHeaders).length > 0 && { repeatedHeaders }),
      ...(call.body !== undefined && { body: call.body }),
      signal,
    };
  }

  private async attempt<T>(call: Call, read: ReplyReader<T>, signal: AbortSignal): Promise<Outcome<T>> {
    const startedAt = this.settings.clock.now();
    const progress = { code: 'Unknown' };
    try {
      return await beforeAbort(signal, this.perform(call, read, { signal, progress }));
    } catch (error) {
      const failure = asFailure(error, call);
      if (failure instanceof TransportError) progress.code = failure.code;
      return { failure, overloaded: false };
    } finally {
      this.observe(call, progress.code, startedAt);
    }
  }

  private async perform<T>(
    call: Call,
    read: ReplyReader<T>,
    { signal, progress }: { readonly signal: AbortSignal; readonly progress: { code: string } },
  ): Promise<Outcome<T>> {
    const reply = await this.settings.transport.send(this.request(call, signal));
    progress.code = String(reply.status);
    if (isSuccess(reply) || call.anyStatus === true) return { value: await read(reply, signal) };
    const refusal = await readRefusal(reply, describeCall(call));
    return { failure: refusal.error, overloaded: refusal.overloaded };
  }

  private obey(failure: unknown): void {
    if (!(failure instanceof ApiError)) return;
    const { hold, clock } = this.settings;
    hold.until = Math.max(hold.until, clock.now() + (failure.status.details?.retryAfterSeconds ?? 0) * 1000);
  }

  private observe(call: Call, code: string, startedAt: number): void {
    const { metrics, clock } = this.settings;
    if (metrics === undefined) return;
    const { verb, group, resource, subresource } = call;
    metrics.observe({ verb, group, resource, subresource, code, durationMs: clock.now() - startedAt });
  }
}

type Outcome<T> = { readonly value: T } | { readonly failure: unknown; readonly overloaded: boolean };

function isSuccess(reply: TransportReply): boolean {
  return reply.status >= 200 && reply.status < 300;
}

/** The failure with the call named; what no transport promised to throw is passed on as it is. */
export function asFailure(error: unknown, call: Call): unknown {
  if (!(error instanceof TransportError) || error.message.startsWith(describeCall(call))) return error;
  return new TransportError(error.code, `${describeCall(call)}: ${error.message}`, {
    cause: error,
    unsent: error.unsent,
  });
}

/** The body, and `end` called when its reader has come to its end or has left it. */
async function* readThen(end: () => void, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } finally {
    end();
  }
}
