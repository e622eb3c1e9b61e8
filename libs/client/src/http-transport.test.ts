import { createServer as createTcpServer } from 'node:net';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { WebSocketServer } from 'ws';
import { pods } from './builtin/index.ts';
import { createClient } from './create-client.ts';
import type { HttpTransportOptions } from './http-transport.ts';
import { httpTransport } from './http-transport.ts';
import type { Client } from './client.ts';
import type { ApiServer } from './api-server.ts';
import type { TestServer } from '../test/http-server.ts';
import { httpServer } from '../test/http-server.ts';

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function serve(
  answer: Answer,
  {
    credentials,
    transport,
  }: { readonly credentials?: Partial<ApiServer>; readonly transport?: HttpTransportOptions } = {},
): Promise<{ readonly client: Client; readonly server: TestServer }> {
  const server = await httpServer(answer, credentials);
  const client = createClient({ transport: httpTransport(server.api, transport), retry: { firstPauseMs: 1 } });
  cleanUps.push(
    () => server.close(),
    () => client.close(),
  );
  return { client, server };
}

const pod = JSON.stringify({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a', namespace: 'shop' } });
const attempts = (answers: readonly Answer[]): Answer => {
  let next = 0;
  return (request, response) => answers[next++]?.(request, response);
};

describe('the HTTP transport', () => {
  it('keeps connections, and makes no new one for each request', async () => {
    const { client, server } = await serve((_request, response) => response.end(pod));
    for (let count = 0; count < 20; count += 1) await client(pods).namespace('shop').get('a');
    // A reply may end before its connection counts as free, so that a second one is opened; no more follow.
    expect(new Set(server.requests.map(({ socket }) => socket)).size).toBeLessThanOrEqual(2);
  });

  it('makes no more connections than it may, and lets calls wait', async () => {
    const answer: Answer = (_request, response) => void setImmediate(() => response.end(pod));
    const { client, server } = await serve(answer, { transport: { connections: 2 } });
    await Promise.all(Array.from({ length: 20 }, () => client(pods).namespace('shop').get('a')));
    expect(new Set(server.requests.map(({ socket }) => socket)).size).toBe(2);
  });

  it('has connections left for calls while pods do not answer by way of the proxy', async () => {
    const answer: Answer = ({ url = '' }, response) => {
      if (!url.includes('/proxy/')) response.end(pod);
    };
    const { client, server } = await serve(answer, { transport: { connections: 2, proxied: 3 } });
    const over = new AbortController();
    // It asks to be taken for a watch, which has no bound.
    const target = { kind: 'pods', namespace: 'shop', name: 'a', port: 80, path: '/gate?watch=true' } as const;
    const asked = Array.from({ length: 10 }, () => client.pods.proxy(target, { signal: over.signal }));
    await expect(client(pods).namespace('shop').get('a', { timeoutMs: 5_000 })).resolves.toMatchObject({ kind: 'Pod' });
    expect(server.requests.filter(({ url }) => url?.includes('/proxy/')).length).toBeLessThanOrEqual(3);
    over.abort(new Error('over'));
    await Promise.allSettled(asked);
  });

  it('ends a call that waits for a connection at its deadline', async () => {
    const { client } = await serve(() => undefined, { transport: { connections: 1 } });
    const get = () => client(pods).namespace('shop').get('a', { timeoutMs: 50 });
    for (const { reason } of (await Promise.allSettled([get(), get()])) as PromiseRejectedResult[])
      expect(reason).toMatchObject({ code: 'TimedOut' });
  });

  it('opens another connection for one that the server closed', async () => {
    const { client, server } = await serve((_request, response) => response.end(pod));
    await client(pods).namespace('shop').get('a');
    const { socket } = server.requests[0]!; // The request was answered.
    socket.end();
    await once(socket, 'close');
    await client(pods)
      .namespace('shop')
      .create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } });
    expect(server.requests).toHaveLength(2);
  });

  it('does not read ahead of a slow reader without end', async () => {
    const line = `${JSON.stringify({ type: 'ADDED', object: { metadata: { name: 'a', resourceVersion: '1' }, pad: 'x'.repeat(60_000) } })}\n`;
    let sent = 0;
    const { client } = await serve((_request, response) => {
      const more = (): void => {
        while (sent < 2000 && response.write(line)) sent += 1;
        if (sent < 2000) response.once('drain', more);
        else response.end();
      };
      more();
    });
    for await (const { type } of client(pods).watch()) {
      expect(type).toBe('ADDED');
      // Long enough for all of it to come, if it were let.
      await new Promise((resolve) => setTimeout(resolve, 200));
      break;
    }
    expect(sent).toBeLessThan(2000);
  });

  it('reads on after a connection was reset', async () => {
    const answer = attempts([(request) => request.socket.resetAndDestroy(), (_request, response) => response.end(pod)]);
    const { client } = await serve(answer);
    expect((await client(pods).namespace('shop').get('a')).metadata.name).toBe('a');
  });

  it('does not send a write twice when the reply was lost', async () => {
    const { client, server } = await serve((request) => request.socket.destroy());
    const created = client(pods)
      .namespace('shop')
      .create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } });
    await expect(created).rejects.toMatchObject({ code: 'ConnectionFailed', unsent: false });
    expect(server.requests).toHaveLength(1);
  });

  it('reads a list again of which only a half came', async () => {
    const whole = JSON.stringify({ metadata: { resourceVersion: '5' }, items: [JSON.parse(pod), JSON.parse(pod)] });
    const half: Answer = (_request, response) => {
      response.writeHead(200, { 'content-length': whole.length });
      response.write(whole.slice(0, 90), () => response.destroy());
    };
    const { client } = await serve(attempts([half, (_request, response) => response.end(whole)]));
    expect((await client(pods).list()).items).toHaveLength(2);
  });

  it('calls garbage a malformed reply', async () => {
    const { client } = await serve((_request, response) => response.end('<html>'));
    await expect(client(pods).namespace('shop').get('a')).rejects.toMatchObject({ code: 'MalformedReply' });
    const raw = createTcpServer((socket) => socket.once('data', () => socket.end('NOT HTTP\r\n\r\n')));
    raw.listen(0, '127.0.0.1');
    await once(raw, 'listening');
    cleanUps.push(() => new Promise((resolve) => raw.close(resolve)));
    const { port } = raw.address() as { port: number };
    const api = {
      url: `http://127.0.0.1:${port}`,
      credentials: () => Promise.resolve({ headers: {}, tls: {} }),
      refresh: () => undefined,
    };
    const other = createClient({ transport: httpTransport(api), retry: { firstPauseMs: 1 } });
    cleanUps.push(() => other.close());
    await expect(other.request('GET', '/version')).rejects.toMatchObject({ code: 'MalformedReply' });
  });

  it('waits and repeats where the server has too much to do', async () => {
    const busy: Answer = (_request, response) =>
      response.writeHead(429, { 'retry-after': '0' }).end('Too many requests, please try again later.');
    const { client } = await serve(attempts([busy, (_request, response) => response.end(pod)]));
    const created = client(pods)
      .namespace('shop')
      .create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } });
    expect((await created).metadata.name).toBe('a');
  });

  it('ends a stalled reply at the deadline', async () => {
    const { client } = await serve((_request, response) => void response.write('{"kind":'));
    await expect(client(pods).namespace('shop').get('a', { timeoutMs: 50 })).rejects.toMatchObject({
      code: 'TimedOut',
    });
  });

  it('says that nothing was sent where no connection was made', async () => {
    const { client, server } = await serve(() => undefined);
    await server.close();
    cleanUps.shift();
    const created = client(pods)
      .namespace('shop')
      .create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } });
    await expect(created).rejects.toMatchObject({ code: 'ConnectionFailed', unsent: true });
  });

  it('asks for new credentials when they are refused, and sends once more', async () => {
    let token = 'old';
    const credentials = {
      credentials: () => Promise.resolve({ headers: { authorization: `Bearer ${token}` }, tls: {} }),
      refresh: () => void (token = 'new'),
    };
    const answer: Answer = (request, response) =>
      request.headers.authorization === 'Bearer new' ? response.end(pod) : response.writeHead(401).end();
    const { client, server } = await serve(answer, { credentials });
    await client(pods)
      .namespace('shop')
      .create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } });
    expect(server.requests).toHaveLength(2);
  });

  it('connects anew with another client certificate when the old one is refused', async () => {
    let cert = 'old';
    const credentials = {
      credentials: () => Promise.resolve({ headers: {}, tls: { cert } }),
      refresh: () => void (cert = 'new'),
    };
    const known = new Set<unknown>();
    // As an API server does with a certificate that has expired meanwhile: refused is what comes over the connection that was made with it.
    const answer: Answer = ({ socket }, response) => {
      if (known.size === 0) known.add(socket);
      if (known.has(socket)) response.writeHead(401).end('no');
      else response.end(pod);
    };
    const { client } = await serve(answer, { credentials });
    expect((await client(pods).namespace('shop').get('a')).metadata.name).toBe('a');
    expect((await client(pods).namespace('shop').get('a')).metadata.name).toBe('a');
  });

  it('passes on a refusal that new credentials do not change', async () => {
    const { client, server } = await serve((_request, response) => response.writeHead(401).end('no'));
    await expect(client.request('GET', '/version')).rejects.toMatchObject({ code: 'Unauthorized', retry: 'wait' });
    expect(server.requests).toHaveLength(1);
  });

  it('unpacks compressed replies, and calls damaged ones malformed', async () => {
    const packed = gzipSync(pod);
    const answer: Answer = (request, response) => {
      expect(request.headers['accept-encoding']).toBe('gzip');
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(request.url?.endsWith('/a') === true ? packed : packed.subarray(0, packed.length - 12));
    };
    const { client } = await serve(answer, { transport: { compression: true } });
    expect((await client(pods).namespace('shop').get('a')).metadata.name).toBe('a');
    await expect(client(pods).namespace('shop').get('b')).rejects.toMatchObject({ code: 'MalformedReply' });
  });

  it('sends one header for each group that is impersonated', async () => {
    const { client, server } = await serve((_request, response) => response.end('{}'));
    await client.impersonate({ name: 'ann', groups: ['a', 'b'] }).request('GET', '/version');
    const raw = server.requests[0]?.rawHeaders ?? [];
    expect(raw.filter((_value, index) => raw[index - 1]?.toLowerCase() === 'impersonate-group')).toEqual(['a', 'b']);
  });

  it('puts the path of the server before that of the request', async () => {
    const { server } = await serve((_request, response) => response.end('{}'));
    const client = createClient({
      transport: httpTransport({ ...server.api, url: `${server.api.url}/clusters/one/` }),
    });
    cleanUps.push(() => client.close());
    await client.request('GET', '/version');
    expect(server.requests[0]?.url).toBe('/clusters/one/version');
  });
});

