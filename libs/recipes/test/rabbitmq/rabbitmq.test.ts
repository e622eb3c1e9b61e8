import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RabbitmqStore } from '../../src/index.ts';
import type { RabbitmqStoreOptions } from '../../src/index.ts';
import { renderedStore } from '../rendered.ts';

const store = (options: Partial<RabbitmqStoreOptions> = {}) =>
  renderedStore((chart) => {
    const storage = { className: 'fast', size: '50Gi' };
    const auth = { secretName: 'jobs-auth' };
    new RabbitmqStore(chart, 'jobs', { name: 'jobs', version: '4.3.6', storage, auth, ...options });
  });

test('a RabbitMQ store is a ConfigMap with the scripts and a KVStoreCluster that the API server takes', () => {
  const { scripts, resource, spec } = store({ replicas: 5 });
  expect([scripts?.metadata.name, resource?.kind]).toEqual(['jobs-recipe', 'KVStoreCluster']);
  expect(scripts?.data).toMatchObject({ 'members-jobs': '5\n' });
  expect(Object.keys(scripts?.data ?? {})).toContain('recipe.erl');
  expect(spec).toMatchObject({ replicas: 5, port: 5672, image: 'docker.io/library/rabbitmq' });
});

test('another size of a RabbitMQ store changes nothing in its pods', () => {
  expect(store({ replicas: 5 }).spec.podTemplate).toEqual(store({ replicas: 3 }).spec.podTemplate);
});

test('members of RabbitMQ are replaced when the others can do without them, after its features are on, and have the time to hand over', () => {
  const { upgrade, scaleDown, podTemplate } = store().spec;
  expect(upgrade?.gates?.[0]).toMatchObject({
    target: 'Self',
    exec: { command: ['/tools/busybox', 'sh', '/recipe/quorum.sh'] },
  });
  expect(upgrade?.beforeFirstPod?.command).toEqual(['/tools/busybox', 'sh', '/recipe/features.sh']);
  expect(upgrade?.handoff).toBeUndefined();
  expect(scaleDown?.before?.command).toEqual(['/tools/busybox', 'sh', '/recipe/leave.sh']);
  expect(podTemplate?.spec?.terminationGracePeriodSeconds).toBe(120);
});

test('settings of RabbitMQ are parameters of the script that writes the configuration; plugins and the limit of memory are in its environment', () => {
  const settings = { 'disk_free_limit.absolute': '2GB' };
  const { podTemplate } = store({ settings, plugins: ['rabbitmq_management', 'rabbitmq_prometheus'] }).spec;
  const container = podTemplate?.spec?.containers?.[0];
  expect(container?.command).toEqual(['/tools/busybox', 'sh', '/recipe/start.sh', 'disk_free_limit.absolute=2GB']);
  expect(container?.env).toContainEqual({ name: 'PLUGINS', value: 'rabbitmq_management,rabbitmq_prometheus' });
  expect(container?.env).toContainEqual({
    name: 'MEMORY',
    valueFrom: { resourceFieldRef: { resource: 'limits.memory' } },
  });
});

test('the Secret with the cookie is mounted into members and Jobs of RabbitMQ', () => {
  const { podTemplate, jobs } = store().spec;
  for (const { spec } of [podTemplate ?? {}, jobs?.podTemplate ?? {}]) {
    expect(spec?.volumes).toContainEqual({ name: 'auth', secret: { secretName: 'jobs-auth' } });
    expect(spec?.containers?.[0]?.env).toContainEqual({ name: 'AUTH', value: '/auth' });
  }
});

// `npx vitest run --root libs/recipes -u` writes it again.
test('the plain manifest of RabbitMQ is what the construct renders', async () => {
  const { yaml } = store({
    plugins: ['rabbitmq_management', 'rabbitmq_prometheus'],
    settings: { 'disk_free_limit.absolute': '2GB' },
    resources: { requests: { cpu: '2', memory: '4Gi' }, limits: { memory: '4Gi' } },
  });
  await expect(yaml).toMatchFileSnapshot(join(import.meta.dirname, '../../../../docs/recipes/rabbitmq-store.yaml'));
});
