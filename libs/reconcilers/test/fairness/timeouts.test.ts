import type { ClusteredCacheInput } from '@ordinal/api';
import { describe, expect, test } from 'vitest';
import { ask } from '@ordinal/lifecycle';
import { cache, caches, cacheWorld } from '../clustered-cache/cache-world.ts';

type Upgrade = NonNullable<ClusteredCacheInput['spec']['upgrade']>;

const http = { path: '/gate' } as const;
const job = { template: { template: { spec: { containers: [{ name: 'check', image: 'check:1' }] } } } };

describe('how long a pod may take to answer', () => {
  test.each<[string, Upgrade]>([
    ['a gate', { gates: [{ name: 'slow', http, timeout: '24h' }] }],
    ['a hand-off', { handoff: { http, timeout: '61s' } }],
    ['a role', { role: { http, timeout: '2m' } }],
    ['sync', { sync: { http, timeout: '1m1ms' } }],
  ])('is a minute for %s', async (_what, upgrade) => {
    const { cluster } = await cacheWorld();
    await expect(caches(cluster).create(cache({ upgrade }))).rejects.toThrow(/60s/);
    cluster.stop();
  });

  test.each<[string, Upgrade]>([
    ['a minute', { gates: [{ name: 'slow', http, timeout: '1m' }], handoff: { http, timeout: '60s' } }],
    ['hours of a Job', { gates: [{ name: 'check', job, timeout: '2h' }] }],
  ])('may be %s', async (_what, upgrade) => {
    const { cluster } = await cacheWorld();
    await expect(caches(cluster).create(cache({ upgrade }))).resolves.toBeDefined();
    cluster.stop();
  });

  test('is a minute also where an older object says a day', async () => {
    const waits: number[] = [];
    const clock = {
      now: () => 0,
      after: (ms: number, action: () => void) => {
        waits.push(ms);
        action();
        return { cancel: () => undefined };
      },
    };
    const never = () => new Promise<never>(() => undefined);
    const check = {
      kind: 'http',
      timeoutMs: 86_400_000,
      http: { ...http, port: 80, scheme: 'HTTP', method: 'GET', via: 'PodIP' },
    } as const;
    const { signal } = new AbortController();
    const how = { probes: { http: never, exec: never }, signal, clock, outside: <T>(call: () => Promise<T>) => call() };
    const answer = await ask(check, { namespace: 'shop', name: 'a-0' }, how);
    expect(waits).toEqual([60_000]);
    expect(answer).toEqual({ ok: false, silent: true, message: 'no answer: nothing within 60 s' });
  });
});
