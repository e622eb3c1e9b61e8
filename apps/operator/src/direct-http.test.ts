import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { directHttp } from './direct-http.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function asking(allowedNetworks: readonly string[]) {
  const { http, close } = directHttp({ allowedNetworks });
  closing.push(close);
  return (url: string) => http(url, { method: 'GET', timeoutMs: 5_000, signal: new AbortController().signal });
}

describe('a pod’s address', () => {
  // Whoever may write the status of pods could name these as the address of one.
  test.each([
    'http://169.254.169.254/latest/meta-data',
    'http://127.0.0.1:8081/readyz',
    'http://[::1]:80/',
    'http://[fe80::1]/',
  ])('is never %s: nobody is asked', async (url) => {
    await expect(asking([])(url)).rejects.toMatchObject({ code: 'EndpointRefused' });
  });

  test('may be one of a network that the settings allow', async () => {
    const server = createServer((_request, response) => response.end('ok'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => server.close());
    const { port } = server.address() as AddressInfo; // It listens on TCP.
    expect(await asking(['127.0.0.0/8'])(`http://127.0.0.1:${port}/`)).toEqual({ status: 200, body: 'ok' });
  });
});
