import type { Transport, TransportChannel, TransportReply, TransportRequest } from '@ordinal/client';

/** A resource as far as its status is compared. */
export interface Spoken {
  readonly status?: {
    readonly phase?: string;
    readonly upgrade?: { readonly step?: string };
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
  };
}

/** What a status says, in a line: the phase, the step, and each condition. */
export function lineOf({ status = {} }: Spoken): string {
  const { phase = '-', upgrade, conditions = [] } = status;
  const each = conditions.map(({ type, status: is, reason }) => `${type}=${is} ${reason}`).sort();
  return [phase, upgrade?.step ?? '-', ...each].join(', ');
}

/** An operator's way to the API server on which each status is noted that it writes. */
export class StatusTap implements Transport {
  private readonly inner: Transport;
  private readonly note: (resource: string, line: string) => void;

  /** `note` is called with whose status it is, as `namespace/name`, and with its line. */
  constructor(inner: Transport, note: (resource: string, line: string) => void) {
    this.inner = inner;
    this.note = note;
  }

  /** Sends a request. */
  async send(request: TransportRequest): Promise<TransportReply> {
    const reply = await this.inner.send(request);
    const [, namespace, name] = /\/namespaces\/([^/]+)\/[^/]+\/([^/]+)\/status(\?|$)/.exec(request.path) ?? [];
    if (request.method !== 'PATCH' || name === undefined || reply.status >= 300) return reply;
    const chunks: Uint8Array[] = [];
    for await (const chunk of reply.body) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    this.note(`${namespace}/${name}`, lineOf(JSON.parse(body.toString('utf8')) as Spoken));
    return {
      ...reply,
      body: (async function* (): AsyncGenerator<Uint8Array> {
        yield await Promise.resolve(body);
      })(),
    };
  }

  /** Opens a channel of messages. */
  connect(request: TransportRequest & { readonly protocols: readonly string[] }): Promise<TransportChannel> {
    return this.inner.connect(request);
  }

  /** As the inner one. */
  close(): Promise<void> {
    return this.inner.close();
  }
}
