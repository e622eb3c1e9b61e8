import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectorFor } from './connector.ts';
import type { WireRequest } from './connection.ts';
import { Pool } from './pool.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function listen(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    onConnection(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUps.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function poolAt(port: number, limit: number): Pool {
  const pool = new Pool(async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  }, limit);
  cleanUps.push(() => pool.close());
  return pool;
}

const get: WireRequest = { head: 'GET / HTTP/1.1\r\nhost: a\r\n\r\n', body: undefined, signal: undefined };
const empty = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';

describe('a pool of connections', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));

  it('takes a connection back from a reply that is not read', async () => {
    const length = 64 * 1024 * 1024;
    let asked = 0;
    const port = await listen((socket) =>
      socket.on('data', () => {
        asked += 1;
        socket.write(asked > 1 ? empty : `HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n`);
        if (asked === 1) socket.write(Buffer.alloc(length));
      }),
    );
    const pool = poolAt(port, 1);
    const abandoned = await pool.send(get);
    const second = pool.send(get);
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1), { interval: 0 });
    vi.advanceTimersByTime(300_000);
    expect((await second).status).toBe(200);
    const chunks = abandoned.body[Symbol.asyncIterator]();
    const readAll = async (): Promise<void> => {
      while ((await chunks.next()).done !== true);
    };
    await expect(readAll()).rejects.toMatchObject({ code: 'Aborted' });
  });

  it('sends nothing more on a connection that was retired, and lets its exchange end', async () => {
    const answers: (() => void)[] = [];
    let connections = 0;
    const port = await listen((socket) => {
      connections += 1;
      socket.on('data', () => answers.push(() => socket.write(empty)));
    });
    const pool = poolAt(port, 1);
    const first = pool.send(get);
    const second = pool.send(get);
    await vi.waitFor(() => expect(answers).toHaveLength(1), { interval: 0 });
    pool.retire();
    answers[0]?.();
    expect((await first).status).toBe(200);
    await vi.waitFor(() => expect(answers).toHaveLength(2), { interval: 0 });
    answers[1]?.();
    expect((await second).status).toBe(200);
    expect(connections).toBe(2);
  });
});

describe('a connector', () => {
  it('names what is wrong at each address of a host', async () => {
    const refused = ['::1', '127.0.0.1'].map((address) => new Error(`connect ECONNREFUSED ${address}:6443`));
    const open = connectorFor({
      url: 'http://localhost:6443',
      credentials: () => Promise.resolve({ headers: {}, tls: {} }),
      refresh: () => undefined,
      // As Node fails where a name has several addresses.
      openTunnel: () => Promise.reject(new AggregateError(refused)),
    });
    await expect(open()).rejects.toMatchObject({
      message: 'connect ECONNREFUSED ::1:6443; connect ECONNREFUSED 127.0.0.1:6443',
      unsent: true,
    });
  });

  it('opens no tunnel before it has credentials, and asks for new ones where they do not fit together', async () => {
    const calls: string[] = [];
    const server = {
      url: 'https://api.example:6443',
      credentials: () => Promise.resolve({ headers: {}, tls: { cert: 'no certificate', key: 'no key' } }),
      refresh: () => void calls.push('refresh'),
      openTunnel: () => Promise.reject(new Error('not wanted')),
    };
    await expect(connectorFor(server)()).rejects.toMatchObject({ code: 'ConnectionFailed', unsent: true });
    expect(calls).toEqual(['refresh']);
  });
});
