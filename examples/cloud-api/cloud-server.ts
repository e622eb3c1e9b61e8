/**
 * A reference server of openapi.yaml. It makes no databases: it keeps a list of them, in a file where one is given, as a cloud would.
 *
 *   node examples/cloud-api/start.mjs cloud-server --port 8080 --state databases.json [--no-idempotency] [--list-lag 5000] [--create-ms 3000] [--delete-ms 3000] [--limit 100]
 */
import { parseArgs } from 'node:util';
import { serve } from './http.ts';
import type { Database, DatabaseChange, DatabaseList, DatabaseRequest, Failure } from './generated/cloud-database.ts';
import type { Answer, Exchange, Listening } from './http.ts';
import { StateFile } from './state-file.ts';

/** How the server behaves. */
export interface CloudServerOptions {
  readonly port?: number;
  /** Where the state is kept, so that it outlives the server. */
  readonly stateFile?: string;
  /** The token that callers must show; any is welcome by default. */
  readonly token?: string;
  /** Whether Idempotency-Key is honoured. True by default. */
  readonly idempotency?: boolean;
  /** For how long a new database is missing from lists, in milliseconds. */
  readonly listLagMs?: number;
  readonly createMs?: number;
  readonly changeMs?: number;
  readonly deleteMs?: number;
  /** Calls per second; more are answered with 429. */
  readonly maxCallsPerSecond?: number;
  /** How many databases the account may have. */
  readonly quota?: number;
}

interface StoredDatabase extends Pick<Database, 'id' | 'name' | 'engine' | 'size' | 'username' | 'labels'> {
  key?: string;
  createdAt: number;
  busyUntil: number;
  goneAt?: number;
}

interface State {
  databases: StoredDatabase[];
  snapshots: string[];
  made: number;
}

/** A running cloud. */
export interface CloudServer extends Listening {
  /** What there is, as the account's owner would count it. */
  databases(): readonly { readonly id: string; readonly owner: string | undefined; readonly size: string }[];
  /** How many were ever made. */
  made(): number;
  snapshots(): readonly string[];
  /** A user deletes it by hand. */
  destroy(id: string): void;
  /** How many calls were answered, and how many of them with 429. */
  readonly counts: { calls: number; refused: number };
}

const engines = ['postgres', 'mysql'];
const sizes = ['small', 'medium', 'large'];

/** Starts the server. */
export async function startCloudServer(options: CloudServerOptions = {}): Promise<CloudServer> {
  const cloud = new Cloud(options);
  const listening = await serve((exchange) => cloud.answer(exchange), options.port);
  return {
    ...listening,
    databases: () => cloud.present().map(({ id, labels, size }) => ({ id, owner: labels['owner'], size })),
    made: () => cloud.state.made,
    snapshots: () => cloud.state.snapshots,
    destroy: (id) => cloud.destroy(id),
    counts: cloud.counts,
  };
}

const failure = (status: number, code: string, message: string, headers: Record<string, string> = {}): Answer => ({
  status,
  body: { code, message } satisfies Failure,
  headers,
});

class Cloud {
  readonly counts = { calls: 0, refused: 0 };
  readonly state: State;
  private readonly options: CloudServerOptions;
  private readonly file: StateFile<State>;
  private recent: number[] = [];

  constructor(options: CloudServerOptions) {
    this.options = options;
    this.file = new StateFile(options.stateFile);
    this.state = this.file.read({ databases: [], snapshots: [], made: 0 });
  }

  present(): StoredDatabase[] {
    return this.state.databases.filter(({ goneAt }) => goneAt === undefined || goneAt > Date.now());
  }

  destroy(id: string): void {
    this.state.databases = this.state.databases.filter((database) => database.id !== id);
    this.file.write(this.state);
  }

  answer(exchange: Exchange): Answer {
    this.counts.calls += 1;
    const { token, maxCallsPerSecond = Infinity } = this.options;
    const now = Date.now();
    this.recent = [...this.recent.filter((at) => at > now - 1_000), now];
    if (this.recent.length > maxCallsPerSecond) {
      this.counts.refused += 1;
      return failure(429, 'RateLimited', 'too many calls', { 'retry-after': '1' });
    }
    if (token !== undefined && exchange.headers.authorization !== `Bearer ${token}`) {
      return failure(401, 'Unauthenticated', 'the token is not known');
    }
    const [, version, collection, id] = exchange.path.split('/');
    if (version !== 'v1') return failure(404, 'NotFound', 'no such path');
    if (collection === 'snapshots') return { status: 200, body: { items: this.state.snapshots } };
    if (collection !== 'databases') return failure(404, 'NotFound', 'no such path');
    if (id !== undefined) return this.one(exchange, decodeURIComponent(id));
    return exchange.method === 'POST' ? this.create(exchange) : this.list(exchange.query);
  }

