import { join } from 'node:path';
import { expect, test } from 'vitest';
import { GaleraStore } from '../../src/index.ts';
import type { GaleraStoreOptions } from '../../src/index.ts';
import { renderedStore } from '../rendered.ts';

const store = (options: Partial<GaleraStoreOptions> = {}) =>
  renderedStore((chart) => {
    const storage = { className: 'fast', size: '50Gi' };
    const auth = { secretName: 'orders-login' };
    new GaleraStore(chart, 'orders', { name: 'orders', version: '11.8.3', storage, auth, ...options });
  });

test('a Galera store is a ConfigMap with the scripts and a KVStoreCluster that the API server takes', () => {
  const { scripts, resource, spec } = store({ replicas: 5 });
  expect([scripts?.metadata.name, resource?.kind]).toEqual(['orders-recipe', 'KVStoreCluster']);
  expect(scripts?.data).toMatchObject({ 'members-orders': '5\n' });
  expect(spec).toMatchObject({ replicas: 5, port: 3306, image: 'docker.io/library/mariadb' });
  expect(spec).not.toHaveProperty('backup');
});

test('another size of a Galera store changes nothing in its pods', () => {
  expect(store({ replicas: 5 }).spec.podTemplate).toEqual(store({ replicas: 3 }).spec.podTemplate);
});

test('members of Galera are equal: none has a role or hands over, each waits for the others to be in step', () => {
  const { upgrade } = store().spec;
  expect(upgrade).not.toHaveProperty('role');
  expect(upgrade).not.toHaveProperty('handoff');
  expect(upgrade?.gates?.[0]?.exec?.command).toEqual(['/tools/busybox', 'sh', '/recipe/quorum.sh']);
  expect(upgrade?.sync?.exec?.command).toEqual(['/tools/busybox', 'sh', '/recipe/in-step.sh']);
});

test('no probe ends a member of Galera that copies another one', () => {
  const container = store().spec.podTemplate?.spec?.containers?.[0];
  expect(container).toHaveProperty('readinessProbe');
  expect(container).not.toHaveProperty('livenessProbe');
  expect(container).not.toHaveProperty('startupProbe');
});

test('settings of Galera are parameters of the script that starts the server, and the passwords are files', () => {
  const { podTemplate, jobs } = store({ settings: { max_connections: '500' }, cache: '2G' }).spec;
  const container = podTemplate?.spec?.containers?.[0];
  expect(container?.command).toEqual(['/tools/busybox', 'sh', '/recipe/start.sh', 'max_connections=500']);
  expect(container?.env).toContainEqual({ name: 'GCACHE', value: '2G' });
  for (const template of [podTemplate, jobs?.podTemplate])
    expect(template?.spec?.volumes).toContainEqual({ name: 'auth', secret: { secretName: 'orders-login' } });
});

// `npx vitest run --root libs/recipes -u` writes it again.
test('the plain manifest of Galera is what the construct renders', async () => {
  const { yaml, spec } = store({
    cache: '2G',
    settings: { innodb_buffer_pool_size: '4G', max_connections: '500' },
    resources: { requests: { cpu: '2', memory: '6Gi' }, limits: { memory: '6Gi' } },
    backup: { claimName: 'backups', cron: '0 3 * * *' },
  });
  expect(spec.backup).toMatchObject({ schedule: { cron: '0 3 * * *' } });
  await expect(yaml).toMatchFileSnapshot(join(import.meta.dirname, '../../../../docs/recipes/galera-store.yaml'));
});