describe('a watch over HTTP', () => {
  const event = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;
  const named = (name: string) => ({ kind: 'Pod', apiVersion: 'v1', metadata: { name, resourceVersion: '1' } });

  it('gives events as they come, wherever the bytes are cut, and keeps to the server’s end', async () => {
    const bytes = Buffer.from(event('ADDED', named('ä')) + event('BOOKMARK', named('')) + event('DELETED', named('b')));
    const answer: Answer = async (_request, response) => {
      for (let at = 0; at < bytes.length; at += 7)
        await new Promise((resolve) => response.write(bytes.subarray(at, at + 7), resolve));
      response.end();
    };
    const { client, server } = await serve((request, response) => void answer(request, response));
    const seen: string[] = [];
    const onOpen = (): void => void seen.push('open');
    for await (const { type, object } of client(pods).watch({
      resourceVersion: '4',
      allowWatchBookmarks: true,
      onOpen,
    })) {
      seen.push(`${type} ${object.metadata.name}`);
    }
    expect(seen).toEqual(['open', 'ADDED ä', 'BOOKMARK ', 'DELETED b']);
    expect(server.requests[0]?.url).toBe('/api/v1/pods?watch=true&resourceVersion=4&allowWatchBookmarks=true');
  });

  it('throws an ERROR event, 410 among them, as an ApiError', async () => {
    const expired = {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      code: 410,
      reason: 'Expired',
      message: 'too old',
    };
    const { client } = await serve((_request, response) => response.end(event('ERROR', expired)));
    const read = async (): Promise<void> => {
      for await (const event of client(pods).watch()) expect.unreachable(event.type);
    };
    await expect(read()).rejects.toMatchObject({ name: 'ApiError', code: 'Expired' });
  });

  it.each([
    ['a reset', (response: ServerResponse) => void response.socket?.resetAndDestroy(), 'ConnectionFailed'],
    [
      'an end in the middle of an event',
      (response: ServerResponse) => void response.end('{"type":"ADD'),
      'MalformedReply',
    ],
    ['garbage', (response: ServerResponse) => void response.end('garbage\n'), 'MalformedReply'],
  ])('throws on %s after the events before it', async (_name, fault, code) => {
    const { client } = await serve(
      (_request, response) => void response.write(event('ADDED', named('a')), () => setImmediate(fault, response)),
    );
    const seen: string[] = [];
    const read = async (): Promise<void> => {
      for await (const { type } of client(pods).watch()) seen.push(type);
    };
    await expect(read()).rejects.toMatchObject({ name: 'TransportError', code });
    expect(seen).toEqual(['ADDED']);
  });

  it('closes the stream when the reader stops early', async () => {
    const { client, server } = await serve((_request, response) => void response.write(event('ADDED', named('a'))));
    for await (const { type } of client(pods).watch()) if (type === 'ADDED') break;
    const request = server.requests[0];
    if (request?.socket.destroyed === false) await once(request.socket, 'close');
    expect(request?.socket.destroyed).toBe(true);
  });

  it('ends with the caller’s signal', async () => {
    const controller = new AbortController();
    const { client } = await serve((_request, response) => void response.write(event('ADDED', named('a'))));
    const read = async (): Promise<void> => {
      for await (const { type } of client(pods).watch({ signal: controller.signal })) controller.abort(type);
    };
    await expect(read()).rejects.toMatchObject({ code: 'Aborted' });
  });
});

