import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ZookeeperStore } from '../../src/index.ts';
import type { ZookeeperStoreOptions } from '../../src/index.ts';
import { renderedStore } from '../rendered.ts';

const store = (options: Partial<ZookeeperStoreOptions> = {}) =>
  renderedStore((chart) => {
    const storage = { className: 'fast', size: '10Gi' };
    const auth = { secretName: 'locks-auth' };
    new ZookeeperStore(chart, 'locks', { name: 'locks', version: '3.8.4', storage, auth, ...options });
  });

test('a ZooKeeper store is a ConfigMap with the scripts and a KVStoreCluster that the API server takes', () => {
  const { scripts, resource, spec } = store({ replicas: 5 });
  expect([scripts?.metadata.name, resource?.kind]).toEqual(['locks-recipe', 'KVStoreCluster']);
  expect(scripts?.data).toMatchObject({ 'members-locks': '5\n' });
  expect(spec).toMatchObject({ replicas: 5, port: 2181, image: 'docker.io/library/zookeeper' });
});

test('another size of a ZooKeeper store changes nothing in its pods', () => {
  expect(store({ replicas: 5 }).spec.podTemplate).toEqual(store({ replicas: 3 }).spec.podTemplate);
});

test('members and Jobs of ZooKeeper bring their own shell and get the password from the Secret', () => {
  const { spec } = store({ shellImage: 'registry.example.com/busybox:1' });
  for (const template of [spec.podTemplate, spec.jobs?.podTemplate]) {
    expect(template?.spec?.initContainers?.[0]).toMatchObject({ image: 'registry.example.com/busybox:1' });
    expect(template?.spec?.volumes).toContainEqual({ name: 'auth', secret: { secretName: 'locks-auth' } });
  }
  expect(spec.scaleDown?.before?.command).toEqual(['/tools/busybox', 'sh', '/recipe/leave.sh']);
});

test('settings are parameters of the script that writes the configuration, and the heap is in its environment', () => {
  const container = store({ settings: { initLimit: '30' }, heap: '3g' }).spec.podTemplate?.spec?.containers?.[0];
  expect(container?.command).toEqual(['/tools/busybox', 'sh', '/recipe/start.sh', '--initLimit=30']);
  expect(container?.env).toContainEqual({ name: 'HEAP', value: '3g' });
});

// `npx vitest run --root libs/recipes -u` writes it again.
test('the plain manifest of ZooKeeper is what the construct renders', async () => {
  const { yaml } = store({
    settings: { initLimit: '30', 'autopurge.snapRetainCount': '5' },
    heap: '2g',
    resources: { requests: { cpu: '1', memory: '3Gi' }, limits: { memory: '3Gi' } },
  });
  await expect(yaml).toMatchFileSnapshot(join(import.meta.dirname, '../../../../docs/recipes/zookeeper-store.yaml'));
});
