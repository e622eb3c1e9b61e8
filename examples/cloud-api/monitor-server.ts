/**
 * A reference server of monitor-openapi.yaml: it keeps entries, in a file where one is given, and watches nothing.
 *
 *   node examples/cloud-api/start.mjs monitor-server --port 8081 --state entries.json
 */
import { parseArgs } from 'node:util';
import { serve } from './http.ts';
import type { Monitor } from './generated/monitoring.ts';
import type { Answer, Exchange, Listening } from './http.ts';
import { StateFile } from './state-file.ts';

/** How the server behaves. */
export interface MonitorServerOptions {
  readonly port?: number;
  /** Where the entries are kept, so that they outlive the server. */
  readonly stateFile?: string;
  /** Whether it offers muting. True by default. */
  readonly muting?: boolean;
  readonly token?: string;
}

interface State {
  /** How many were ever made. */
  made: number;
  entries: Monitor[];
}

/** A running monitoring service. */
export interface MonitorServer extends Listening {
  readonly entries: ReadonlyMap<string, Readonly<Monitor>>;
  /** How many were ever made, those that are gone among them. */
  made(): number;
  /** A user removes an entry by hand. */
  remove(id: string): void;
}

/** Starts the server. */
export async function startMonitorServer(options: MonitorServerOptions = {}): Promise<MonitorServer> {
  const file = new StateFile<State>(options.stateFile);
  const kept = file.read({ made: 0, entries: [] });
  const entries = new Map(kept.entries.map((entry) => [entry.monitorID, entry]));
  let { made } = kept;
  const save = (): void => file.write({ made, entries: [...entries.values()] });
  const register = ({ body, headers }: Exchange): Answer => {
    const { serviceName, namespace, owner } = body as Partial<Monitor>;
    if (!serviceName || !namespace) return { status: 400, body: { message: 'serviceName and namespace are needed' } };
    const key = headers['idempotency-key'];
    const earlier = [...entries.values()].find(({ idempotencyKey }) => key !== undefined && idempotencyKey === key);
    if (earlier) return { status: 201, body: earlier };
    made += 1;
    const entry: Monitor = { monitorID: `mon-${made}`, serviceName, namespace };
    if (owner !== undefined) entry.owner = owner;
    if (typeof key === 'string') entry.idempotencyKey = key;
    if (options.muting !== false) entry.muted = false;
    entries.set(entry.monitorID, entry);
    save();
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
    save();
    return { status: 204 };
  };
  const listening = await serve(answer, options.port);
  const remove = (id: string): void => {
    entries.delete(id);
    save();
  };
  return { ...listening, entries, made: () => made, remove };
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '8081' }, state: { type: 'string' } } });
  const server = await startMonitorServer({
    port: Number(values.port),
    ...(values.state === undefined ? {} : { stateFile: values.state }),
  });
  console.log(`monitor on ${server.url}`);
}
