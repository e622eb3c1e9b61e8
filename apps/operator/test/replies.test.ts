import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { httpTransport } from '@ordinal/client';
import { Client } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReplyCase } from './reply-cases.ts';
import { replyCases } from './reply-cases.ts';

let reply: Buffer = Buffer.alloc(0);
const server = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.once('data', () => socket.end(reply));
});
let url = '';

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

type Verdict = ReplyCase['verdict'];

async function ours(options: { readonly compression?: boolean } = {}): Promise<Verdict> {
  const credentials = (): Promise<{ headers: object; tls: object }> => Promise.resolve({ headers: {}, tls: {} });
  const transport = httpTransport({ url, credentials: credentials as never, refresh: () => undefined }, options);
  try {
    const { body } = await transport.send({ method: 'GET', path: '/', headers: {} });
    for await (const _chunk of body);
    return 'accept';
  } catch {
    return 'refuse';
  } finally {
    await transport.close();
  }
}

async function undicis(): Promise<Verdict> {
  const client = new Client(url, { headersTimeout: 2000, bodyTimeout: 2000 });
  try {
    const { body } = await client.request({ method: 'GET', path: '/' });
    await body.text();
    return 'accept';
  } catch {
    return 'refuse';
  } finally {
    await client.destroy();
  }
}

describe('a reply is read as strictly as RFC 9112 has it, and as undici reads it', () => {
  it('in more than 72 cases', () => {
    expect(replyCases.length).toBeGreaterThanOrEqual(72);
    expect(new Set(replyCases.map(({ what }) => what)).size).toBe(replyCases.length);
  });

  it.each(replyCases)('$verdict: $what ($section)', async ({ bytes, verdict, laxerThanUndici }) => {
    reply = Buffer.from(bytes, 'latin1');
    expect(await ours()).toBe(verdict);
    if (verdict === 'accept') expect(await undicis()).toBe(laxerThanUndici === undefined ? 'accept' : 'refuse');
  });
});

describe('a compressed reply', () => {
  const packed = gzipSync('{}');
  const head = `HTTP/1.1 200 OK\r\ncontent-length: ${packed.length}\r\ncontent-encoding: `;

  it.each([
    ['gzip', false, 'refuse'],
    ['gzip', true, 'accept'],
    ['deflate', true, 'refuse'],
    ['gzip, gzip', true, 'refuse'],
  ] as const)('of %s, asked for: %s, is to %s', async (encoding, compression, verdict) => {
    reply = Buffer.concat([Buffer.from(`${head}${encoding}\r\n\r\n`), packed]);
    expect(await ours({ compression })).toBe(verdict);
  });
});
