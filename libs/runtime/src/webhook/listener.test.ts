import { once } from 'node:events';
import { connect as connectPlain } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { answerIn, listen, readReply, reviewOf, reviewRequest } from '../../test/listener.ts';
import type { Listener } from '../../test/listener.ts';
import { issueClientCertificate } from '../../test/client-certificate.ts';
import { VirtualClock, settled } from '../../test/virtual-clock.ts';
import { allow, deny, reviewReply } from './index.ts';
import type { Webhook } from './index.ts';

const open: Listener[] = [];
afterEach(async () => {
  for (const listener of open.splice(0)) await listener.close();
});

const hook = (change: Partial<Webhook> = {}): Webhook => ({
  path: '/validate',
  failurePolicy: 'Fail',
  review: (request) => Promise.resolve(reviewReply(request.uid, allow())),
  ...change,
});

async function serve(options: Parameters<typeof listen>[0] = {}): Promise<Listener> {
  const listener = await listen({ webhooks: [hook()], ...options });
  open.push(listener);
  return listener;
}

const asked = reviewRequest('/validate');
const head = (line: string, headers = ''): string => `${line} HTTP/1.1\r\nhost: a\r\n${headers}\r\n`;
const unfinished = (length: number, sent: string): string =>
  `${head('POST /validate?timeout=86400s', `content-length: ${length}\r\n`)}${sent}`;

describe('the listener', () => {
  it.each([
    ['a target that is no path', head('GET //'), 400],
    ['an absolute target', head('POST https://a/validate'), 400],
    ['a target with a fragment', head('POST /validate#a'), 400],
    ['a target of all servers', head('OPTIONS *'), 400],
    ['an unknown path', head('POST /other'), 404],
    ['another method', head('GET /validate'), 404],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n\r\n', 400],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['no host', 'POST /validate HTTP/1.1\r\n\r\n', 400],
    ['a head that is too large', head('POST /validate', `a: ${'b'.repeat(20_000)}\r\n`), 431],
    ['a length and chunks', head('POST /validate', 'content-length: 2\r\ntransfer-encoding: chunked\r\n'), 400],
    ['a body that says that it is too large', unfinished(9_000_000, ''), 413],
    ['a body that is no JSON', unfinished(1, '{'), 400],
    ['a body that is no UTF-8', Buffer.concat([Buffer.from(unfinished(3, '"')), Buffer.from([0xc3, 0x22])]), 400],
    ['a body that is no review', unfinished(2, '{}'), 400],
    [
      'a review that is too deep',
      reviewRequest('/validate', { options: JSON.parse(`${'['.repeat(600)}${']'.repeat(600)}`) }),
      400,
    ],
    ['an expectation', head('POST /validate', 'expect: 200-maybe\r\n'), 417],
  ])('answers %s', async (_what, bytes, status) => {
    const listener = await serve();
    expect(answerIn(await listener.exchange(bytes)).status).toBe(status);
    expect(answerIn(await listener.exchange(asked))).toEqual({ status: 200, allowed: true });
  });

  it.each([
    ['uid', 1],
    ['uid', 'u'.repeat(129)],
    ['operation', 'PATCH'],
    ['kind', null],
    ['resource', { group: '', version: 'v1' }],
    ['name', {}],
    ['namespace', []],
    ['userInfo', null],
    ['userInfo', { username: 'a', groups: 'system:masters' }],
    ['userInfo', { username: ['a'] }],
    ['userInfo', { extra: { scopes: 1 } }],
    ['object', []],
    ['object', {}],
    ['oldObject', { metadata: { labels: { a: {} } } }],
    ['oldObject', { metadata: { name: 1 } }],
  ])('refuses a review whose %s is %j', async (field, value) => {
    const listener = await serve();
    const reply = await listener.exchange(reviewRequest('/validate', { [field]: value }));
    expect(answerIn(reply).status).toBe(400);
    expect(reply).toContain(`request.${field}`);
  });

  it('ends a connection that sends on before it has its answer', async () => {
    const listener = await serve();
    expect(await listener.exchange(asked + asked)).toBe('');
    expect(answerIn(await listener.exchange(asked)).status).toBe(200);
  });

  it('caps the time that a caller asks for', async () => {
    const clock = new VirtualClock();
    const review = vi.fn(() => new Promise<never>(() => undefined));
    const listener = await serve({ clock, webhooks: [hook({ review, timeoutMs: 3000 })] });
    let answer: string | undefined;
    void listener.exchange(asked.replace('timeout=5s', 'timeout=86400s')).then((text) => (answer = text));
    await vi.waitFor(() => expect(review).toHaveBeenCalled());
    await clock.advance(2600);
    // The clock stands still until then.
    const answered = vi.waitFor(() => expect(answer).toBeDefined(), { timeout: 10_000 });
    await answered.finally(() => clock.advance(86_400_000));
    expect(answerIn(answer ?? '')).toMatchObject({
      allowed: false,
      code: 503,
      message: expect.stringMatching(/too long/) as string,
    });
  });
});