describe('exec over WebSocket', () => {
  const frame = (channel: number, text: string): Buffer => Buffer.concat([Buffer.from([channel]), Buffer.from(text)]);
  const address = { namespace: 'shop', pod: 'a', container: 'main' };

  async function serveExec(run: (socket: WebSocket, url: string) => void): Promise<Client> {
    const { client, server } = await serve((_request, response) => response.writeHead(404).end());
    const sockets = new WebSocketServer({
      server: server.server,
      handleProtocols: (offered) => [...offered][0] ?? false,
    });
    sockets.on('connection', (socket, request) => run(socket, request.url ?? ''));
    return client;
  }

  it('runs a command with input to its end', async () => {
    let asked = '';
    const client = await serveExec((socket, url) => {
      asked = url;
      let input = '';
      socket.on('message', (data: Buffer) => {
        if (data[0] === 0) input += data.subarray(1).toString();
        if (data[0] !== 255) return;
        socket.send(frame(1, input.toUpperCase()));
        socket.send(frame(2, 'warned'));
        const causes = [{ reason: 'ExitCode', message: '3' }];
        socket.send(
          frame(
            3,
            JSON.stringify({
              kind: 'Status',
              apiVersion: 'v1',
              status: 'Failure',
              reason: 'NonZeroExitCode',
              details: { causes },
            }),
          ),
        );
        socket.close();
      });
    });
    const result = await client.pods.exec(address, ['sh', '-c', 'a b'], { stdin: 'hello' });
    expect(result).toEqual({ exitCode: 3, stdout: 'HELLO', stderr: 'warned' });
    expect(asked).toBe(
      '/api/v1/namespaces/shop/pods/a/exec?container=main&stdin=true&stdout=true&stderr=true&command=sh&command=-c&command=a%20b',
    );
  });

  it('does not take a lost connection for an end', async () => {
    const client = await serveExec((socket) => socket.send(frame(1, 'half'), () => socket.terminate()));
    await expect(client.pods.exec(address, ['ls'])).rejects.toMatchObject({
      name: 'TransportError',
      code: 'ConnectionFailed',
    });
  });

  it('ends a command that hangs at the deadline', async () => {
    const client = await serveExec(() => undefined);
    await expect(client.pods.exec(address, ['ls'], { timeoutMs: 100 })).rejects.toMatchObject({ code: 'TimedOut' });
  });

  it('tells why the server refuses', async () => {
    const body = JSON.stringify({
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      code: 403,
      reason: 'Forbidden',
      message: 'no',
    });
    const server = await httpServer(() => undefined);
    server.server.on('upgrade', (_request, socket) =>
      socket.end(`HTTP/1.1 403 Forbidden\r\ncontent-length: ${body.length}\r\n\r\n${body}`),
    );
    const client = createClient({ transport: httpTransport(server.api) });
    cleanUps.push(
      () => server.close(),
      () => client.close(),
    );
    await expect(client.pods.exec(address, ['ls'])).rejects.toMatchObject({ name: 'ApiError', code: 'Forbidden' });
  });
});
