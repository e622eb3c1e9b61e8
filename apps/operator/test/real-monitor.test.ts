import { createSecretKey } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { monitoredStatefulSets } from '@ordinal/api';
import type { MonitoredStatefulSet } from '@ordinal/api';
import { createClient, pods, secrets } from '@ordinal/client';
import { monitoredStatefulSetControllers } from '@ordinal/reconcilers';
import { createManager } from '@ordinal/runtime';
import { SimulatedCluster } from '@ordinal/simulator';
import type { OperatorStart } from '@ordinal/simulator';
import { expect, test } from 'vitest';
import { startMonitorServer } from '../../../examples/cloud-api/monitor-server.ts';
import type { MonitorServer } from '../../../examples/cloud-api/monitor-server.ts';
import { createExchange, httpMonitors } from '../src/providers/index.ts';
import { freePort } from './servers/postgres.ts';

const policy = { allowedNetworks: ['127.0.0.0/8'] };
const intervals = { movingMinMs: 100, movingMaxMs: 400, steadyMs: 500 };
const patience = { timeout: 60_000, interval: 25 };
const crdFile = new URL('../../../libs/api/crds/monitoredstatefulsets.statefulsets.example.com.yaml', import.meta.url);

const operator: OperatorStart = async ({ transport, clock, random, identity }) => {
  const client = createClient({ transport, clock, random, fieldManager: 'ordinal-operator' });
  const monitors = httpMonitors({
    exchange: createExchange({ policy }),
    policy,
    callTimeoutMs: 5_000,
    settleMs: 10_000,
  });
  const events = { publish: () => undefined };
  const manager = createManager({ client, clock, random, name: 'test/operator', identity, events });
  const controller = { backoff: { baseMs: 50, capMs: 400, jitter: 0.2 } };
  // No member is asked: none of these sets has `spec.upgrade`.
  const unasked = () => Promise.reject(new Error('no member is asked'));
  const probes = { http: unasked, exec: unasked };
  const seals = { keys: () => [createSecretKey(Buffer.alloc(32, 'key'))] };
  for (const definition of monitoredStatefulSetControllers({ monitors, seals, probes, intervals, controller }))
    manager.add(definition);
  void manager.start();
  return Promise.resolve({ stop: () => manager.stop() });
};

/** A monitoring service that can be stopped: what it keeps stands in a file. */
async function monitor(): Promise<{ server(): MonitorServer; start(): Promise<void>; remove(): Promise<void> }> {
  const port = await freePort();
  const stateFile = join(tmpdir(), `ordinal-monitor-${port}.json`);
  let server = await startMonitorServer({ port, stateFile, token: 'secret' });
  return {
    server: () => server,
    start: async () => void (server = await startMonitorServer({ port, stateFile, token: 'secret' })),
    remove: async () => {
      await server.close();
      rmSync(stateFile, { force: true });
    },
  };
}

const workload = (image: string) => ({
  replicas: 1,
  serviceName: 'db',
  selector: { matchLabels: { app: 'db' } },
  template: { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'app', image }] } },
});

test(
  'a set lives its life at two monitoring services, with the operator killed and one of them stopped, and nothing is doubled or left',
  { timeout: 240_000 },
  async () => {
    const cluster = await SimulatedCluster.start({
      crds: [readFileSync(crdFile, 'utf8')],
      pace: 1,
      nodes: 1,
      events: false,
    });
    for (const image of ['app:1', 'app:2', 'app:3']) cluster.image(image, { startsIn: 300 });
    const [first, second] = [await monitor(), await monitor()];
    const running = cluster.operator('ordinal', operator);
    const over = new AbortController();
    const turning = cluster.run({ until: () => over.signal.aborted, maxVirtualMs: 600_000 });
    const resource = cluster.client()(monitoredStatefulSets).namespace('default');
    const now = (): MonitoredStatefulSet | undefined => cluster.objects.find(monitoredStatefulSets, 'default', 'db');
    const condition = (type: string): string | undefined =>
      now()?.status?.conditions?.find((candidate) => candidate.type === type)?.status;
    const reason = (): string | undefined =>
      now()?.status?.conditions?.find(({ type }) => type === 'MonitorRegistered')?.reason;
    const change = (spec: object): Promise<unknown> => resource.patch('db', { type: 'merge', body: { spec } });
    const entries = () => [...first.server().entries.values()];
    try {
      await cluster
        .client()(secrets)
        .namespace('default')
        .create({
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'monitor', namespace: 'default' },
          data: { token: btoa('secret') },
        });
      await resource.create({
        apiVersion: 'statefulsets.example.com/v1alpha1',
        kind: 'MonitoredStatefulSet',
        metadata: { name: 'db', namespace: 'default' },
        spec: {
          monitorEndpoint: first.server().url,
          credentialsSecretRef: { name: 'monitor' },
          statefulSetSpec: workload('app:1'),
        },
      });
      // Killed as soon as it has announced the registration, and started again.
      await expect.poll(() => now()?.status?.registrations?.length, patience).toBe(1);
      running.restart(200);
      await expect.poll(() => condition('Ready'), patience).toBe('True');
      expect(entries()).toHaveLength(1);
      expect(first.server().made()).toBe(1);

      await change({ statefulSetSpec: workload('app:2') });
      await expect.poll(() => entries()[0]?.muted, patience).toBe(true);
      await expect.poll(() => entries()[0]?.muted, patience).toBe(false);

      await first.server().close();
      await expect.poll(reason, patience).toBe('MonitorUnreachable');
      expect(condition('MonitorRegistered')).toBe('True');
      // The workload does not wait for its monitor.
      await change({ statefulSetSpec: workload('app:3') });
      const image = () => cluster.objects.find(pods, 'default', 'db-0')?.spec.containers[0]?.image;
      await expect.poll(image, patience).toBe('app:3');
      await first.start();
      await expect.poll(reason, patience).toBe('RegistrationSuccessful');
      expect(first.server().made()).toBe(1);

      for (const { monitorID } of entries()) first.server().remove(monitorID);
      await expect.poll(() => entries().length, patience).toBe(1);
      expect(first.server().made()).toBe(2);
      await expect.poll(() => condition('Ready'), patience).toBe('True');

      await change({ monitorEndpoint: second.server().url });
      await expect.poll(() => second.server().entries.size, patience).toBe(1);
      running.restart(200);
      await expect.poll(() => entries().length, patience).toBe(0);
      await sleep(500);
      expect([first.server().made(), second.server().made(), second.server().entries.size]).toEqual([2, 1, 1]);

      await resource.delete('db');
      await expect.poll(() => now()?.status?.registrations?.[0]?.deleteRequestedAt, patience).toBeDefined();
      running.restart(200);
      await expect.poll(now, patience).toBeUndefined();
      expect([entries().length, second.server().entries.size, second.server().made()]).toEqual([0, 0, 1]);
    } finally {
      over.abort();
      cluster.stop();
      await turning;
      await Promise.allSettled([first.remove(), second.remove()]);
    }
  },
);
