import { TransportError } from '@ordinal/client';
import type { Transport, TransportReply, TransportRequest } from '@ordinal/client';

interface Meta {
  name: string;
  generateName?: string;
  namespace?: string;
  uid: string;
  resourceVersion: string;
  creationTimestamp: string;
  generation: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  deletionTimestamp?: string;
}

interface Stored extends Record<string, unknown> {
  metadata: Meta;
}

interface JsonOperation {
  readonly op: 'add' | 'test';
  readonly path: string;
  readonly value: unknown;
}

interface Backup {
  readonly revision: number;
  readonly objects: ReadonlyMap<string, Stored>;
}

interface Watcher {
  readonly collection: string;
  readonly namespace: string | undefined;
  /** Nothing comes before it: a watch of a revision to come waits. */
  readonly from: number;
  push(line: unknown): void;
  end(error?: Error): void;
}

/** What a test may do with a request: nothing (undefined), reply in the server's place, or throw. */
export type Interception = (
  request: TransportRequest,
) => Promise<TransportReply | undefined> | TransportReply | undefined;

/** A reply with a JSON body. */
export function jsonReply(status: number, body: unknown): TransportReply {
  return { status, headers: { 'content-type': 'application/json' }, body: chunks(JSON.stringify(body)) };
}

/** A refusal as the API server words it. */
export function refusal(code: number, reason: string, message = reason): TransportReply {
  return jsonReply(code, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, reason, message });
}

async function* chunks(text: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(new TextEncoder().encode(text));
}

interface Address {
  readonly collection: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  readonly query: URLSearchParams;
}

/** As much of an API server as the runtime's tests need: objects, revisions, finalizers, watches, and faults on request. */
export class ScriptedApi implements Transport {
  readonly #objects = new Map<string, Stored>();
  readonly #watchers = new Set<Watcher>();
  readonly requests: string[] = [];
  intercept: Interception = () => undefined;
  /** Watch events are kept back while this is true, as from a slow watch. */
  holdEvents = false;
  readonly #held: (() => void)[] = [];
  readonly #history: { readonly revision: number; readonly key: string; readonly line: unknown }[] = [];
  #compactedAt = 0;
  #revision = 100;

  send(request: TransportRequest): Promise<TransportReply> {
    return this.#send(request);
  }

