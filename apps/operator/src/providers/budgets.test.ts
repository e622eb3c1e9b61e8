import { ExternalError } from '@ordinal/lifecycle';
import { expect, test } from 'vitest';
import { databaseProviders } from './database-providers.ts';

const { signal } = new AbortController();
/** A clock that stands still: no budget fills again. */
const clock = { now: () => 0, after: () => ({ cancel: () => undefined }) };
const victim = { provider: 'http', endpoint: 'https://cloud.example', account: 'shop', token: 'right' };

/** An API that knows one token. */
const providers = () =>
  databaseProviders({
    clock,
    exchange: ({ headers }) =>
      Promise.resolve({
        status: headers?.['authorization'] === 'Bearer right' ? 404 : 401,
        headers: {},
        body: undefined,
      }),
    policy: {},
    callTimeoutMs: 5_000,
    rateLimit: { perSecond: 0.1, burst: 3 },
  });

test('a wrong token uses up nothing of those that name the same endpoint and account', async () => {
  const { resolve } = providers();
  const attacker = resolve({ ...victim, token: 'wrong' }, 'evil').system;
  for (let call = 0; call < 3; call += 1)
    await expect(attacker.get('a', signal)).rejects.toMatchObject({ code: 'Unauthorized' });
  await expect(attacker.get('a', signal)).rejects.toMatchObject({ code: 'RateLimited' });
  // More Secrets of the same namespace get no more calls.
  const another = resolve({ ...victim, token: 'wrong too', account: 'else' }, 'evil').system;
  await expect(another.get('a', signal)).rejects.toMatchObject({ code: 'RateLimited' });
  const { system } = resolve(victim, 'shop');
  for (let call = 0; call < 4; call += 1) expect(await system.get('a', signal)).toBeUndefined();
});

test('accepted credentials have one budget, whatever accounts are stated for them and wherever', async () => {
  const { resolve } = providers();
  for (const namespace of ['one', 'two', 'three', 'four'])
    await resolve(victim, namespace)
      .system.get('a', signal)
      .catch((error: unknown) => expect(error).toBeInstanceOf(ExternalError));
  for (const namespace of ['five', 'six'])
    await expect(resolve({ ...victim, account: namespace }, namespace).system.get('a', signal)).rejects.toMatchObject({
      code: 'RateLimited',
    });
});
