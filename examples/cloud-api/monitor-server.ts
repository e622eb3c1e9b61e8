/**
 * A reference server of monitor-openapi.yaml: it keeps entries and watches nothing.
 *
 *   node examples/cloud-api/monitor-server.ts --port 8081
 */
import { parseArgs } from 'node:util';
import { serve } from './http.ts';
import type { Answer, Exchange, Listening } from './http.ts';

/** How the server behaves. */
export interface MonitorServerOptions {
  readonly port?: number;
  /** Whether it offers muting. True unless told. */
  readonly muting?: boolean;
  readonly token?: string;
}

interface Entry {
  monitorID: string;
  serviceName: string;
  namespace: string;
  owner?: string;
  idempotencyKey?: string;
  muted?: boolean;
}

/** A running monitoring service. */
export interface MonitorServer extends Listening {
  readonly entries: ReadonlyMap<string, Readonly<Entry>>;
  /** Somebody removes an entry by hand. */
  remove(id: string): void;
}

/** Starts the server. */
export async function startMonitorServer(options: MonitorServerOptions = {}): Promise<MonitorServer> {
  const entries = new Map<string, Entry>();
  let made = 0;
  const register = ({ body, headers }: Exchange): Answer => {
    const { serviceName, namespace, owner } = body as Partial<Entry>;
    if (!serviceName || !namespace) return { status: 400, body: { message: 'serviceName and namespace are needed' } };
    const key = headers['idempotency-key'];
    const earlier = [...entries.values()].find(({ idempotencyKey }) => key !== undefined && idempotencyKey === key);
    if (earlier) return { status: 201, body: earlier };
    made += 1;
    const entry: Entry = { monitorID: `mon-${made}`, serviceName, namespace };
    if (owner !== undefined) entry.owner = owner;
    if (typeof key === 'string') entry.idempotencyKey = key;
    if (options.muting !== false) entry.muted = false;
    entries.set(entry.monitorID, entry);
    return { status: 201, body: entry };
  };
  const answer = (exchange: Exchange): Answer => {
    const { method, path, query, body, headers } = exchange;
    if (options.token !== undefined && headers.authorization !== `Bearer ${options.token}`) return { status: 401 };
    const id = path.slice(1);
    if (id === '' && method === 'POST') return register(exchange);
    if (id === '') {
      const monitors = [...entries.values()].filter(({ owner }) => owner === query.get('owner'));
      return { status: 200, body: { monitors } };
    }
    const entry = entries.get(id);
    if (entry === undefined) return { status: 404 };
    if (method === 'GET') return { status: 200, body: entry };
    if (method === 'DELETE') entries.delete(id);
    else if (method === 'PATCH' && options.muting !== false) entry.muted = (body as { muted: boolean }).muted;
    else return { status: 405 };
    return { status: 204 };
  };
  const listening = await serve(answer, options.port);
  return { ...listening, entries, remove: (id) => void entries.delete(id) };
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '8081' } } });
  const server = await startMonitorServer({ port: Number(values.port) });
  console.log(`monitor on ${server.url}`);
}
