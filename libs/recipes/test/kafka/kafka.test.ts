import { join } from 'node:path';
import { expect, test } from 'vitest';
import { KafkaStore } from '../../src/index.ts';
import type { KafkaStoreOptions } from '../../src/index.ts';
import { renderedStore } from '../rendered.ts';

const store = (options: Partial<KafkaStoreOptions> = {}) =>
  renderedStore((chart) => {
    const storage = { className: 'fast', size: '100Gi' };
    new KafkaStore(chart, 'events', { name: 'events', version: '4.2.1', storage, ...options });
  });

test('a Kafka store is a ConfigMap with the scripts and a KVStoreCluster that the API server takes', () => {
  const { scripts, resource, spec } = store({ replicas: 5 });
  expect([scripts?.metadata.name, resource?.kind]).toEqual(['events-recipe', 'KVStoreCluster']);
  expect(scripts?.data).toMatchObject({ 'members-events': '5\n' });
  expect(spec).toMatchObject({ replicas: 5, port: 9092, image: 'docker.io/apache/kafka' });
});

test('another size of a Kafka store changes nothing in its pods', () => {
  expect(store({ replicas: 5 }).spec.podTemplate).toEqual(store({ replicas: 3 }).spec.podTemplate);
});

test('members of Kafka are replaced when the others can do without them, and have the time to hand over', () => {
  const { upgrade, scaleDown, podTemplate } = store().spec;
  expect(upgrade?.gates?.[0]).toMatchObject({
    target: 'Self',
    exec: { command: ['/tools/busybox', 'sh', '/recipe/quorum.sh'] },
  });
  expect(upgrade?.handoff).toBeUndefined();
  expect(scaleDown?.before?.command).toEqual(['/tools/busybox', 'sh', '/recipe/leave.sh']);
  expect(podTemplate?.spec?.terminationGracePeriodSeconds).toBe(120);
});

test('settings of Kafka are parameters of the script that writes the configuration, and the heap is in its environment', () => {
  const container = store({ settings: { 'log.retention.hours': '72' }, heap: '4g' }).spec.podTemplate?.spec
    ?.containers?.[0];
  expect(container?.command).toEqual(['/tools/busybox', 'sh', '/recipe/start.sh', 'log.retention.hours=72']);
  expect(container?.env).toContainEqual({ name: 'HEAP', value: '4g' });
});

// `npx vitest run --root libs/recipes -u` writes it again.
test('the plain manifest of Kafka is what the construct renders', async () => {
  const { yaml } = store({
    settings: { 'log.retention.hours': '72', 'num.partitions': '6' },
    heap: '4g',
    resources: { requests: { cpu: '2', memory: '10Gi' }, limits: { memory: '10Gi' } },
  });
  await expect(yaml).toMatchFileSnapshot(join(import.meta.dirname, '../../../../docs/recipes/kafka-store.yaml'));
});