describe('unfinished bodies', () => {
  it('are not counted as being judged', async () => {
    const listener = await serve();
    for (let count = 0; count < 200; count += 1) (await listener.connect()).write(unfinished(1000, '{'));
    expect(answerIn(await listener.exchange(asked))).toEqual({ status: 200, allowed: true });
  });

  it('end with a deadline of their own, whatever time their caller asks for', async () => {
    const clock = new VirtualClock();
    const listener = await serve({ clock });
    const socket = await listener.connect();
    socket.write(unfinished(1000, '{'));
    const reply = readReply(socket);
    await vi.waitFor(async () => {
      await clock.advance(1000);
      socket.write(' ');
      expect(socket.closed).toBe(true);
    });
    expect(answerIn(await reply).status).toBe(408);
  });

  it('are bounded in all, and the oldest of the address with the most goes first', async () => {
    const limits = { maxBodyBytes: 400_000, maxUnfinishedBytes: 1_000_000 };
    const listener = await serve({ limits });
    const other = await listener.connect({ localAddress: '127.0.0.2' });
    const review = JSON.stringify(reviewOf());
    other.write(unfinished(review.length, review.slice(0, -1)));
    const hostile = await Promise.all(Array.from({ length: 5 }, async () => (await listener.connect()).resume()));
    for (const [index, socket] of hostile.entries()) {
      socket.write(unfinished(399_999, ' '.repeat(300_000)));
      if (index < 3) await settled();
    }
    await vi.waitFor(() => expect(hostile.filter(({ closed }) => closed).length).toBeGreaterThanOrEqual(2));
    other.write(review.slice(-1));
    expect(answerIn(await readReply(other))).toEqual({ status: 200, allowed: true });
  });
});

describe('connections', () => {
  it('are bounded, and a new one takes the place of the oldest that waits', async () => {
    const listener = await serve({ limits: { maxConnections: 4 } });
    const idle = await Promise.all(Array.from({ length: 9 }, async () => (await listener.connect()).resume()));
    expect(answerIn(await listener.exchange(asked))).toEqual({ status: 200, allowed: true });
    await vi.waitFor(() => expect(idle.filter(({ closed }) => closed).length).toBe(6));
  });

  it('take no place from another address', async () => {
    const listener = await serve({ limits: { maxConnections: 4 } });
    const other = await listener.connect({ localAddress: '127.0.0.2' });
    for (let count = 0; count < 12; count += 1) await listener.connect();
    other.write(asked);
    expect(answerIn(await readReply(other))).toEqual({ status: 200, allowed: true });
  });

  it('that are being answered stay, but for an address that has less', async () => {
    const held = vi.fn(() => new Promise<never>(() => undefined));
    const listener = await serve({
      limits: { maxConnections: 3 },
      webhooks: [hook(), hook({ path: '/slow', review: held })],
    });
    const busy = await Promise.all(Array.from({ length: 3 }, () => listener.connect()));
    for (const socket of busy) socket.write(reviewRequest('/slow'));
    await vi.waitFor(() => expect(held).toHaveBeenCalledTimes(3));
    expect(await listener.exchange(asked)).toBe('');
    expect(busy.filter(({ closed }) => closed)).toEqual([]);
    expect(answerIn(await listener.exchange(asked, { localAddress: '127.0.0.2' }))).toEqual({
      status: 200,
      allowed: true,
    });
  });

  it('end with their next answer where they are to end, and new ones are served on', async () => {
    const listener = await serve();
    const kept = await listener.connect();
    kept.write(asked);
    expect(await readReply(kept)).not.toMatch(/connection: close/i);
    listener.server.endConnections();
    kept.write(asked);
    const last = await readReply(kept);
    expect(last).toMatch(/connection: close/i);
    expect(answerIn(last)).toEqual({ status: 200, allowed: true });
    await vi.waitFor(() => expect(kept.closed).toBe(true));
    expect(answerIn(await listener.exchange(asked))).toEqual({ status: 200, allowed: true });
  });

  it('that never send anything are ended', async () => {
    const listener = await serve({ limits: { headTimeoutMs: 200 } });
    const plain = connectPlain(listener.server.port, '127.0.0.1').on('error', () => undefined);
    const secured = await listener.connect();
    await Promise.all([once(plain, 'close'), once(secured.resume(), 'close')]);
  });
});

