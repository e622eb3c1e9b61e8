import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EtcdStore } from '../../src/index.ts';
import type { EtcdStoreOptions } from '../../src/index.ts';
import { renderedStore } from '../rendered.ts';

const store = (options: Partial<EtcdStoreOptions> = {}) =>
  renderedStore((chart) => {
    const storage = { className: 'fast', size: '20Gi' };
    new EtcdStore(chart, 'config', { name: 'config', version: 'v3.5.21', storage, ...options });
  });

test('an etcd store is a ConfigMap with the scripts and a KVStoreCluster that the API server takes', () => {
  const { scripts, resource, spec } = store({ replicas: 5 });
  expect([scripts?.metadata.name, resource?.kind]).toEqual(['config-recipe', 'KVStoreCluster']);
  expect(scripts?.data).toMatchObject({ 'members-config': '5\n' });
  expect(spec).toMatchObject({ replicas: 5, port: 2379, image: 'gcr.io/etcd-development/etcd' });
});

test('another size of an etcd store changes nothing in its pods', () => {
  expect(store({ replicas: 5 }).spec.podTemplate).toEqual(store({ replicas: 3 }).spec.podTemplate);
});

test('members and Jobs of etcd bring their own shell, because the image has none', () => {
  const { spec } = store({ shellImage: 'registry.example.com/busybox:1' });
  for (const template of [spec.podTemplate, spec.jobs?.podTemplate])
    expect(template?.spec?.initContainers?.[0]).toMatchObject({ image: 'registry.example.com/busybox:1' });
  expect(spec.scaleDown?.before?.command).toEqual(['/tools/busybox', 'sh', '/recipe/leave.sh']);
});

test('without a claim for backups an etcd store has no backups, and with one to begin with it is restored', () => {
  expect(store().spec.backup).toBeUndefined();
  expect(store({ backup: { claimName: 'backups', restoreFrom: '/backups/shop/one.db' } }).spec).toMatchObject({
    restoreFrom: { backup: '/backups/shop/one.db', job: { command: ['/tools/busybox', 'sh', '/recipe/restore.sh'] } },
  });
});

test('settings are flags of the server', () => {
  const { spec } = store({ settings: { 'auto-compaction-retention': '1h' } });
  expect(spec.podTemplate?.spec?.containers?.[0]?.command).toEqual([
    ...['/tools/busybox', 'sh', '/recipe/start.sh', '--auto-compaction-retention=1h'],
  ]);
});

// `npx vitest run --root libs/recipes -u` writes it anew.
test('the plain manifest of etcd is what the construct renders', async () => {
  const { yaml } = store({
    tls: { secretName: 'config-tls', clientCertificates: true },
    settings: { 'auto-compaction-retention': '1h', 'quota-backend-bytes': '8589934592' },
    resources: { requests: { cpu: '1', memory: '4Gi' }, limits: { memory: '8Gi' } },
    backup: { claimName: 'backups', cron: '30 2 * * *' },
  });
  await expect(yaml).toMatchFileSnapshot(join(import.meta.dirname, '../../../../docs/recipes/etcd-store.yaml'));
});
