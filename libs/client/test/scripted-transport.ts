import type { Clock } from '../src/clock.ts';
import { TransportError } from '../src/error.ts';
import type { Transport, TransportRequest } from '../src/transport.ts';

/** One reply: JSON, text, bytes chunk by chunk, a failure, or silence until the signal. */
export type Reply =
  | 'silence'
  | { readonly fail: TransportError['code']; readonly unsent?: boolean }
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
      readonly text?: string;
      readonly chunks?: readonly Uint8Array[];
    };

/** A transport that gives prepared replies, one for each request, and remembers the requests. */
export interface ScriptedTransport extends Transport {
  readonly sent: TransportRequest[];
  /** When each request was sent. */
  readonly sentAt: number[];
}

/** A transport that gives the replies in their order, and records what was sent. */
export function scriptedTransport(
  replies: readonly Reply[],
  clock: Pick<Clock, 'now'> = { now: () => 0 },
): ScriptedTransport {
  const sent: TransportRequest[] = [];
  const sentAt: number[] = [];
  return {
    sent,
    sentAt,
    async send(request) {
      const reply = replies[sent.length];
      sent.push(request);
      sentAt.push(clock.now());
      if (reply === undefined) throw new Error(`no reply was prepared for ${request.method} ${request.path}`);
      if (reply === 'silence') return silence(request.signal);
      if ('fail' in reply) throw new TransportError(reply.fail, 'as prepared', { unsent: reply.unsent ?? false });
      const text = reply.text ?? JSON.stringify(reply.body);
      const chunks = reply.chunks ?? [Buffer.from(text)];
      return {
        status: reply.status ?? 200,
        headers: reply.headers ?? {},
        body: (async function* () {
          yield* chunks;
        })(),
      };
    },
    connect: () => Promise.reject(new Error('not prepared')),
    close: () => Promise.resolve(),
  };
}

function silence(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    const fail = (): void => reject(new TransportError('Aborted', 'aborted', { cause: signal?.reason }));
    if (signal?.aborted) fail();
    signal?.addEventListener('abort', fail, { once: true });
  });
}
