import type { KubernetesObject, Transport, TransportReply, TransportRequest } from '@ordinal/client';
import { TransportError } from '@ordinal/client';
import type { RecordedRequest } from '@ordinal/runtime/recording';
import { PretendTransport } from '../plan/pretend.ts';
import { errorOf } from './replayed-answers.ts';

/** What a replayed API server is made with. */
export interface ReplayedTransportOptions {
  readonly requests: readonly RecordedRequest[];
  /** The objects that the caches showed: what writes are made on. */
  readonly objectAt: (path: string) => KubernetesObject | undefined;
  /** What of a reply is believed. */
  readonly believed: (body: unknown) => Promise<unknown>;
  /** Called with each read that the recording does not have. */
  readonly missing: (what: string) => void;
  readonly now: () => string;
  readonly ended: AbortSignal;
}

/** Answers as the API server did when the recording was made; writes that it took are answered as if they were carried out. Nothing is sent anywhere. */
export class ReplayedTransport implements Transport {
  readonly #left = new Map<string, RecordedRequest[]>();
  readonly #options: ReplayedTransportOptions;
  readonly #pretend: PretendTransport;

  constructor(options: ReplayedTransportOptions) {
    this.#options = options;
    for (const request of options.requests) {
      const key = `${request.method} ${request.path}`;
      this.#left.set(key, [...(this.#left.get(key) ?? []), request]);
    }
    const { now, ended } = options;
    const real = {
      send: (request: TransportRequest) => this.#seen(request),
      connect: () => this.connect(),
      close: () => this.close(),
    };
    this.#pretend = new PretendTransport(real, { now, ended });
  }

  /** The reply of the recording. Rejects with a `TransportError` where none came, or where the recording has no such request. */
  async send(request: TransportRequest): Promise<TransportReply> {
    const recorded = this.#take(`${request.method} ${request.path}`);
    if (recorded?.error) throw errorOf(recorded.error);
    const isRead = request.method === 'GET';
    if (recorded === undefined && isRead) {
      this.#options.missing(`GET ${request.path}`);
      throw new TransportError('Aborted', 'the recording does not have this', { unsent: true });
    }
    if (recorded?.status !== undefined && (isRead || recorded.status >= 400))
      return reply(recorded.status, await this.#options.believed(recorded.body));
    return this.#pretend.send(request);
  }

  /** Commands are answered by the recorded environment, and streams are none of a reconcile's. */
  connect(): ReturnType<Transport['connect']> {
    return Promise.reject(new TransportError('Aborted', 'nothing is opened in a replay', { unsent: true }));
  }

  /** Nothing is open. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  #take(key: string): RecordedRequest | undefined {
    const list = this.#left.get(key);
    return list !== undefined && list.length > 1 ? list.shift() : list?.[0];
  }

  /** What a write is made on: as the recording has read it, or as the caches showed it. */
  async #seen({ path }: TransportRequest): Promise<TransportReply> {
    const read = this.#left.get(`GET ${path}`)?.at(-1);
    const object = read?.status === 200 ? read.body : this.#options.objectAt(path);
    return object === undefined ? reply(404, notFound) : reply(200, object);
  }
}

const notFound = {
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  code: 404,
  reason: 'NotFound',
  message: 'not found',
};

function reply(status: number, body: unknown): TransportReply {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? {});
  const chunks = async function* () {
    yield await Promise.resolve(Buffer.from(text));
  };
  return { status, headers: { 'content-type': 'application/json' }, body: chunks() };
}
