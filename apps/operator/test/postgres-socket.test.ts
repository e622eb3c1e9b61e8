import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { issueCertificate } from '@ordinal/runtime/webhooks';
import { afterEach, describe, expect, test } from 'vitest';
import { checkedLookup } from '../src/providers/network/checked-lookup.ts';
import { postgresServer } from '../src/providers/postgres/postgres.ts';
import type { PostgresServerOptions } from '../src/providers/postgres/postgres.ts';

const lookup = checkedLookup({ allowedNetworks: ['127.0.0.1/32'] });
const { signal } = new AbortController();
const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket.on('error', () => undefined)));
  closing.push(() => {
    server.close();
    sockets.forEach((socket) => socket.destroy());
  });
  return (server.address() as AddressInfo).port; // It listens on TCP.
}

/** Sends for as long as the other side reads. */
function pour(socket: NodeJS.WritableStream & { readonly destroyed: boolean }, chunk: Buffer): void {
  while (!socket.destroyed && socket.write(chunk));
  if (!socket.destroyed) socket.once('drain', () => pour(socket, chunk));
}

const postgresAt = (port: number, options: Partial<PostgresServerOptions>) =>
  postgresServer({
    host: '127.0.0.1',
    port,
    username: 'admin',
    password: 'secret',
    database: 'postgres',
    sslMode: 'disable',
    lookup,
    callTimeoutMs: 30_000,
    ...options,
  });

describe('what a PostgreSQL server sends', () => {
  test('is not taken beyond its bound, also within one message and before anybody has logged in', async () => {
    const port = await listening(
      createServer((socket) =>
        socket.once('data', () => {
          socket.write(Buffer.from([0x52, 0x7f, 0xff, 0xff, 0xff])); // An authentication request of two gigabytes.
          pour(socket, Buffer.alloc(65_536));
        }),
      ),
    );
    const call = postgresAt(port, { maxReplyBytes: 500_000 }).get('orders', signal);
    await expect(call).rejects.toMatchObject({ code: 'ReplyTooLarge', retry: 'terminal' });
  });

  test('is waited for as long as one call may take, however often it says something', async () => {
    const port = await listening(
      createServer((socket) => {
        const notice = Buffer.from('N\0\0\0\x08M.\0\0', 'latin1');
        const drops = setInterval(() => socket.write(notice), 10);
        closing.push(() => clearInterval(drops));
      }),
    );
    const call = postgresAt(port, { callTimeoutMs: 200 }).get('orders', signal);
    await expect(call).rejects.toMatchObject({ code: 'TimedOut', retry: 'backoff', applied: 'no' });
  });

  test.each(['N\0\0\0\x07M.\0', 'E\0\0\0\x06M.', 'E\0\0\0\x04', 'R\0\0\0\x03'])(
    'is refused where it would hold up whoever reads it: %j',
    async (text) => {
      const port = await listening(createServer((socket) => socket.write(Buffer.from(text, 'latin1'))));
      const call = postgresAt(port, {}).get('orders', signal);
      await expect(call).rejects.toMatchObject({ code: 'MalformedReply' });
    },
  );

  test('is believed over TLS only with a certificate for the host', async () => {
    const issued = await issueCertificate({ dnsNames: ['localhost'], now: Date.now(), validMs: 3_600_000 });
    let said = Buffer.alloc(0);
    const port = await listening(
      createServer((socket) =>
        socket.once('data', () => {
          socket.write('S');
          const secure = new TLSSocket(socket, { isServer: true, key: issued.key, cert: issued.certificate });
          secure.on('error', () => undefined).on('data', (chunk: Buffer) => (said = Buffer.concat([said, chunk])));
        }),
      ),
    );
    const call = postgresAt(port, { sslMode: 'verify-full' }).get('orders', signal);
    await expect(call).rejects.toMatchObject({ code: 'Unreachable', applied: 'no' });
    expect(said.toString()).toBe('');
  });

  test.each(['N', 'SN'])('is not spoken in clear where TLS is asked for: %s', async (answer) => {
    const said: Buffer[] = [];
    const port = await listening(
      createServer((socket) => {
        socket.on('data', (chunk: Buffer) => said.push(chunk));
        socket.once('data', () => socket.write(answer));
      }),
    );
    const call = postgresAt(port, { sslMode: 'verify-full' }).get('orders', signal);
    await expect(call).rejects.toMatchObject({ code: 'Refused', retry: 'terminal', applied: 'no' });
    expect(Buffer.concat(said)).toHaveLength(8);
  });
});
