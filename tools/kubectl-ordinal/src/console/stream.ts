import type { Clock } from '@ordinal/client';
import type { GateAsker } from '../checks/gate-asker.ts';
import type { Contents } from '../cluster/contents.ts';
import { pause } from '../cluster/live.ts';
import { aroundKey, detailOf, rowsOf } from './views.ts';
import type { Detail, DetailChanged, Hello, Row, RowsChanged } from './wire.ts';

/** What is shown: of a cluster, kept current. */
export interface Source {
  /** Grows with each change. */
  readonly revision: number;
  readonly now: () => Contents;
}

/** The line of each resource, made once for each change however many pages are open. */
export class Overview {
  readonly #source: Source;
  readonly #clock: Clock;
  #seen: { readonly revision: number; readonly at: number } | undefined;
  #rows: ReadonlyMap<string, { readonly row: Row; readonly text: string }> = new Map();

  constructor(source: Source, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
  }

  /** The rows, and each as text, to tell what has changed. What is only older is made again every few seconds. */
  rows(): ReadonlyMap<string, { readonly row: Row; readonly text: string }> {
    const { revision } = this.#source;
    const now = this.#clock.now();
    if (this.#seen?.revision === revision && now - this.#seen.at < staleMs) return this.#rows;
    this.#seen = { revision, at: now };
    const entries = [...rowsOf(this.#source.now(), now)];
    this.#rows = new Map(entries.map(([key, row]) => [key, { row, text: JSON.stringify(row) }]));
    return this.#rows;
  }
}

/** How old a row may be that no change has touched, in milliseconds: a wait that has become too long is said then. */
const staleMs = 5_000;
/** How often a stream looks for changes, in milliseconds of the server's own time; longer where a look takes long. */
const lookMs = 200;
/** A look may take a tenth of the time. */
const restsTimes = 10;
/** A line without a meaning is sent so often, in milliseconds, by which both sides learn of a connection that is gone. */
const beatMs = 15_000;

/** What a stream is made with. */
export interface StreamOptions {
  readonly source: Source;
  readonly overview: Overview;
  /** Asks the gates of what is looked at. */
  readonly gates: GateAsker;
  readonly clock: Clock;
  readonly hello: Hello;
  /** The key of the resource that is looked at. */
  readonly of: string | undefined;
  readonly signal: AbortSignal;
}

const event = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/** What one page has got. */
class Sent {
  readonly rows = new Map<string, string>();
  unread = '';
  detail = '';
}

function rowsChanged(sent: Sent, { overview, source, clock }: StreamOptions): RowsChanged | undefined {
  const rows: Row[] = [];
  const known = overview.rows();
  for (const [key, { row, text }] of known) {
    if (sent.rows.get(key) === text) continue;
    sent.rows.set(key, text);
    rows.push(row);
  }
  const gone = [...sent.rows.keys()].filter((key) => !known.has(key));
  for (const key of gone) sent.rows.delete(key);
  const { unread } = source.now();
  const isNew = sent.unread !== unread.join();
  sent.unread = unread.join();
  return rows.length > 0 || gone.length > 0 || isNew
    ? { now: clock.now(), isAll: false, rows, gone, unread }
    : undefined;
}

function detailChanged(sent: Sent, { of, source, clock, gates }: StreamOptions): DetailChanged | undefined {
  if (of === undefined) return undefined;
  const around = aroundKey(source.now(), of);
  const now = clock.now();
  const detail: Detail | undefined = around && detailOf(around, now, gates.last(around));
  const text = JSON.stringify(detail ?? 'gone');
  if (text === sent.detail) return undefined;
  sent.detail = text;
  return { now, key: of, ...(detail && { detail }) };
}

/** Server-sent events: what there is, and each change of it, until the signal is aborted. */
export async function* streamOf(options: StreamOptions): AsyncGenerator<string> {
  const { source, signal, hello, clock, gates } = options;
  yield event('hello', hello);
  const sent = new Sent();
  const nothing: RowsChanged = { now: clock.now(), isAll: true, rows: [], gone: [], unread: [] };
  yield event('rows', { ...nothing, ...rowsChanged(sent, options), isAll: true });
  let [seen, lookedAt, beatAt] = [-1, 0, performance.now()];
  while (!signal.aborted) {
    const began = performance.now();
    const revision = source.revision + gates.revision;
    if (seen !== revision || began - lookedAt > staleMs) {
      [seen, lookedAt] = [revision, began];
      const [detail, rows] = [detailChanged(sent, options), rowsChanged(sent, options)];
      if (detail) yield event('detail', detail);
      if (rows) yield event('rows', rows);
    }
    if (performance.now() - beatAt > beatMs) {
      beatAt = performance.now();
      yield ': still here\n\n';
    }
    await pause(Math.max(lookMs, (performance.now() - began) * restsTimes), signal);
  }
}
