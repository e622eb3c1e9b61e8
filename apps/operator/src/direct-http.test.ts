import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Beginning } from '@ordinal/client';
import { afterEach, describe, expect, test } from 'vitest';
import { directHttp } from './direct-http.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const limitBytes = 64 * 1024;

function asking(allowedNetworks: readonly string[]) {
  const { http, close } = directHttp({ allowedNetworks });
  closing.push(close);
  return (url: string) =>
    http(url, {
      method: 'GET',
      timeoutMs: 5_000,
      signal: new AbortController().signal,
      reader: () => new Beginning(limitBytes),
    });
}

describe('a pod’s address', () => {
  // Whoever may write the status of pods could name these as the address of one.
  test.each([
    'http://169.254.169.254/latest/meta-data',
    'http://127.0.0.1:8081/readyz',
    'http://[::1]:80/',
    'http://[fe80::1]/',
  ])('is never %s: no request is sent', async (url) => {
    await expect(asking([])(url)).rejects.toMatchObject({ code: 'EndpointRefused' });
  });

  test('may be one of a network that the settings allow', async () => {
    const server = createServer((_request, response) => response.end('ok'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => server.close());
    const { port } = server.address() as AddressInfo; // It listens on TCP.
    expect(await asking(['127.0.0.0/8'])(`http://127.0.0.1:${port}/`)).toEqual({ status: 200, body: 'ok' });
  });

  test('whose answer never ends is left at the limit', async () => {
    let accepted = 0;
    const piece = Buffer.alloc(65_536, 'x');
    const server = createServer((_request, response) => {
      const write = (): void => {
        while (!response.destroyed && response.write(piece)) accepted += piece.length;
      };
      response.on('drain', write).on('close', () => closed());
      write();
    });
    let closed = (): void => undefined;
    const over = new Promise<void>((resolve) => (closed = resolve));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => server.close());
    const { port } = server.address() as AddressInfo; // It listens on TCP.
    const reply = await asking(['127.0.0.0/8'])(`http://127.0.0.1:${port}/`);
    expect(reply.body).toHaveLength(limitBytes);
    await over;
    // What the system's buffers took.
    expect(accepted).toBeLessThan(12 * 1024 * 1024);
  });
});