  private create({ body, headers }: Exchange): Answer {
    const key = headers['idempotency-key'];
    const isRepeated = this.options.idempotency !== false && typeof key === 'string';
    const earlier = isRepeated ? this.state.databases.find((database) => database.key === key) : undefined;
    if (earlier) return { status: 202, body: this.show(earlier) };
    const { name, engine, size, username, password, labels = {} } = body as Partial<DatabaseRequest>;
    if (
      !name ||
      !username ||
      !engine ||
      !engines.includes(engine) ||
      !size ||
      !sizes.includes(size) ||
      (password ?? '').length < 8
    ) {
      return failure(400, 'InvalidArgument', 'name, engine, size, username and a password of 8 characters are needed');
    }
    if (this.present().length >= (this.options.quota ?? Infinity))
      return failure(403, 'QuotaExceeded', 'the account may have no more databases');
    const now = Date.now();
    this.state.made += 1;
    const database: StoredDatabase = {
      id: `db-${this.state.made}`,
      ...{ name, engine, size, username, labels },
      ...(typeof key === 'string' ? { key } : {}),
      createdAt: now,
      busyUntil: now + (this.options.createMs ?? 50),
    };
    this.state.databases.push(database);
    this.file.write(this.state);
    return { status: 202, body: this.show(database) };
  }

  private list(query: URLSearchParams): Answer {
    const visibleSince = Date.now() - (this.options.listLagMs ?? 0);
    const [owner, name] = [query.get('owner'), query.get('name')];
    const all = this.present().filter(
      ({ createdAt, labels, name: called }) =>
        createdAt <= visibleSince &&
        (owner === null || labels['owner'] === owner) &&
        (name === null || called === name),
    );
    const start = Number(query.get('pageToken') ?? 0);
    const items = all.slice(start, start + 100).map((database) => this.show(database));
    const page: DatabaseList = {
      items,
      ...(start + 100 < all.length ? { nextPageToken: String(start + 100) } : {}),
    };
    return { status: 200, body: page };
  }

  private one({ method, query, body }: Exchange, id: string): Answer {
    const database = this.present().find((candidate) => candidate.id === id);
    if (database === undefined) return failure(404, 'NotFound', `there is no database ${id}`);
    if (method === 'GET') return { status: 200, body: this.show(database) };
    if (method === 'PATCH') return this.change(database, body as DatabaseChange);
    if (database.goneAt === undefined) {
      const snapshot = query.get('finalSnapshot');
      if (snapshot !== null && !this.state.snapshots.includes(snapshot)) this.state.snapshots.push(snapshot);
      database.goneAt = Date.now() + (this.options.deleteMs ?? 50);
      this.file.write(this.state);
    }
    return { status: 202 };
  }

  private change(database: StoredDatabase, { size, password }: DatabaseChange): Answer {
    if (database.goneAt !== undefined || database.busyUntil > Date.now())
      return failure(409, 'Busy', 'something else is being done to it');
    if (size !== undefined && !sizes.includes(size)) return failure(400, 'InvalidArgument', `there is no size ${size}`);
    if ((size !== undefined && size !== database.size) || password !== undefined) {
      database.size = size ?? database.size;
      database.busyUntil = Date.now() + (this.options.changeMs ?? 20);
      this.file.write(this.state);
    }
    return { status: 202, body: this.show(database) };
  }

  private show(database: StoredDatabase): Database {
    const { id, name, engine, size, username, labels, createdAt, busyUntil, goneAt } = database;
    const isFresh = busyUntil - createdAt <= (this.options.createMs ?? 50);
    const isBusy = Date.now() < busyUntil;
    const status = goneAt !== undefined ? 'deleting' : isBusy ? (isFresh ? 'creating' : 'modifying') : 'available';
    const endpoint =
      status === 'creating'
        ? {}
        : { endpoint: { host: `${id}.cloud.example`, port: engine === 'mysql' ? 3306 : 5432 } };
    return { id, name, engine, size, status, username, databaseName: 'app', labels, ...endpoint };
  }
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '8080' },
      state: { type: 'string' },
      token: { type: 'string' },
      'no-idempotency': { type: 'boolean', default: false },
      'list-lag': { type: 'string', default: '0' },
      'create-ms': { type: 'string', default: '3000' },
      'delete-ms': { type: 'string', default: '3000' },
      limit: { type: 'string' },
    },
  });
  const server = await startCloudServer({
    port: Number(values.port),
    ...(values.state === undefined ? {} : { stateFile: values.state }),
    ...(values.token === undefined ? {} : { token: values.token }),
    idempotency: !values['no-idempotency'],
    listLagMs: Number(values['list-lag']),
    createMs: Number(values['create-ms']),
    deleteMs: Number(values['delete-ms']),
    ...(values.limit === undefined ? {} : { maxCallsPerSecond: Number(values.limit) }),
  });
  console.log(`cloud API on ${server.url}`);
}
