import { expect, test } from 'vitest';
import { serviceBeside } from './caches.ts';

const alone = await serviceBeside({ caches: 0, namespaces: 1, timeout: '60s' });

test.each([
  { caches: 60, namespaces: 1 },
  { caches: 200, namespaces: 10 },
])(
  'beside $caches caches in $namespaces namespaces whose gates never answer, a new one is served within a second, and its upgrade takes at most twice as long',
  async (hostility) => {
    const { createdMs = Infinity, upgradedMs = Infinity } = await serviceBeside({ ...hostility, timeout: '60s' });
    expect(createdMs).toBeLessThanOrEqual(1_000);
    expect(upgradedMs).toBeLessThanOrEqual(2 * (alone.upgradedMs ?? 0));
  },
  120_000,
);
