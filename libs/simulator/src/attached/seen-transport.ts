import type { Transport, TransportChannel, TransportReply, TransportRequest } from '@ordinal/client';
import type { Mirror } from './mirror.ts';
import { wholeReply } from './whole-reply.ts';

const lookAgainMs = 2;
const patienceMs = 2_000;

interface Reply {
  readonly metadata?: { readonly resourceVersion?: string };
}

/** A way on which a write's reply comes when what was written can be seen in the mirror, as in the simulation, where nothing lies between the two. */
export class SeenTransport implements Transport {
  private readonly inner: Transport;
  private readonly mirror: Mirror;

  constructor(inner: Transport, mirror: Mirror) {
    this.inner = inner;
    this.mirror = mirror;
  }

  /** Sends a request. */
  async send(request: TransportRequest): Promise<TransportReply> {
    const reply = await this.inner.send(request);
    if (request.method === 'GET' || reply.status >= 300) return reply;
    const whole = await wholeReply(reply);
    await this.seen(request, whole.bytes.toString('utf8'));
    return whole.reply;
  }

  /** Opens a channel of messages. */
  connect(request: TransportRequest & { readonly protocols: readonly string[] }): Promise<TransportChannel> {
    return this.inner.connect(request);
  }

  /** As the inner one. */
  close(): Promise<void> {
    return this.inner.close();
  }

  private async seen({ method, path }: TransportRequest, text: string): Promise<void> {
    const version = Number((JSON.parse(text) as Reply).metadata?.resourceVersion ?? 0);
    const [kind, key] = addressOf(path);
    const before = this.mirror.get(kind, key)?.metadata.uid;
    const isSeen = (): boolean =>
      method === 'DELETE' && version === 0
        ? before === undefined || this.mirror.get(kind, key)?.metadata.uid !== before
        : Number(this.mirror.get(kind, key)?.metadata.resourceVersion ?? Infinity) >= version;
    for (let left = patienceMs; left > 0 && method !== 'POST' && !isSeen(); left -= lookAgainMs)
      await new Promise<void>((resolve) => setTimeout(resolve, lookAgainMs));
  }
}

/** The kind, as the mirror names it, and the key that a path is about. */
function addressOf(path: string): readonly [kind: string, key: string] {
  const parts = (path.split('?', 1)[0] ?? '').split('/').filter((part) => part !== '');
  const group = parts[0] === 'api' ? '' : (parts[1] ?? '');
  const place = parts.slice(group === '' ? 2 : 3);
  const [namespace, plural = '', name = ''] =
    place[0] === 'namespaces' && place.length > 3 ? [place[1], place[2], place[3]] : [undefined, place[0], place[1]];
  return [group === '' ? plural : `${plural}.${group}`, namespace === undefined ? name : `${namespace}/${name}`];
}
