import type { DatabaseSystem } from '@ordinal/reconcilers';
import type { ExternalError } from '@ordinal/lifecycle';
import { systemClock } from '@ordinal/client';
import { describe, expect, test } from 'vitest';
import { databaseProviders, httpMonitors } from '../src/providers/index.ts';
import type { Exchange, OutsideReply } from '../src/providers/index.ts';

const { signal } = new AbortController();
const desired = {
  engine: 'postgres',
  size: 'small',
  displayName: 'shop/orders',
  username: 'ordinal',
  password: 'pass"word-of-orders',
} as const;
const entry = (id: string, owner?: string) => ({ id, status: 'available', ...(owner && { labels: { owner } }) });

/** A cloud API that answers as the test says. */
function cloud(answer: (url: URL, body: unknown) => Partial<OutsideReply>): { system: DatabaseSystem; urls: string[] } {
  const urls: string[] = [];
  const exchange: Exchange = ({ url, body }) => {
    urls.push(`${url.pathname}${url.search}`);
    return Promise.resolve({ status: 200, headers: {}, body: undefined, ...answer(url, body) });
  };
  const { system } = databaseProviders({
    clock: systemClock,
    exchange,
    policy: {},
    callTimeoutMs: 5_000,
    rateLimit: { perSecond: 1_000, burst: 1_000 },
  }).resolve({ provider: 'http', endpoint: 'https://cloud.example', token: 'token-of-the-account' });
  return { system, urls };
}

const failure = (call: Promise<unknown>): Promise<ExternalError> =>
  call.then(
    () => Promise.reject(new Error('it succeeded')),
    (error: unknown) => error as ExternalError, // What adapters throw.
  );

describe('a provider that answers 200 with garbage', () => {
  test.each([undefined, '', 'ok', 7, [], null, {}, { items: {} }, { items: [7] }, { items: [{ id: 'x' }] }])(
    'is not believed: %j',
    async (body) => {
      const { system } = cloud(() => ({ body }));
      expect(await failure(system.findByOwner('me', signal))).toMatchObject({
        code: 'MalformedReply',
        retry: 'backoff',
        applied: 'unknown',
      });
      expect(await failure(system.create({ token: 'me-1', owner: 'me', desired }, signal))).toMatchObject({
        code: 'MalformedReply',
      });
    },
  );

  test('has no say in whose a database is', async () => {
    const items = [entry('theirs', 'another-owner'), entry('unowned'), entry('mine', 'me')];
    const { system } = cloud(() => ({ body: { items } }));
    expect((await system.findByOwner('me', signal)).map(({ id }) => id)).toEqual(['mine']);
  });

  test('is not listed for ever', async () => {
    const { system, urls } = cloud(() => ({ body: { items: [], nextPageToken: 'more' } }));
    expect(await failure(system.findByOwner('me', signal))).toMatchObject({ code: 'ReplyTooLarge' });
    expect(urls).toHaveLength(20);
  });

  test('gives no ID and no error that would not fit into a status', async () => {
    const { system } = cloud(() => ({ body: entry('x'.repeat(5_000)) }));
    expect(await failure(system.get('x', signal))).toMatchObject({ code: 'MalformedReply' });
    const wordy = cloud(() => ({ status: 400, body: { message: 'x'.repeat(100_000) } }));
    expect((await failure(wordy.system.get('x', signal))).message.length).toBeLessThan(1_100);
  });
});

describe('an import', () => {
  test.each(['.', '..'])('by the name %s asks for nothing else', async (name) => {
    const { system, urls } = cloud(() => ({ body: entry('x') }));
    expect(await failure(system.findByName?.(name, signal) ?? Promise.resolve())).toMatchObject({ code: 'Refused' });
    expect(urls).toEqual([]);
  });

  test('by a name that several databases have is refused', async () => {
    const { system } = cloud(({ search }) =>
      search === '' ? { status: 404 } : { body: { items: [entry('one'), entry('two')] } },
    );
    expect(await failure(system.findByName?.('orders', signal) ?? Promise.resolve())).toMatchObject({
      code: 'Refused',
      message: '2 databases are called orders: name the ID',
    });
  });
});

describe('a service that quotes what it was sent', () => {
  test('does not bring a password or a token into an error', async () => {
    const { system } = cloud((_url, body) => ({
      status: 400,
      body: { message: `token-of-the-account may not send ${JSON.stringify(body)}` },
    }));
    const error = await failure(system.create({ token: 'me-1', owner: 'me', desired }, signal));
    expect(error).toMatchObject({ code: 'Refused', retry: 'terminal', applied: 'no' });
    expect(error.message).toContain('[hidden] may not send');
    expect(`${error.message}${error.stack ?? ''}${String(error.cause)}`).not.toMatch(/word-of-orders|token-of/);
    const changed = await failure(system.update('x', { password: 'another-secret' }, signal));
    expect(changed.message).not.toContain('another-secret');
  });

  test('does not bring a monitor’s token into an error', async () => {
    const exchange: Exchange = ({ headers = {} }) =>
      Promise.resolve({ status: 403, headers: {}, body: { message: `not with ${headers['authorization'] ?? ''}` } });
    const monitors = httpMonitors({ exchange, policy: {}, callTimeoutMs: 5_000, settleMs: 10_000 });
    const error = await failure(monitors.at('https://monitor.example', 'token-of-the-monitor').get('x', signal));
    expect(error.message).toContain('not with Bearer [hidden]');
  });
});
