import type { ClusteredCacheProps, KVStoreClusterProps } from '@ordinal/constructs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RedisCache, RedisStore } from '../../src/index.ts';
import type { RedisCacheOptions, RedisStoreOptions } from '../../src/index.ts';
import { rendered } from '../rendered.ts';

const storage = { className: 'fast', size: '10Gi' };

const cache = (options: Partial<RedisCacheOptions> = {}) =>
  rendered((chart) => {
    new RedisCache(chart, 'sessions', { name: 'sessions', image: 'docker.io/library/redis:8.0', ...options });
  });

const store = (options: Partial<RedisStoreOptions> = {}) =>
  rendered((chart) => {
    new RedisStore(chart, 'carts', { name: 'carts', version: '8.0', storage, ...options });
  });

const specOf = <T>({ manifests }: Pick<ReturnType<typeof rendered>, 'manifests'>): T => manifests[1]?.spec as T; // The resource follows the scripts.

test('a cache is a ConfigMap with the scripts and a ClusteredCache that the API server takes', () => {
  const { manifests } = cache({ replicas: 5 });
  expect(manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    'ConfigMap sessions-recipe',
    'ClusteredCache sessions',
  ]);
  expect(manifests[0]?.data).toMatchObject({ 'members-sessions': '5\n' });
  expect(specOf<ClusteredCacheProps['spec']>({ manifests })).toMatchObject({ replicas: 5, port: 6379 });
});

test('another size of a set changes nothing in its pods', () => {
  const pod = (replicas: number) => specOf<KVStoreClusterProps['spec']>(store({ replicas })).podTemplate;
  expect(pod(5)).toEqual(pod(3));
});

test('no password stands in a manifest, and each member and Job reads it from the Secret', () => {
  const auth = { secretName: 'login', passwordKey: 'key', user: 'shop' };
  const spec = specOf<KVStoreClusterProps['spec']>(store({ auth, backup: { claimName: 'backups' } }));
  const password = {
    name: 'REDISCLI_AUTH',
    valueFrom: { secretKeyRef: { name: 'login', key: 'key' } },
  };
  for (const template of [spec.podTemplate, spec.jobs?.podTemplate]) {
    const environment = template?.spec?.containers?.[0]?.env;
    expect(environment).toContainEqual(password);
    expect(environment).toContainEqual({ name: 'STORE_USER', value: 'shop' });
  }
});

test('without a claim for backups there are no Jobs, and with a backup to begin with it is restored', () => {
  expect(specOf<KVStoreClusterProps['spec']>(store()).backup).toBeUndefined();
  const backup = { claimName: 'backups', restoreFrom: '/backups/shop/one.rdb' };
  expect(specOf<KVStoreClusterProps['spec']>(store({ backup }))).toMatchObject({
    restoreFrom: { backup: '/backups/shop/one.rdb', job: { command: ['sh', '/recipe/restore.sh'] } },
  });
});

test('settings are parameters of the server, and fields of the upgrade go over those of the recipe', () => {
  const spec = specOf<ClusteredCacheProps['spec']>(
    cache({ settings: { maxmemory: '1gb' }, upgrade: { progressDeadline: '1m' } }),
  );
  expect(spec.podTemplate?.spec?.containers?.[0]?.command).toEqual(['sh', '/recipe/start.sh', '--maxmemory', '1gb']);
  expect(spec.upgrade).toMatchObject({ progressDeadline: '1m', order: 'LeaderLast' });
});

const page = (name: string): string => join(import.meta.dirname, '../../../../docs/recipes', name);

// `npx vitest run --root libs/recipes -u` writes them anew.
test('the plain manifests of docs/recipes are what the constructs render', async () => {
  await expect(cache().yaml).toMatchFileSnapshot(page('redis-cache.yaml'));
  const all = store({
    software: 'Valkey',
    version: '8.1',
    auth: { secretName: 'carts-login', user: 'carts' },
    tls: { secretName: 'carts-tls' },
    settings: { maxmemory: '2gb' },
    resources: { requests: { cpu: '500m', memory: '5Gi' }, limits: { memory: '5Gi' } },
    backup: { claimName: 'backups', cron: '30 2 * * *' },
  });
  await expect(all.yaml).toMatchFileSnapshot(page('valkey-store.yaml'));
});
