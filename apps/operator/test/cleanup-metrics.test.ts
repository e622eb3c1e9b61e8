import { createSecretKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { cloudDatabases } from '@ordinal/api';
import { createClient } from '@ordinal/client';
import { ExternalError } from '@ordinal/lifecycle';
import { createManager } from '@ordinal/runtime';
import { cloudDatabaseControllers, kinds } from '@ordinal/reconcilers';
import { SimulatedCluster } from '@ordinal/simulator';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { memoryProvider } from '../../../examples/cloud-api/memory-provider.ts';
import { newPassword } from '../src/controllers.ts';
import { cleanupMetrics, observeKinds } from '../src/metrics.ts';

const crd = readFileSync(new URL('../../../libs/api/crds/clouddatabases.db.example.com.yaml', import.meta.url), 'utf8');

test('clean-up is counted under the names of the seed: failures by kind of error, what is still there, and how long it took', async () => {
  const registry = new Registry();
  const cluster = await SimulatedCluster.start({ crds: [crd], nodes: 0, events: false });
  const provider = memoryProvider();
  let isDown = true;
  const system = {
    ...provider,
    delete: (...request: Parameters<typeof provider.delete>) =>
      isDown ? Promise.reject(new ExternalError('Unavailable', 'down')) : provider.delete(...request),
  };
  cluster.operator('ordinal', async ({ transport, clock, random, identity }) => {
    const client = createClient({ transport, clock, random, fieldManager: 'ordinal-operator' });
    const events = { publish: () => undefined };
    const manager = createManager({ client, clock, random, name: 'test/operator', identity, events });
    const environment = {
      seals: { keys: () => [createSecretKey(Buffer.alloc(32, 'key'))] },
      providers: { resolve: () => ({ account: 'memory', system }) },
      newPassword,
      metrics: cleanupMetrics(registry),
    };
    for (const definition of cloudDatabaseControllers(environment)) manager.add(definition);
    const kept = kinds.filter(({ name }) => name === 'cloud-database');
    observeKinds(registry, manager, { kinds: kept, clock });
    void manager.start();
    return Promise.resolve({ stop: () => manager.stop() });
  });
  const resource = cluster.client()(cloudDatabases).namespace('default');
  const now = () => cluster.objects.find(cloudDatabases, 'default', 'orders');
  await resource.create({
    apiVersion: 'db.example.com/v1',
    kind: 'CloudDatabase',
    metadata: { name: 'orders', namespace: 'default' },
    spec: { engine: 'postgres', size: 'small' },
  });
  await cluster.run({ until: () => now()?.status?.phase === 'Ready', maxVirtualMs: 60_000 });
  await resource.delete('orders');
  await cluster.advance(20_000);
  const during = await registry.metrics();
  expect(during).toMatch(/operator_finalizer_cleanup_errors_total\{kind="CloudDatabase",error="Unavailable"\} [1-9]/);
  expect(during).toContain('operator_terminating_resources_total{kind="CloudDatabase"} 1');
  isDown = false;
  await cluster.run({ until: () => now() === undefined, maxVirtualMs: 900_000 });
  await cluster.advance(1_000);
  const after = await registry.metrics();
  expect(after).toContain('operator_terminating_resources_total{kind="CloudDatabase"} 0');
  expect(after).toContain('operator_finalizer_cleanup_duration_seconds_count{kind="CloudDatabase"} 1');
  // It took longer than the fifteen seconds of the third bucket.
  expect(after).toContain('operator_finalizer_cleanup_duration_seconds_bucket{le="15",kind="CloudDatabase"} 0');
  cluster.stop();
});
