import { ServerSentParser } from '../page/model/server-sent.ts';
import type { DetailChanged, Hello, RowsChanged } from '../src/console/wire.ts';
import type { World } from '../src/world.ts';
import type { PluginWorld } from './plugin-world.ts';

/** A console that runs. */
export interface RunningConsole {
  /** With the token. */
  readonly url: string;
  readonly origin: string;
  readonly token: string;
  /** Asks as the page does. */
  readonly ask: (path: string, question?: object) => Promise<{ readonly status: number; readonly json: unknown }>;
  /** Follows the stream until an event of it is what was hoped for, and gives all events by then. */
  readonly follow: (path: string, isEnough: (sent: Sent) => boolean) => Promise<Sent>;
  /** Ends it, and resolves to its exit code. */
  readonly end: () => Promise<number>;
}

/** The last event of each name. */
export interface Sent {
  hello?: Hello;
  rows?: RowsChanged;
  detail?: DetailChanged;
}

/** Runs `kubectl ordinal console` until it is ended. */
export async function runConsole(
  { run }: PluginWorld,
  flags = '',
  readFile?: World['readFile'],
): Promise<RunningConsole> {
  const ending = new AbortController();
  let url = '';
  const running = run(`console${flags === '' ? '' : ` ${flags}`}`, {
    interrupted: ending.signal,
    ...(readFile && { readFile }),
    out: (text) => void (url += text.trim()),
  });
  const failed = running.then(({ err }) => {
    if (url === '') throw new Error(err);
  });
  while (url === '') await Promise.race([failed, new Promise((resolve) => setTimeout(resolve, 20))]);
  const { origin, hash } = new URL(url);
  const token = hash.replace('#token=', '');
  const headers = { authorization: `Bearer ${token}` };
  return {
    ...{ url, origin, token },
    ask: async (path, question) => {
      const post = {
        method: 'POST',
        body: JSON.stringify(question),
        headers: { ...headers, 'content-type': 'application/json' },
      };
      const response = await fetch(`${origin}${path}`, question === undefined ? { headers } : post);
      return { status: response.status, json: await response.json() };
    },
    follow: async (path, isEnough) => {
      const gone = new AbortController();
      const { body } = await fetch(`${origin}${path}`, { headers, signal: gone.signal });
      const parser = new ServerSentParser();
      const sent: Sent = {};
      for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? [])
        for (const { event, data } of parser.push(piece)) {
          Object.assign(sent, { [event]: JSON.parse(data) });
          if (!isEnough(sent)) continue;
          gone.abort();
          return sent;
        }
      return sent;
    },
    end: async () => {
      ending.abort();
      return (await running).exitCode;
    },
  };
}
