import type { KVStoreClusterProps } from '@ordinal/constructs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PostgresqlStore } from '../../src/index.ts';
import type { PostgresqlStoreOptions } from '../../src/index.ts';
import { renderedStore } from '../rendered.ts';

type Spec = KVStoreClusterProps['spec'];

const store = (options: Partial<PostgresqlStoreOptions> = {}) =>
  renderedStore((chart) => {
    const storage = { className: 'fast', size: '50Gi' };
    const auth = { secretName: 'orders-login' };
    new PostgresqlStore(chart, 'orders', { name: 'orders', version: '17.6', storage, auth, ...options });
  });

const environmentOf = (spec: Spec) => spec.podTemplate?.spec?.containers?.[0]?.env ?? [];
const claimsOf = (template: { readonly spec?: { readonly volumes?: readonly object[] } } | undefined) =>
  (template?.spec?.volumes ?? []).filter((volume) => 'persistentVolumeClaim' in volume);

test('a PostgreSQL store is a ConfigMap with the scripts and a KVStoreCluster that the API server takes', () => {
  const { scripts, resource, spec } = store({ replicas: 5 });
  expect([scripts?.metadata.name, resource?.kind]).toEqual(['orders-recipe', 'KVStoreCluster']);
  expect(scripts?.data).toMatchObject({ 'members-orders': '5\n' });
  expect(spec).toMatchObject({ replicas: 5, port: 5432, image: 'docker.io/library/postgres', version: '17.6' });
});

test('another size of a PostgreSQL store changes nothing in its pods', () => {
  expect(store({ replicas: 5 }).spec.podTemplate).toEqual(store({ replicas: 3 }).spec.podTemplate);
});

test('passwords are in a Secret, under keys that can be chosen', () => {
  const auth = { secretName: 'login', superuserKey: 'admin', replicationKey: 'copy' };
  for (const [name, key] of [
    ['SUPERUSER_PASSWORD', 'admin'],
    ['REPLICATION_PASSWORD', 'copy'],
  ])
    expect(environmentOf(store({ auth }).spec)).toContainEqual({
      name,
      valueFrom: { secretKeyRef: { name: 'login', key } },
    });
});

test('only with an archive have members the claim for backups', () => {
  const without = store({ backup: { claimName: 'backups' } }).spec;
  expect([claimsOf(without.podTemplate).length, claimsOf(without.jobs?.podTemplate).length]).toEqual([0, 1]);
  const archiving = store({ backup: { claimName: 'backups', archive: true } }).spec;
  expect(claimsOf(archiving.podTemplate)).toHaveLength(1);
  expect(environmentOf(archiving)).toContainEqual({ name: 'ARCHIVE', value: 'yes' });
  expect(store().spec.backup).toBeUndefined();
});

test('a store begins with a backup, up to a time', () => {
  const restoreFrom = '/backups/shop/orders/base/one';
  const { spec } = store({ backup: { claimName: 'backups', restoreFrom, restoreTo: '2026-05-01 12:30:00+00' } });
  expect(spec.restoreFrom).toMatchObject({
    backup: restoreFrom,
    job: { command: ['/tools/busybox', 'sh', '/recipe/restore.sh', '2026-05-01 12:30:00+00'], deadline: '24h' },
  });
});

test('settings are those of the server, and a key is for no other user', () => {
  const { spec } = store({ settings: { max_connections: '200' }, tls: { secretName: 'orders-tls' } });
  expect(spec.podTemplate?.spec?.containers?.[0]?.command).toEqual([
    ...['/tools/busybox', 'sh', '/recipe/start.sh', 'max_connections=200'],
  ]);
  expect(spec.podTemplate?.spec?.volumes).toContainEqual({
    name: 'tls',
    secret: { secretName: 'orders-tls', defaultMode: 0o440 },
  });
});

// `npx vitest run --root libs/recipes -u` writes it anew.
test('the plain manifest of PostgreSQL is what the construct renders', async () => {
  const { yaml } = store({
    tls: { secretName: 'orders-tls' },
    settings: { max_connections: '200', shared_buffers: '2GB' },
    resources: { requests: { cpu: '1', memory: '8Gi' }, limits: { memory: '8Gi' } },
    backup: { claimName: 'backups', cron: '30 2 * * *', archive: true },
  });
  await expect(yaml).toMatchFileSnapshot(join(import.meta.dirname, '../../../../docs/recipes/postgresql-store.yaml'));
});
