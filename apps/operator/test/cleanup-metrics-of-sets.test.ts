import { createSecretKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { monitoredStatefulSets } from '@ordinal/api';
import { createClient } from '@ordinal/client';
import { ExternalError } from '@ordinal/lifecycle';
import { monitoredStatefulSetControllers, kinds } from '@ordinal/reconcilers';
import type { MonitorSystem, MonitorView } from '@ordinal/reconcilers';
import { createManager } from '@ordinal/runtime';
import { SimulatedCluster } from '@ordinal/simulator';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { cleanupMetrics, observeKinds } from '../src/metrics.ts';

const crd = readFileSync(
  new URL('../../../libs/api/crds/monitoredstatefulsets.statefulsets.example.com.yaml', import.meta.url),
  'utf8',
);

/** A monitor in memory that removes nothing while it is down. */
function memoryMonitor(state: { isDown: boolean }): MonitorSystem {
  const entries = new Map<string, MonitorView>();
  return {
    traits: { repeatedCreate: 'returnsFirst', settleMs: 1_000, callTimeoutMs: 5_000 },
    get: (id) => Promise.resolve(entries.get(id)),
    findByOwner: (owner) => Promise.resolve([...entries.values()].filter((view) => view.owner === owner)),
    create: ({ token, owner }) => {
      const view = entries.get(token) ?? { id: token, owner, token, state: 'ready' as const };
      entries.set(token, view);
      return Promise.resolve(view);
    },
    update: () => Promise.resolve(),
    delete: ({ id }) => {
      if (state.isDown) return Promise.reject(new ExternalError('Unavailable', 'down'));
      entries.delete(id);
      return Promise.resolve();
    },
  };
}

test('the clean-up of a MonitoredStatefulSet is counted: failures by kind of error, what is still there, and how long it took', async () => {
  const registry = new Registry();
  const cluster = await SimulatedCluster.start({ crds: [crd], nodes: 0, events: false });
  const state = { isDown: true };
  cluster.operator('ordinal', async ({ transport, clock, random, identity }) => {
    const client = createClient({ transport, clock, random, fieldManager: 'ordinal-operator' });
    const events = { publish: () => undefined };
    const manager = createManager({ client, clock, random, name: 'test/operator', identity, events });
    // One monitor, whoever asks for it.
    const monitor = memoryMonitor(state);
    const unasked = () => Promise.reject(new Error('no member is asked'));
    const environment = {
      probes: { http: unasked, exec: unasked },
      monitors: { at: () => monitor },
      seals: { keys: () => [createSecretKey(Buffer.alloc(32, 'key'))] },
      metrics: cleanupMetrics(registry),
    };
    for (const definition of monitoredStatefulSetControllers(environment)) manager.add(definition);
    const kept = kinds.filter(({ name }) => name === 'monitored-stateful-set');
    observeKinds(registry, manager, { kinds: kept, clock });
    void manager.start();
    return Promise.resolve({ stop: () => manager.stop() });
  });
  const resource = cluster.client()(monitoredStatefulSets).namespace('default');
  const now = () => cluster.objects.find(monitoredStatefulSets, 'default', 'db');
  const labels = { app: 'db' };
  await resource.create({
    apiVersion: 'statefulsets.example.com/v1alpha1',
    kind: 'MonitoredStatefulSet',
    metadata: { name: 'db', namespace: 'default' },
    spec: {
      monitorEndpoint: 'http://monitor.example',
      statefulSetSpec: {
        replicas: 0,
        serviceName: 'db',
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'app:1' }] } },
      },
    },
  });
  await cluster.run({ until: () => now()?.status?.externalMonitorID !== undefined, maxVirtualMs: 60_000 });
  await resource.delete('db');
  await cluster.advance(20_000);
  const kind = 'kind="MonitoredStatefulSet"';
  const during = await registry.metrics();
  expect(during).toMatch(
    /operator_finalizer_cleanup_errors_total\{kind="MonitoredStatefulSet",error="Unavailable"\} [1-9]/,
  );
  expect(during).toContain(`operator_terminating_resources_total{${kind}} 1`);
  state.isDown = false;
  await cluster.run({ until: () => now() === undefined, maxVirtualMs: 900_000 });
  await cluster.advance(1_000);
  const after = await registry.metrics();
  expect(after).toContain(`operator_terminating_resources_total{${kind}} 0`);
  expect(after).toContain(`operator_finalizer_cleanup_duration_seconds_count{${kind}} 1`);
  cluster.stop();
});
