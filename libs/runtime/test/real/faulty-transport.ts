import { setTimeout as pause } from 'node:timers/promises';
import type { Transport, TransportReply, TransportRequest } from '@ordinal/client';

/** What a faulty way does to requests; each fault says how often it struck. */
export type Fault = 'expired' | 'too many requests' | 'error on list' | 'slow' | 'stalled';

/** A way to a real server that answers for it now and then. Resets are the TCP proxy's part. */
export class FaultyTransport implements Transport {
  readonly struck = new Map<Fault, number>();
  readonly #inner: Transport;
  #fault: Fault | undefined;

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  /** From now on this, or nothing. */
  set(fault: Fault | undefined): void {
    this.#fault = fault;
  }

  async send(request: TransportRequest): Promise<TransportReply> {
    const isWatch = request.path.includes('watch=true');
    const isList = request.method === 'GET' && !isWatch && request.path.includes('limit=');
    switch (this.#fault) {
      case 'expired':
        // A server that has just compacted its history: the watch's revision is gone, and so, a moment later, is the next one.
        if (isWatch) return this.#instead('expired', 410, 'Expired');
        break;
      case 'error on list':
        if (isWatch) return this.#instead('error on list', 410, 'Expired');
        if (isList) return this.#instead('error on list', 500, 'InternalError');
        break;
      case 'too many requests':
        return this.#instead('too many requests', 429, undefined);
      case 'slow':
        this.#count('slow');
        await pause(150, undefined, { ...(request.signal !== undefined && { signal: request.signal }) });
        break;
      default:
    }
    const reply = await this.#inner.send(request);
    return { ...reply, body: this.#passing(reply.body) };
  }

  connect(request: Parameters<Transport['connect']>[0]): ReturnType<Transport['connect']> {
    return this.#inner.connect(request);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  /** A stalled stream keeps what came until the fault is over. */
  async *#passing(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of body) {
      if (this.#fault === 'stalled') this.#count('stalled');
      while (this.#fault === 'stalled') await pause(20);
      yield chunk;
    }
  }

  #count(fault: Fault): void {
    this.struck.set(fault, (this.struck.get(fault) ?? 0) + 1);
  }

  #instead(fault: Fault, code: number, reason: string | undefined): TransportReply {
    this.#count(fault);
    // Under load the server itself answers in plain text, and says when to come back.
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: fault };
    const text = reason === undefined ? 'Too many requests, please try again later.' : JSON.stringify(status);
    const body = (async function* () {
      await Promise.resolve();
      yield Buffer.from(text);
    })();
    return { status: code, headers: reason === undefined ? { 'retry-after': '1' } : {}, body };
  }
}
