import { Mask } from './mask.ts';
import type { Reply, Request, World } from './world.ts';

/** A JSON object. */
export type Json = Record<string, unknown>;

/** What a case does: requests to the world, whose replies are recorded and compared. */
export type CaseBody = (session: Session) => Promise<void>;

/** A case of the suite. */
export interface Case {
  readonly name: string;
  readonly body: CaseBody;
}

/** One exchange, masked. */
export interface Exchange {
  readonly request: string;
  readonly status: number;
  readonly body: unknown;
  readonly warnings?: readonly string[];
}

/** A case under way in one world, in a namespace of its own. */
export class Session {
  readonly world: World;
  readonly namespace: string;
  readonly exchanges: Exchange[] = [];
  readonly #mask = new Mask();

  constructor(world: World, namespace: string) {
    this.world = world;
    this.namespace = namespace;
  }

  /** Sends a request and records its reply. `:ns` in the path is the case's namespace. */
  async send(request: Request): Promise<Reply & { readonly body: Json }> {
    const path = request.path.replaceAll(':ns', this.namespace);
    const reply = await this.world.send({ ...request, path });
    this.exchanges.push({
      request: `${request.method} ${request.path.replace(/(continue|resourceVersion)=[^&]+/g, '$1=<masked>')}`,
      status: reply.status,
      body: this.#mask.apply(reply.body),
      ...(reply.warnings.length > 0 && { warnings: reply.warnings }),
    });
    return reply as Reply & { readonly body: Json };
  }

  /** Records something that is no reply, such as what a webhook was asked, to be compared as well. */
  record(title: string, value: unknown): void {
    this.exchanges.push({ request: title, status: 0, body: this.#mask.apply(value) });
  }

  /** Shows a text that the worlds can't share, such as the address of a server of the test, as a mark. */
  hide(text: string, mark: string): void {
    this.#mask.hide(text, mark);
  }

  /** Reads an object, a list or a watch. */
  get(path: string) {
    return this.send({ method: 'GET', path });
  }

  /** Reads an object or a list as a table, as `kubectl get` does. Descriptions of columns are left out on both sides: they are prose, which the simulation has not. */
  async table(path: string): Promise<void> {
    const reply = await this.world.send({
      method: 'GET',
      path: path.replaceAll(':ns', this.namespace),
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
    });
    this.record(`table ${path}`, { status: reply.status, body: withoutAges(reply.body as Json) });
  }

  /** Creates an object. */
  create(path: string, body: unknown) {
    return this.send({ method: 'POST', path, body });
  }

  /** Replaces an object. */
  update(path: string, body: unknown) {
    return this.send({ method: 'PUT', path, body });
  }

  /** Deletes an object or a collection; the options go into the body. */
  delete(path: string, body?: unknown) {
    return this.send({ method: 'DELETE', path, ...(body !== undefined && { body }) });
  }

  /** Changes an object with a JSON merge patch. */
  merge(path: string, body: unknown) {
    return this.send({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' });
  }

  /** Changes an object with a strategic merge patch. */
  strategic(path: string, body: unknown) {
    return this.send({ method: 'PATCH', path, body, contentType: 'application/strategic-merge-patch+json' });
  }

  /** Changes an object with a JSON patch. */
  json(path: string, body: unknown) {
    return this.send({ method: 'PATCH', path, body, contentType: 'application/json-patch+json' });
  }

  /** Applies a configuration as a manager. */
  apply(path: string, body: unknown, options: { readonly manager?: string; readonly force?: boolean } = {}) {
    const query = `fieldManager=${options.manager ?? 'first'}${options.force ? '&force=true' : ''}`;
    return this.send({
      method: 'PATCH',
      path: `${path}${path.includes('?') ? '&' : '?'}${query}`,
      body,
      contentType: 'application/apply-patch+yaml',
    });
  }
}

interface Column {
  readonly name: string;
  readonly description?: string;
}

/** Ages are times; they are shown as a mark. */
function withoutAges(table: Json): Json {
  if (table['kind'] !== 'Table') return table;
  const columns = table['columnDefinitions'] as readonly Column[];
  const rows = table['rows'] as readonly (Json & { readonly cells: readonly unknown[] })[];
  const isAge = (index: number): boolean => ['Age', 'Last Seen', 'Duration'].includes(columns[index]?.name ?? '');
  return {
    ...table,
    columnDefinitions: columns.map(({ description: _, ...rest }) => rest),
    rows: rows.map((row) => ({ ...row, cells: row.cells.map((cell, index) => (isAge(index) ? '<age>' : cell)) })),
  };
}
