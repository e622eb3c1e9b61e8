import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@ordinal/client';
import type { EndpointPolicy } from '@ordinal/lifecycle';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createExchange, databaseProviders } from '../src/providers/index.ts';
import type { ProviderDescription } from '../src/providers/index.ts';
import type { Resolve } from '../src/providers/network/checked-lookup.ts';

const { signal } = new AbortController();

/** A server that closes what comes in, and counts it. */
let connections = 0;
const server = createServer((socket) => {
  connections += 1;
  socket.destroy();
});
let port = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = String((server.address() as AddressInfo).port); // It listens on TCP.
});
beforeEach(() => (connections = 0));
afterAll(() => server.close());

const resolvesTo =
  (...addresses: readonly string[]): Resolve =>
  (_hostname, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

const systemFor = (description: ProviderDescription, resolve: Resolve, policy: EndpointPolicy = {}) =>
  databaseProviders({
    clock: systemClock,
    exchange: createExchange({ policy }),
    policy,
    resolve,
    callTimeoutMs: 5_000,
    rateLimit: { perSecond: 50, burst: 20 },
  }).resolve(description).system;

const postgres = (sslMode: string): ProviderDescription => ({
  provider: 'postgres',
  host: 'database.example',
  port,
  username: 'admin',
  password: 'secret',
  sslMode,
});
const aws = (scheme: string): ProviderDescription => ({
  provider: 'rds',
  region: 'eu-west-1',
  accessKeyId: 'test',
  secretAccessKey: 'test',
  endpoint: `${scheme}://database.example:${port}`,
});

const accounts: readonly (readonly [string, () => ProviderDescription])[] = [
  ['PostgreSQL', () => postgres('disable')],
  ['PostgreSQL with TLS', () => postgres('verify-full')],
  ['RDS', () => aws('https')],
  ['RDS without TLS', () => aws('http')],
];

describe.each(accounts)('a %s account whose host is a harmless name', (_name, description) => {
  test.each(['127.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1', 'fe80::1'])(
    'is refused while the name resolves to %s',
    async (address) => {
      const call = systemFor(description(), resolvesTo(address)).get('orders', signal);
      await expect(call).rejects.toMatchObject({ code: 'EndpointRefused', retry: 'terminal', applied: 'no' });
      expect(connections).toBe(0);
    },
  );

  test('is refused where one of several addresses is not to be called', async () => {
    const call = systemFor(description(), resolvesTo('10.0.0.1', '127.0.0.1')).get('orders', signal);
    await expect(call).rejects.toMatchObject({ code: 'EndpointRefused' });
    expect(connections).toBe(0);
  });

  test('is refused at its next connection once the name has moved', async () => {
    let address = '127.0.0.1';
    const moving: Resolve = (hostname, options, callback) => resolvesTo(address)(hostname, options, callback);
    const system = systemFor(description(), moving, { allowedNetworks: ['127.0.0.1/32'] });
    await expect(system.get('orders', signal)).rejects.toMatchObject({ retry: 'backoff' });
    expect(connections).toBeGreaterThan(0);
    address = '127.0.0.2';
    await expect(system.get('orders', signal)).rejects.toMatchObject({ code: 'EndpointRefused' });
  });
});

test.each(['/var/run/postgresql', 'a@b', 'host/path', '127.0.0.1', '::1', '0.0.0.0'])(
  'the PostgreSQL host %s is refused before anything is resolved',
  (host) => {
    expect(() => systemFor({ ...postgres('disable'), host }, resolvesTo('10.0.0.1'))).toThrow();
  },
);