describe('what can’t be judged', () => {
  const slow = (): Promise<never> => new Promise(() => undefined);

  it('is answered as the webhook has it, above the limit and after the time', async () => {
    const clock = new VirtualClock();
    const undecided = vi.fn((_request: unknown, why: string) => deny(why, { code: 429 }));
    const review = vi.fn(slow);
    const listener = await serve({
      clock,
      webhooks: [hook({ failurePolicy: 'Ignore', maxInFlight: 1, undecided, review })],
    });
    const first = listener.exchange(asked);
    await vi.waitFor(() => expect(review).toHaveBeenCalled());
    expect(answerIn(await listener.exchange(asked))).toMatchObject({
      allowed: false,
      code: 429,
      message: expect.stringMatching(/too many/) as string,
    });
    await clock.advance(5000);
    expect(answerIn(await first)).toMatchObject({
      allowed: false,
      code: 429,
      message: expect.stringMatching(/too long/) as string,
    });
  });

  it('of one address leaves as much to the others', async () => {
    const review = vi.fn(slow);
    const listener = await serve({ webhooks: [hook({ maxInFlight: 1, review })] });
    void listener.exchange(asked);
    await vi.waitFor(() => expect(review).toHaveBeenCalledTimes(1));
    void listener.exchange(asked, { localAddress: '127.0.0.2' });
    await vi.waitFor(() => expect(review).toHaveBeenCalledTimes(2));
  });
});

describe('a client certificate', () => {
  it('is asked for and verified, with its name, where there is an authority for it', async () => {
    const [server, stranger] = await Promise.all([1, 2].map(() => issueClientCertificate('api-server')));
    if (!server || !stranger) throw new TypeError('two were made');
    const clients = { authorities: server.authority, names: ['api-server'] };
    const listener = await serve({ clients });
    expect(answerIn(await listener.exchange(asked, server))).toEqual({ status: 200, allowed: true });
    expect(await listener.exchange(asked, stranger)).toBe('');
    expect(await listener.exchange(asked)).toBe('');
    const others = await serve({ clients: { ...clients, names: ['front-proxy'] } });
    expect(await others.exchange(asked, server)).toBe('');
    others.server.useCertificate(others.issued);
    expect(await others.exchange(asked)).toBe('');
    const any = await serve({ clients: { ...clients, names: [] } });
    expect(answerIn(await any.exchange(asked, server))).toEqual({ status: 200, allowed: true });
    any.server.useCertificate(any.issued);
    expect(await any.exchange(asked, stranger)).toBe('');
    expect(answerIn(await any.exchange(asked, server))).toEqual({ status: 200, allowed: true });
  });
});

describe('TLS', () => {
  it('is not renegotiated', async () => {
    const listener = await serve();
    const socket = await listener.connect({ maxVersion: 'TLSv1.2' });
    const renegotiated = await new Promise((resolve) => {
      socket.renegotiate({ rejectUnauthorized: false }, (error) => resolve(error === null));
      socket.once('close', () => resolve(false));
    });
    expect(renegotiated).toBe(false);
  });

  it('is of version 1.2 at least', async () => {
    const listener = await serve();
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    expect(await listener.exchange(asked, old)).toBe('');
    expect(answerIn(await listener.exchange(asked, { maxVersion: 'TLSv1.2' })).status).toBe(200);
  });
});
