import type { Transport, TransportReply, TransportRequest } from '@ordinal/client';
import { TransportError } from '@ordinal/client';
import { madeBy, notThere } from './unknown.ts';

/** A write that a reconcile has asked for. */
export interface PlannedWrite {
  readonly method: string;
  /** The API path without its query. */
  readonly path: string;
  readonly body: unknown;
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object after a merge patch (RFC 7386). */
function merged(base: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const before = isObject(base) ? base : {};
  const kept = Object.entries(before).filter(([key]) => patch[key] === undefined);
  const set = Object.entries(patch).filter(([, value]) => value !== null);
  return Object.fromEntries([...kept, ...set.map(([key, value]) => [key, merged(before[key], value)] as const)]);
}

/** The object without a subresource in its path: `…/pods/sessions-0`. */
const objectPath = (path: string): string => path.replace(/\/(status|scale|finalizers)$/, '');

/** Asks an API server for a list as old as it has. */
const anyVersion = '0';

const notFound = {
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  code: 404,
  reason: 'NotFound',
  message: 'not found',
};

/** What a pretended API server is made with. */
interface PretendOptions {
  readonly now: () => string;
  /** No write is answered once it is aborted. */
  readonly ended: AbortSignal;
  /** Called with each write that is answered. */
  readonly onWrite?: (write: PlannedWrite) => void;
}

/**
 * A way to an API server that lets reads through, and answers writes itself as if they had been carried out: nothing is written. What it answers stays so for the reads
 * that follow. Lists of a namespace have what was changed and not what is gone; what was created is not in them.
 */
export class PretendTransport implements Transport {
  readonly #real: Transport;
  readonly #writes: PlannedWrite[] = [];
  readonly #now: () => string;
  /** What objects have become, by path; undefined for those that are gone. */
  readonly #changed = new Map<string, Json | undefined>();
  /** The last versions that the API server knows, by those that were made up since. */
  readonly #known = new Map([[notThere, anyVersion]]);
  readonly #ended: AbortSignal;
  readonly #onWrite: (write: PlannedWrite) => void;

  constructor(real: Transport, options: PretendOptions) {
    this.#real = real;
    this.#now = options.now;
    this.#ended = options.ended;
    this.#onWrite = options.onWrite ?? (() => undefined);
  }

  /** What was asked for, in order. */
  get writes(): readonly PlannedWrite[] {
    return this.#writes;
  }

  /** What single objects have become, by their paths. */
  get changed(): ReadonlyMap<string, Json | undefined> {
    return this.#changed;
  }

  /** Has an object be as it is given from now on. */
  assume(path: string, object: object): void {
    this.#changed.set(path, object as Json);
  }

  /** Passes a read on, and answers a write. Rejects with a `TransportError` where the plan has ended. */
  async send(request: TransportRequest): Promise<TransportReply> {
    const [path = ''] = request.path.split('?');
    if (request.method === 'GET') return this.#read(request, path);
    if (this.#ended.aborted) throw new TransportError('Aborted', 'the plan ends here', { unsent: true });
    const body: unknown = request.body === undefined ? undefined : JSON.parse(Buffer.from(request.body).toString());
    const { 'content-type': type = '' } = request.headers ?? {};
    const write = { method: request.method, path, body };
    if (request.path.includes('dryRun=')) return reply((await this.#outcome(write, type)).object);
    this.#writes.push(write);
    this.#onWrite(write);
    return reply(await this.#carriedOut(write, type));
  }

  /** Commands and streams are not opened. */
  connect(): ReturnType<Transport['connect']> {
    return Promise.reject(new TransportError('Aborted', 'a plan runs no commands', { unsent: true }));
  }

  /** Closes what is behind it. */
  async close(): Promise<void> {
    await this.#real.close();
  }

  async #read(request: TransportRequest, path: string): Promise<TransportReply> {
    if (this.#changed.has(path)) return reply(this.#changed.get(path));
    const asked = request.path.replace(
      /([?&]resourceVersion=)([^&]+)/,
      (_all, name: string, version: string) => name + (this.#known.get(version) ?? version),
    );
    const found = await this.#real.send({ ...request, path: asked });
    const isList = [...this.#changed.keys()].some((changed) => changed.startsWith(`${path}/`));
    if (!isList || found.status !== 200) return found;
    const list = await jsonOf(found);
    const { items = [] } = list as { readonly items?: readonly Json[] }; // Of a list.
    const placed = items.map((item) => {
      const at = `${path}/${(item['metadata'] as { readonly name: string }).name}`;
      return this.#changed.has(at) ? this.#changed.get(at) : item;
    });
    return reply({ ...list, items: placed.filter((item) => item !== undefined) });
  }

  async #carriedOut(write: PlannedWrite, type: string): Promise<Json> {
    if (write.method === 'DELETE') {
      this.#changed.set(write.path, undefined);
      return { kind: 'Status', apiVersion: 'v1', status: 'Success' };
    }
    const { at, object } = await this.#outcome(write, type);
    this.#changed.set(at, object);
    return object;
  }

  /** What a write makes of an object, and where that is. */
  async #outcome({ method, path, body }: PlannedWrite, type: string): Promise<{ at: string; object: Json }> {
    const at = objectPath(path);
    const base = method === 'POST' ? undefined : await this.#present(at);
    // A JSON patch is used for finalizers alone, whose reply is read for its version.
    const next = type.startsWith('application/json-patch') ? base : (merged(base, body) as Json);
    const object = this.#stored(next ?? {}, base);
    const { name } = object['metadata'] as { readonly name: string };
    return { at: method === 'POST' ? `${at}/${name}` : at, object };
  }

  /** What the API server adds to a new object, and what no write changes here. The version is that of the write. */
  #stored(object: Json, base: Json | undefined): Json {
    const metadata = object['metadata'] as Json;
    const before = (base?.['metadata'] ?? { creationTimestamp: this.#now(), generation: 1 }) as Json;
    const made = madeBy(this.#writes.length);
    const { creationTimestamp, generation, uid = made } = before;
    const version = base === undefined ? notThere : String((base['metadata'] as Json)['resourceVersion']);
    this.#known.set(made, this.#known.get(version) ?? version);
    const generated = typeof metadata['generateName'] === 'string' ? `${metadata['generateName']}planned` : undefined;
    const name = metadata['name'] ?? generated;
    return { ...object, metadata: { ...metadata, name, uid, creationTimestamp, generation, resourceVersion: made } };
  }

  async #present(path: string): Promise<Json | undefined> {
    if (this.#changed.has(path)) return this.#changed.get(path);
    const found = await this.#real.send({ method: 'GET', path, headers: { accept: 'application/json' } });
    const object = await jsonOf(found);
    return found.status === 200 ? object : undefined;
  }
}

async function jsonOf({ body }: TransportReply): Promise<Json> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString()) as Json;
}

function reply(object: Json | undefined): TransportReply {
  const body = Buffer.from(JSON.stringify(object ?? notFound));
  const chunks = async function* () {
    yield await Promise.resolve(body);
  };
  return { status: object === undefined ? 404 : 200, headers: { 'content-type': 'application/json' }, body: chunks() };
}
