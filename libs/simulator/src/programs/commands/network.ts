import { rawMethod } from '../../node/program.ts';
import { normalPath } from '../file-system.ts';
import type { CommandIo, SimpleCommand } from '../shell/command.ts';
import { optionsOf } from './options.ts';
import type { Options } from './options.ts';

/** Whether no host has the name that was asked for. */
const isUnknownHost = (error: unknown): boolean =>
  (error as { readonly cause?: { readonly code?: string } }).cause?.code === 'ENOTFOUND';

/** What is asked for, and how. */
interface Asked {
  readonly url: string;
  readonly method: string;
  readonly body?: string | undefined;
  readonly headers: readonly string[];
}

async function ask({ url, method, body, headers }: Asked, { process, signal }: CommandIo): Promise<Response> {
  const fields = headers.map((line) => [line.split(':')[0] ?? '', line.slice(line.indexOf(':') + 1).trim()] as const);
  return process.fetch(url.includes('://') ? url : `http://${url}`, {
    method,
    headers: Object.fromEntries(fields),
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
  });
}

/** Puts text where an option says: into a file, or out. */
function put(text: string, target: string | undefined, { files, folder, out }: CommandIo): boolean {
  if (target === undefined || target === '-') out(text);
  else if (target !== '/dev/null') return files.write(normalPath(target, folder), text);
  return true;
}

const wgetValues = new Set(['O', 'T', 'U', 't', 'header', 'post-data', 'timeout', 'tries', 'output-document']);

const wget: SimpleCommand = async (args, io) => {
  const { values, rest } = optionsOf(args, wgetValues);
  const [url = ''] = rest;
  const [body] = values.get('post-data') ?? [];
  const target =
    (values.get('O') ?? values.get('output-document'))?.at(-1) ??
    url
      .replace(/[?#].*/, '')
      .split('/')
      .slice(3)
      .at(-1);
  try {
    const method = body === undefined ? 'GET' : 'POST';
    const reply = await ask({ url, method, body, headers: values.get('header') ?? [] }, io);
    if (reply.status >= 400) {
      io.err(`wget: server returned error: HTTP/1.1 ${reply.status}\n`);
      return 1;
    }
    if (values.has('spider')) return 0;
    return put(await reply.text(), target === '' ? 'index.html' : (target ?? 'index.html'), io) ? 0 : 1;
  } catch (error) {
    const host = url.replace(/^\w+:\/\//, '').replace(/[:/].*/, '');
    io.err(
      isUnknownHost(error)
        ? `wget: bad address '${host}'\n`
        : `wget: can't connect to remote host (${host}): Connection refused\n`,
    );
    return 1;
  }
};

const curlValues = new Set(
  'o w H X d m A u b e output write-out header request data data-raw data-binary max-time connect-timeout interface retry retry-delay user-agent cacert cert key resolve'.split(
    ' ',
  ),
);

const given = ({ values }: Options, ...names: readonly string[]): readonly string[] =>
  names.flatMap((name) => values.get(name) ?? []);

const curl: SimpleCommand = async (args, io) => {
  const options = optionsOf(args, curlValues);
  const [url = ''] = options.rest;
  const data = given(options, 'd', 'data', 'data-raw', 'data-binary');
  const method = given(options, 'X', 'request').at(-1) ?? (data.length > 0 ? 'POST' : 'GET');
  try {
    const body = data.length === 0 ? undefined : data.join('&');
    const reply = await ask({ url, method, body, headers: given(options, 'H', 'header') }, io);
    const text = await reply.text();
    if (reply.status >= 400 && given(options, 'f', 'fail').length > 0) {
      io.err(`curl: (22) The requested URL returned error: ${reply.status}\n`);
      return 22;
    }
    const head = [...reply.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const shown = given(options, 'i', 'include').length > 0 ? `HTTP/1.1 ${reply.status}\r\n${head}\r\n${text}` : text;
    put(shown, given(options, 'o', 'output').at(-1), io);
    for (const format of given(options, 'w', 'write-out'))
      io.out(format.replaceAll('%{http_code}', String(reply.status)).replaceAll('\\n', '\n'));
    return 0;
  } catch (error) {
    const isUnknown = isUnknownHost(error);
    io.err(`curl: (${isUnknown ? 6 : 7}) ${isUnknown ? 'Could not resolve host' : 'Failed to connect'}: ${url}\n`);
    return isUnknown ? 6 : 7;
  }
};

/** `nc HOST PORT`: sends what it reads on a connection, or in a packet, and writes the answer. */
const connect: SimpleCommand = async (args, io) => {
  const { values, rest } = optionsOf(args, new Set(['w', 'p', 's', 'q', 'i']));
  const [host = '', port = ''] = rest;
  const [scheme, protocol] = values.has('u') ? ['udp', 'udp'] : ['http', 'tcp'];
  try {
    const body = values.has('z') ? '' : io.stdin;
    const reply = await io.process.fetch(`${scheme}://${host}:${port}/`, { method: rawMethod, body });
    if (!values.has('z')) io.out(await reply.text());
    return 0;
  } catch {
    io.err(`nc: connect to ${host} port ${port} (${protocol}) failed: Connection refused\n`);
    return 1;
  }
};

/** Commands that ask others over the simulated network. */
export const networkCommands: Readonly<Record<string, SimpleCommand>> = { wget, curl, nc: connect };
