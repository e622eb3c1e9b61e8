import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NatsStore } from '../../src/index.ts';
import type { NatsStoreOptions } from '../../src/index.ts';
import { renderedStore } from '../rendered.ts';

const store = (options: Partial<NatsStoreOptions> = {}) =>
  renderedStore((chart) => {
    const storage = { className: 'fast', size: '50Gi' };
    new NatsStore(chart, 'bus', {
      name: 'bus',
      version: '2.10.27',
      storage,
      auth: { secretName: 'bus-auth' },
      ...options,
    });
  });

test('a NATS store is a ConfigMap with the scripts and a KVStoreCluster that the API server takes', () => {
  const { scripts, resource, spec } = store({ replicas: 5 });
  expect([scripts?.metadata.name, resource?.kind]).toEqual(['bus-recipe', 'KVStoreCluster']);
  expect(scripts?.data).toMatchObject({ 'members-bus': '5\n' });
  expect(spec).toMatchObject({ replicas: 5, port: 4222, image: 'docker.io/library/nats' });
});

test('another size of a NATS store changes nothing in its pods', () => {
  expect(store({ replicas: 5 }).spec.podTemplate).toEqual(store({ replicas: 3 }).spec.podTemplate);
});

test('members and Jobs of NATS bring their own shell and get the passwords from the Secret', () => {
  const { spec } = store({ shellImage: 'registry.example.com/busybox:1' });
  for (const template of [spec.podTemplate, spec.jobs?.podTemplate]) {
    expect(template?.spec?.initContainers?.[0]).toMatchObject({ image: 'registry.example.com/busybox:1' });
    expect(template?.spec?.volumes).toContainEqual({ name: 'auth', secret: { secretName: 'bus-auth' } });
  }
  expect(spec.scaleDown?.before?.command).toEqual(['/tools/busybox', 'sh', '/recipe/leave.sh']);
});

test('settings are parameters of the script that writes the configuration', () => {
  const { spec } = store({ settings: { 'jetstream.sync_interval': 'always' } });
  expect(spec.podTemplate?.spec?.containers?.[0]?.command).toEqual([
    ...['/tools/busybox', 'sh', '/recipe/start.sh', '--jetstream.sync_interval=always'],
  ]);
});

// `npx vitest run --root libs/recipes -u` writes it anew.
test('the plain manifest of NATS is what the construct renders', async () => {
  const { yaml } = store({
    settings: { max_payload: '8MB', 'jetstream.max_memory_store': '1GB' },
    resources: { requests: { cpu: '1', memory: '4Gi' }, limits: { memory: '8Gi' } },
  });
  await expect(yaml).toMatchFileSnapshot(join(import.meta.dirname, '../../../../docs/recipes/nats-store.yaml'));
});
