import type { DetailChanged, Hello, Refused, RowsChanged, StepAnswer } from '../src/console/wire.ts';
import { ServerSentParser } from './model/server-sent.ts';
import type { Asked, Link } from './state.ts';

/** What becomes of each event of a stream. */
export interface Listener {
  readonly link: (link: Link) => void;
  readonly hello: (hello: Hello) => void;
  readonly rows: (rows: RowsChanged) => void;
  readonly detail: (detail: DetailChanged) => void;
}

/** How long after a connection was lost it is tried again, in milliseconds. */
const retryMs = 1_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The console's server. The token goes with each request, in a header. */
export class Server {
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
  }

  /** Asks something about a resource. */
  look<T>(path: string, key: string): Promise<Asked<T>> {
    return this.#answer(`${path}?of=${encodeURIComponent(key)}`, {});
  }

  /** Asks what was there at a step of a history. */
  step(step: number, key: string | undefined): Promise<Asked<StepAnswer>> {
    const of = key === undefined ? '' : `&of=${encodeURIComponent(key)}`;
    return this.#answer(`/api/step?n=${step}${of}`, {});
  }

  /** Asks something that has a body. */
  ask<T>(path: string, question: object): Promise<Asked<T>> {
    const headers = { 'content-type': 'application/json' };
    return this.#answer(path, { method: 'POST', body: JSON.stringify(question), headers });
  }

  /** Follows what there is, and the resource with the key, until the signal is aborted. */
  async follow(key: string | undefined, signal: AbortSignal, listener: Listener): Promise<void> {
    const path = key === undefined ? '/api/live' : `/api/live?of=${encodeURIComponent(key)}`;
    while (!signal.aborted) {
      try {
        const response = await this.#fetch(path, { signal });
        if (response.status === 401) return listener.link('refused');
        await this.#read(response, listener);
      } catch {
        // Said below, and tried again.
      }
      if (signal.aborted) return;
      listener.link('lost');
      await pause(retryMs);
    }
  }

  async #read({ body }: Response, listener: Listener): Promise<void> {
    const parser = new ServerSentParser();
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read())
      for (const { event, data } of parser.push(piece.value)) {
        const sent: unknown = JSON.parse(data);
        if (event === 'hello') listener.hello(sent as Hello);
        else if (event === 'rows') listener.rows(sent as RowsChanged);
        else if (event === 'detail') listener.detail(sent as DetailChanged);
      }
  }

  async #answer<T>(path: string, options: RequestInit): Promise<Asked<T>> {
    try {
      const response = await this.#fetch(path, options);
      const answer: unknown = await response.json();
      if (response.ok) return { is: 'answered', answer: answer as T };
      return { is: 'failed', error: (answer as Refused).error };
    } catch (error) {
      return { is: 'failed', error: `the console's server does not answer: ${messageOf(error)}` };
    }
  }

  #fetch(path: string, options: RequestInit): Promise<Response> {
    const headers = { ...options.headers, authorization: `Bearer ${this.#token}` };
    return fetch(path, { ...options, headers, credentials: 'omit', redirect: 'error' });
  }
}
