import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { checkedLookup } from '../src/providers/network/checked-lookup.ts';
import { createExchange } from '../src/providers/index.ts';
import { rds } from '../src/providers/rds/rds.ts';

const policy = { allowedNetworks: ['127.0.0.1/32'] };
const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

/** A service that answers every request in one way, and counts them. */
async function serving(answer: RequestListener): Promise<{ readonly url: URL; readonly paths: string[] }> {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? '');
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  return { url: new URL(`http://127.0.0.1:${port}/first`), paths };
}

const { signal } = new AbortController();

describe('a call of a service outside', () => {
  test('ends when its time is over, and it is unknown whether it was carried out', async () => {
    const { url } = await serving(() => undefined);
    const call = createExchange({ policy, timeoutMs: 100 })({ method: 'POST', url, body: {} }, signal);
    await expect(call).rejects.toMatchObject({ code: 'TimedOut', retry: 'backoff', applied: 'unknown' });
  });

  test('ends after five seconds where nothing else is said', { timeout: 60_000 }, async () => {
    const { url } = await serving(() => undefined);
    const began = performance.now();
    const call = createExchange({ policy })({ method: 'GET', url }, signal);
    await expect(call).rejects.toMatchObject({ code: 'TimedOut' });
    expect(performance.now() - began).toBeGreaterThan(4_900);
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  test('ends in time also while a reply trickles in', async () => {
    const { url } = await serving((_request, response) => {
      response.writeHead(200);
      const drops = setInterval(() => response.write(' '), 10);
      closing.push(() => clearInterval(drops));
    });
    const began = performance.now();
    const call = createExchange({ policy, timeoutMs: 150 })({ method: 'GET', url }, signal);
    await expect(call).rejects.toMatchObject({ code: 'TimedOut' });
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  test('takes no longer reply than it may', async () => {
    const { url } = await serving((_request, response) => response.end(JSON.stringify('x'.repeat(2_000))));
    const call = createExchange({ policy, maxReplyBytes: 1_000 })({ method: 'GET', url }, signal);
    await expect(call).rejects.toMatchObject({ code: 'ReplyTooLarge', retry: 'terminal' });
  });

  test('goes nowhere else: a redirect is an answer', async () => {
    const { url, paths } = await serving((_request, response) =>
      response.writeHead(302, { location: '/second' }).end(),
    );
    const reply = await createExchange({ policy })({ method: 'GET', url }, signal);
    expect(reply.status).toBe(302);
    expect(paths).toEqual(['/first']);
  });

  test.each([
    'http://127.0.0.2/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://[::ffff:7f00:1]/',
    'http://[::1]/',
    'http://169.254.169.254/latest/meta-data',
    'http://[fd00:ec2::254]/',
    'http://user:secret@192.0.2.1/',
  ])('is not made at %s, however it is written', async (text) => {
    const call = createExchange({ policy: {} })({ method: 'GET', url: new URL(text) }, signal);
    await expect(call).rejects.toMatchObject({ code: 'EndpointRefused', applied: 'no' });
  });
});

describe('a call of RDS', () => {
  const systemAt = (url: URL) =>
    rds({
      region: 'eu-west-1',
      accessKeyId: 'test',
      secretAccessKey: 'test',
      endpoint: url.origin,
      lookup: checkedLookup(policy),
      callTimeoutMs: 5_000,
    });

  test('takes no longer reply than it may, though the service says more and more', async () => {
    const { url } = await serving((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/xml' });
      const more = (): void => {
        while (!response.destroyed && response.write('<x>'.repeat(10_000)));
        response.once('drain', more);
      };
      more();
    });
    await expect(systemAt(url).get('orders', signal)).rejects.toMatchObject({ code: 'ReplyTooLarge' });
  });

  test('goes nowhere else: a redirect is a failure', async () => {
    const { url, paths } = await serving((_request, response) =>
      response.writeHead(302, { location: '/second' }).end(),
    );
    await expect(systemAt(url).get('orders', signal)).rejects.toMatchObject({ name: 'ExternalError' });
    expect(paths).toEqual(['/']);
  });
});
