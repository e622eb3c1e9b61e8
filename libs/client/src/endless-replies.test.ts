import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endlessServer } from '../test/endless.ts';
import type { EndlessServer } from '../test/endless.ts';
import { createClient } from './create-client.ts';
import type { Client } from './client.ts';
import { httpTransport } from './http-transport.ts';

/** What the system's buffers of a connection take, at most, whatever the client does. In bytes. */
const buffersBytes = 12 * 1024 * 1024;
const limitBytes = 64 * 1024;
const address = { namespace: 'shop', pod: 'a', container: 'main' };

let server: EndlessServer;
let client: Client;
beforeAll(async () => {
  server = await endlessServer();
  const api = {
    url: `http://127.0.0.1:${server.port}`,
    credentials: () => Promise.resolve({ headers: {}, tls: {} }),
    refresh: () => undefined,
  };
  client = createClient({ transport: httpTransport(api) });
});
afterAll(async () => {
  await client.close();
  server.close();
});

/** How much the client has taken of a connection by the time that it was closed. */
const takenOf = async (shape: string): Promise<number> =>
  (await server.next((report) => report.shape === shape && report.closed !== undefined)).closed ?? 0;

describe('a command that prints without end', () => {
  it.each(['large', 'tiny', 'stderr'])('is left at the limit (%s messages)', async (shape) => {
    await expect(client.pods.exec(address, [shape], { limitBytes, timeoutMs: 5_000 })).rejects.toMatchObject({
      name: 'TransportError',
      code: 'ReplyTooLarge',
    });
    expect(await takenOf(shape)).toBeLessThan(buffersBytes);
  });

  it('is left at once where a single message is too large', async () => {
    await expect(client.pods.exec(address, ['huge'], { limitBytes, timeoutMs: 5_000 })).rejects.toMatchObject({
      code: 'ReplyTooLarge',
    });
    expect(await takenOf('huge')).toBeLessThan(buffersBytes);
  });

  it('is held back while nothing reads it', async () => {
    const channel = await client.pods.stream(address, ['large']);
    const { stalled } = await server.next((report) => report.shape === 'large' && report.stalled !== undefined);
    expect(stalled).toBeLessThan(buffersBytes);
    channel.close();
    expect(await takenOf('large')).toBeLessThan(buffersBytes);
  });

  it('goes on when it is read on', async () => {
    const channel = await client.pods.stream(address, ['large']);
    await server.next((report) => report.shape === 'large' && report.stalled !== undefined);
    let taken = 0;
    for await (const message of channel.messages) {
      taken += message.length;
      if (taken > 2 * buffersBytes) break;
    }
    // Leaving the loop closes the connection.
    expect(await takenOf('large')).toBeLessThan(4 * buffersBytes);
  });
});

describe('a reply that never ends', () => {
  it.each(['body', 'bytes'])('is left at the limit (%s)', async (shape) => {
    const reply = client.pods.proxy(
      { kind: 'pods', namespace: 'shop', name: 'a', port: 80, path: `/${shape}` },
      { limitBytes, timeoutMs: 5_000 },
    );
    expect((await reply).body).toHaveLength(limitBytes);
    expect(await takenOf(shape)).toBeLessThan(buffersBytes);
  });

  it('is left at the limit (a log)', async () => {
    expect(await client.pods.logs(address, { limitBytes, timeoutMs: 5_000 })).toHaveLength(limitBytes);
    expect(await takenOf('body')).toBeLessThan(buffersBytes);
  });
});
