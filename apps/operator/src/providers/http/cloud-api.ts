import { ExternalError } from '@ordinal/lifecycle';
import type { DatabaseRequest, DatabaseSystem, DatabaseView } from '@ordinal/reconcilers';
import { withoutTrailingSlashes } from './base-url.ts';
import type { Exchange, OutsideRequest } from './exchange.ts';
import { failureOf, isSuccess } from './failure.ts';
import { Fields } from './fields.ts';
import type {
  Database,
  DatabaseChange,
  DatabaseList,
  DatabaseRequest as ApiRequest,
} from './generated/cloud-database.ts';

/** A cloud API by examples/cloud-api/openapi.yaml. */
export interface CloudApiOptions {
  /** Where `/v1/databases` is found. */
  readonly endpoint: string;
  readonly token: string;
  /** Whether the server honours Idempotency-Key. */
  readonly idempotency: boolean;
  /** How long after its creation a database may be missing from answers, in milliseconds. */
  readonly settleMs: number;
  readonly callTimeoutMs: number;
}

/** A list is asked for by owner or by name: a server that sends more is not one of this API. */
const maxPages = 20;

/** An ID's place below `/v1/databases`. A URL would take these two for other places. */
function pathOf(id: string): string {
  if (id === '.' || id === '..')
    throw new ExternalError('Refused', `${id} can't be the name of a database`, { applied: 'no' });
  return `/${encodeURIComponent(id)}`;
}

/** Names are not unique: of several, it is unknown which one is meant. */
function onlyOne(name: string, [first, ...others]: readonly DatabaseView[]): DatabaseView | undefined {
  if (others.length === 0) return first;
  throw new ExternalError('Refused', `${others.length + 1} databases are called ${name}: name the ID`, {
    applied: 'no',
  });
}

const states: Readonly<Record<string, DatabaseView['state']>> = {
  creating: 'pending',
  modifying: 'pending',
  available: 'ready',
  deleting: 'deleting',
  failed: 'failed',
} satisfies Record<Database['status'], DatabaseView['state']>;

/** The provider that speaks the HTTP cloud API. */
export function cloudApi(
  { endpoint, token, idempotency, settleMs, callTimeoutMs }: CloudApiOptions,
  exchange: Exchange,
): DatabaseSystem {
  const base = withoutTrailingSlashes(endpoint);
  const ask = (
    method: OutsideRequest['method'],
    path: string,
    { signal, ...rest }: Omit<OutsideRequest, 'method' | 'url'> & { readonly signal: AbortSignal },
  ) =>
    exchange(
      {
        method,
        url: new URL(`${base}/v1/databases${path}`),
        ...rest,
        headers: { authorization: `Bearer ${token}`, ...rest.headers },
      },
      signal,
    );
  const list = async (query: Readonly<Record<string, string>>, signal: AbortSignal): Promise<DatabaseView[]> => {
    const found: DatabaseView[] = [];
    let pageToken: string | undefined;
    for (let pages = 1; pages <= maxPages; pages += 1) {
      const text = new URLSearchParams({ ...query, ...(pageToken === undefined ? {} : { pageToken }) }).toString();
      const reply = await ask('GET', `?${text}`, { signal });
      if (!isSuccess(reply)) throw failureOf(reply, 'listing databases');
      const page = new Fields<DatabaseList>(reply.body, 'the list of databases');
      found.push(...page.list('items').map(viewOf));
      pageToken = page.optionalText('nextPageToken');
      if (pageToken === undefined) return found;
    }
    throw new ExternalError('ReplyTooLarge', `the list of databases has more than ${maxPages} pages`);
  };
  return {
    traits: { repeatedCreate: idempotency ? 'returnsFirst' : 'makesAnother', settleMs, callTimeoutMs },
    async get(id, signal) {
      const reply = await ask('GET', pathOf(id), { signal });
      if (reply.status === 404) return undefined;
      if (!isSuccess(reply)) throw failureOf(reply, `reading database ${id}`);
      return viewOf(new Fields(reply.body, `database ${id}`));
    },
    findByOwner: async (owner, signal) => (await list({ owner }, signal)).filter((view) => view.owner === owner),
    async findByName(name, signal) {
      const byId = await this.get(name, signal);
      return byId ?? onlyOne(name, await list({ name }, signal));
    },
    async create({ token: key, owner, desired }, signal) {
      const { engine, size, username, password, displayName } = desired;
      const body: ApiRequest = { name: displayName, engine, size, username, password, labels: { owner, token: key } };
      const reply = await ask('POST', '', { signal, body, headers: { 'idempotency-key': key } });
      if (!isSuccess(reply)) throw failureOf(reply, 'creating a database');
      return viewOf(new Fields(reply.body, 'the created database'));
    },
    async update(id, { size, password }: Partial<DatabaseRequest>, signal) {
      const body: DatabaseChange = {
        ...(size === undefined ? {} : { size }),
        ...(password === undefined ? {} : { password }),
      };
      const reply = await ask('PATCH', pathOf(id), { signal, body });
      if (!isSuccess(reply)) throw failureOf(reply, `changing database ${id}`);
    },
    async delete({ id, finalSnapshot }, signal) {
      const query = finalSnapshot === undefined ? '' : `?${new URLSearchParams({ finalSnapshot }).toString()}`;
      const reply = await ask('DELETE', `${pathOf(id)}${query}`, { signal });
      if (!isSuccess(reply) && reply.status !== 404) throw failureOf(reply, `deleting database ${id}`);
    },
  };
}

function viewOf(fields: Fields<Database>): DatabaseView {
  const status = fields.text('status');
  const labels = fields.optionalFields('labels');
  const endpoint = fields.optionalFields('endpoint');
  return {
    id: fields.text('id'),
    owner: labels?.optionalText('owner'),
    token: labels?.optionalText('token'),
    // An unknown status counts as work in progress until it becomes a known one.
    state: states[status] ?? 'pending',
    detail: fields.optionalText('statusReason') ?? status,
    engine: fields.optionalText('engine'),
    size: fields.optionalText('size'),
    host: endpoint?.optionalText('host'),
    port: endpoint?.optionalNumber('port'),
    database: fields.optionalText('databaseName'),
    username: fields.optionalText('username'),
  };
}
