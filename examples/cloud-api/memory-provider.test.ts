import { describe, expect, test } from 'vitest';
import type { ConformanceSubject } from '@ordinal/lifecycle';
import { conformanceOf } from '@ordinal/lifecycle';
import type { DatabaseRequest, DatabaseSystem, DatabaseView } from '@ordinal/reconcilers';
import { memoryProvider } from './memory-provider.ts';

const desired: DatabaseRequest = {
  engine: 'postgres',
  size: 'small',
  displayName: 'shop/orders',
  username: 'ordinal',
  password: 'secret-1',
};
let owners = 0;

const subject = (system: DatabaseSystem): ConformanceSubject<DatabaseRequest, DatabaseView> => ({
  system,
  desired: () => desired,
  change: { to: { size: 'large' }, shows: ({ size }) => size === 'large' },
  unacceptable: { ...desired, engine: 'mysql' },
  owner: () => `owner-${(owners += 1)}`,
  pass: async () => Promise.resolve(),
  patienceMs: 10,
});

describe('the provider of the documentation', () => {
  for (const check of conformanceOf(subject(memoryProvider()))) test(check.name, () => check.run());
});

/** Providers that are wrong in one way each, and the check that says so. */
const wrong: readonly (readonly [string, (right: DatabaseSystem) => Partial<DatabaseSystem>, RegExp])[] = [
  [
    'forgets the owner',
    (right) => ({ get: async (id, signal) => ({ ...(await right.get(id, signal)), owner: undefined }) as never }),
    /shows its owner/,
  ],
  [
    'shows everybody everything',
    (right) => ({
      findByOwner: async (_owner, signal) =>
        right.findByOwner(`owner-${owners}`, signal).then(() => [{ id: 'x', state: 'ready' }]),
    }),
    /owner without things/,
  ],
  ['ignores changes', () => ({ update: async () => Promise.resolve() }), /a change shows/],
  ['never deletes', () => ({ delete: async () => Promise.resolve() }), /deleted thing goes/],
  [
    'makes another for the same token',
    (right) => ({
      create: async (request, signal) =>
        right.create({ ...request, token: `${request.token}-${(owners += 1)}` }, signal),
    }),
    /same token/,
  ],
  ['throws what is no ExternalError', () => ({ get: async () => Promise.reject(new Error('no')) }), /aborted call/],
];

describe('the conformance suite finds a provider that', () => {
  test.each(wrong)('%s', async (_what, mistake, finder) => {
    const right = memoryProvider();
    const checks = conformanceOf(subject({ ...right, ...mistake(right) }));
    const found: string[] = [];
    for (const check of checks) {
      await check.run().catch(() => found.push(check.name));
    }
    expect(found.join('\n')).toMatch(finder);
  });
});