  connect(): Promise<never> {
    return Promise.reject(new TransportError('ConnectionFailed', 'no channels here'));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Ends every watch: in good order, or with an error as a broken connection has it. */
  endWatches(error?: Error): void {
    for (const watcher of [...this.#watchers]) watcher.end(error);
  }

  /** Forgets the history: watches that resume behind it get 410. */
  compact(): void {
    this.#history.length = 0;
    this.#compactedAt = this.#revision;
  }

  /** What is stored now, to come back to. */
  backUp(): Backup {
    return { revision: this.#revision, objects: new Map(this.#objects) };
  }

  /** Comes back to an older state, as a cluster whose etcd was restored: the server starts again, and counts revisions on from there. */
  restore({ revision, objects }: Backup): void {
    this.#objects.clear();
    for (const [key, object] of objects) this.#objects.set(key, object);
    this.#history.splice(0, Infinity, ...this.#history.filter((change) => change.revision <= revision));
    this.#revision = revision;
    this.endWatches(new TransportError('ConnectionFailed', 'reset'));
  }

  /** Sends what was held back. */
  releaseEvents(): void {
    this.holdEvents = false;
    for (const send of this.#held.splice(0)) send();
  }

  /** A bookmark at the present revision to every watch. */
  bookmark(): void {
    const metadata = { resourceVersion: String(this.#revision) };
    for (const watcher of this.#watchers)
      if (this.#revision >= watcher.from)
        watcher.push({ type: 'BOOKMARK', object: { kind: 'X', apiVersion: 'v1', metadata } });
  }

  get watches(): number {
    return this.#watchers.size;
  }

  async #send(request: TransportRequest): Promise<TransportReply> {
    this.requests.push(`${request.method} ${request.path.replace(/&?timeoutSeconds=\d+/, '')}`);
    if (request.signal?.aborted) throw new TransportError('Aborted', 'aborted', { cause: request.signal.reason });
    const replaced = await this.intercept(request);
    if (replaced !== undefined) return replaced;
    return this.handle(request);
  }

  /** Carries a request out, past any interception. */
  handle(request: TransportRequest): TransportReply {
    const address = parse(request.path);
    const body = request.body === undefined ? {} : (JSON.parse(String(request.body)) as Record<string, unknown>);
    switch (request.method) {
      case 'GET':
        if (address.query.get('watch') === 'true') return this.#watch(address, request.signal);
        return address.name === undefined ? this.#list(address) : this.#get(address);
      case 'POST':
        return this.#create(address, body as Stored);
      case 'PATCH':
        return Array.isArray(body) ? this.#jsonPatch(address, body as JsonOperation[]) : this.#patch(address, body);
      case 'PUT':
        return this.#patch(address, body, true);
      case 'DELETE':
        return this.#delete(address, body);
    }
  }

  /** Of field selectors it knows the name. */
  #list({ collection, namespace, query }: Address): TransportReply {
    const name = /metadata\.name=([^,]*)/.exec(query.get('fieldSelector') ?? '')?.[1];
    const items = [...this.#objects]
      .filter(([key]) => inScope(key, collection, namespace))
      .map(([, object]) => object)
      .filter(({ metadata }) => name === undefined || metadata.name === name);
    return jsonReply(200, {
      kind: 'List',
      apiVersion: 'v1',
      metadata: { resourceVersion: String(this.#revision) },
      items,
    });
  }

  #get(address: Address): TransportReply {
    const object = this.#objects.get(keyOf(address));
    return object === undefined ? refusal(404, 'NotFound') : jsonReply(200, object);
  }

  #watch({ collection, namespace, query }: Address, signal: AbortSignal | undefined): TransportReply {
    const from = Number(query.get('resourceVersion'));
    if (from < this.#compactedAt) return refusal(410, 'Expired');
    const missed = this.#history.filter(({ revision, key }) => revision > from && inScope(key, collection, namespace));
    const queue = missed.map(({ line }) => `${JSON.stringify(line)}\n`);
    let wake = (): void => undefined;
    let ended: { readonly error: Error | undefined } | undefined;
    const watcher: Watcher = {
      collection,
      namespace,
      from,
      push: (line) => {
        queue.push(`${JSON.stringify(line)}\n`);
        wake();
      },
      end: (error) => {
        ended = { error };
        this.#watchers.delete(watcher);
        wake();
      },
    };
    this.#watchers.add(watcher);
    signal?.addEventListener('abort', () => watcher.end(new TransportError('Aborted', 'aborted')));
    async function* read(): AsyncGenerator<Uint8Array> {
      for (;;) {
        const line = queue.shift();
        if (line !== undefined) yield new TextEncoder().encode(line);
        else if (ended?.error !== undefined) throw ended.error;
        else if (ended !== undefined) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    }
    return { status: 200, headers: {}, body: read() };
  }

  #create(address: Address, body: Stored): TransportReply {
    const revision = String((this.#revision += 1));
    const name =
      body.metadata.generateName === undefined ? body.metadata.name : `${body.metadata.generateName}${revision}`;
    const key = keyOf({ ...address, name });
    if (this.#objects.has(key)) return refusal(409, 'AlreadyExists');
    const metadata = { ...body.metadata, ...(address.namespace !== undefined && { namespace: address.namespace }) };
    const created: Stored = {
      ...body,
      metadata: {
        ...metadata,
        name,
        uid: `uid-${revision}`,
        resourceVersion: revision,
        creationTimestamp: '2026-01-01T00:00:00Z',
        generation: 1,
      },
    };
    this.#objects.set(key, created);
    this.#emit('ADDED', address, created);
    return jsonReply(201, created);
  }

  /** `isWhole`: what the body leaves out goes, save what only the server writes. */
  #patch(address: Address, patch: Record<string, unknown>, isWhole = false): TransportReply {
    const before = this.#objects.get(keyOf(address));
    if (before === undefined) return refusal(404, 'NotFound');
    const asked = (patch.metadata ?? {}) as Partial<Meta>;
    if (asked.resourceVersion !== undefined && asked.resourceVersion !== before.metadata.resourceVersion)
      return refusal(409, 'Conflict');
    if (asked.uid !== undefined && asked.uid !== before.metadata.uid) return refusal(409, 'Conflict');
    const part = address.subresource === 'status' ? { status: patch.status } : patch;
    const { labels: _labels, annotations: _annotations, finalizers: _finalizers, ...kept } = before.metadata;
    const whole = { ...part, metadata: { ...kept, ...asked } };
    const merged = (isWhole && address.subresource === undefined ? whole : merge(before, part)) as Stored;
    if (JSON.stringify(merged) === JSON.stringify(before)) return jsonReply(200, before);
    const specChanged = JSON.stringify(merged.spec) !== JSON.stringify(before.spec);
    const generation = before.metadata.generation + (specChanged ? 1 : 0);
    const after: Stored = {
      ...merged,
      metadata: { ...merged.metadata, generation, resourceVersion: String((this.#revision += 1)) },
    };
    return this.#store(address, after);
  }

  /** `add` and `test`, at paths through members and array positions. */
  #jsonPatch(address: Address, operations: readonly JsonOperation[]): TransportReply {
    const before = this.#objects.get(keyOf(address));
    if (before === undefined) return refusal(404, 'NotFound');
    const after = structuredClone(before) as Record<string, unknown>;
    for (const { op, path, value } of operations) {
      const names = path.split('/').slice(1);
      const last = names.pop() ?? '';
      const place = names.reduce((at, name) => at[name] as Record<string, unknown>, after);
      if (op === 'test' && place[last] !== value) return refusal(422, 'Invalid');
      if (op === 'add') place[last] = value;
    }
    return this.#patch(address, after);
  }

  #delete(address: Address, options: Record<string, unknown>): TransportReply {
    const before = this.#objects.get(keyOf(address));
    if (before === undefined) return refusal(404, 'NotFound');
    const { uid } = (options.preconditions ?? {}) as { uid?: string };
    if (uid !== undefined && uid !== before.metadata.uid) return refusal(409, 'Conflict');
    const metadata = {
      ...before.metadata,
      deletionTimestamp: '2026-01-01T00:00:00Z',
      resourceVersion: String((this.#revision += 1)),
    };
    return this.#store(address, { ...before, metadata });
  }

  #store(address: Address, after: Stored): TransportReply {
    const gone = after.metadata.deletionTimestamp !== undefined && (after.metadata.finalizers ?? []).length === 0;
    if (gone) this.#objects.delete(keyOf(address));
    else this.#objects.set(keyOf(address), after);
    this.#emit(gone ? 'DELETED' : 'MODIFIED', address, after);
    return jsonReply(200, after);
  }

  #emit(type: string, address: Address, object: Stored): void {
    const key = keyOf({ ...address, name: object.metadata.name });
    this.#history.push({ revision: this.#revision, key, line: { type, object } });
    for (const watcher of this.#watchers) {
      if (!inScope(key, watcher.collection, watcher.namespace) || this.#revision <= watcher.from) continue;
      const send = (): void => watcher.push({ type, object });
      if (this.holdEvents) this.#held.push(send);
      else send();
    }
  }
}

function merge(base: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> =
    typeof base === 'object' && base !== null && !Array.isArray(base) ? { ...base } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    if (value === null) Reflect.deleteProperty(result, name);
    else result[name] = merge(result[name], value);
  }
  return result;
}

function parse(path: string): Address {
  const url = new URL(path, 'http://api');
  const [root, ...segments] = url.pathname.split('/').filter((segment) => segment !== '');
  const group = segments.splice(0, root === 'api' ? 1 : 2).join('/');
  const namespace = segments[0] === 'namespaces' && segments.length > 2 ? segments.splice(0, 2)[1] : undefined;
  const [plural, name, subresource] = segments;
  return { collection: `${group}/${plural ?? ''}`, namespace, name, subresource, query: url.searchParams };
}

function keyOf({ collection, namespace, name }: Pick<Address, 'collection' | 'namespace' | 'name'>): string {
  return `${collection}|${namespace ?? ''}|${name ?? ''}`;
}

function inScope(key: string, collection: string, namespace: string | undefined): boolean {
  return key.startsWith(namespace === undefined ? `${collection}|` : `${collection}|${namespace}|`);
}
