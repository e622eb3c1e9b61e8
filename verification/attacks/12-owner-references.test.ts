import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubernetesObject } from '@ordinal/client';
import { startWorld, type World } from './world/world.ts';

// No attack but a cluster as it may be: the plugin OwnerReferencesPermissionEnforcement is on (world/plane.ts), and the operator has to work there.

let world: World;
const namespace = 'owned';
const statefulSetSpec = {
  replicas: 1,
  serviceName: 'web',
  selector: { matchLabels: { app: 'web' } },
  template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
};
const resources = [
  ['cache.my.domain/v1', 'ClusteredCache', 'clusteredcaches', { replicas: 1, image: 'cache:1' }],
  [
    'kvstore.example.com/v1',
    'KVStoreCluster',
    'kvstoreclusters',
    { version: '1', replicas: 1, storage: { className: 'standard', size: '1Gi' } },
  ],
  [
    'statefulsets.example.com/v1alpha1',
    'MonitoredStatefulSet',
    'monitoredstatefulsets',
    { monitorEndpoint: 'https://monitor.invalid', statefulSetSpec },
  ],
  ['db.example.com/v1', 'CloudDatabase', 'clouddatabases', { engine: 'postgres', size: 'small' }],
] as const;

beforeAll(async () => {
  world = await startWorld();
  await world.allow('no-rights', namespace, []);
});

afterAll(() => world.stop());

test.each(resources)('of %s, %s: the operator may make children', async (apiVersion, kind, plural, spec) => {
  const name = kind.toLowerCase();
  const owner = (await world.admin.request('POST', `/apis/${apiVersion}/namespaces/${namespace}/${plural}`, {
    body: { apiVersion, kind, metadata: { name, namespace }, spec },
  })) as KubernetesObject;
  const { uid } = owner.metadata;
  const ownerReferences = [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }];
  const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: `${name}-try`, namespace, ownerReferences } };
  await servedToThePlugin(() =>
    world.asOperator.request('POST', `/api/v1/namespaces/${namespace}/secrets?dryRun=All`, { body }),
  );
});

/** The plugin looks only twice a minute for kinds that have come, and until then says that it knows none. */
async function servedToThePlugin(attempt: () => Promise<unknown>): Promise<void> {
  for (const deadline = performance.now() + 90_000; performance.now() < deadline; await pause(1000)) {
    const problem = await attempt().then(() => '', String);
    if (problem.includes('cannot find RESTMapping')) continue;
    expect(problem).toBe('');
    return;
  }
  expect.fail('the plugin never came to know the kind');
}

test.each(resources.slice(0, 3))('of %s, %s: the operator makes its StatefulSet', async (_version, kind) => {
  const path = `/apis/apps/v1/namespaces/${namespace}/statefulsets`;
  const deadline = performance.now() + 60_000;
  for (;;) {
    const { items } = (await world.admin.request('GET', path)) as { readonly items: readonly KubernetesObject[] };
    if (items.some(({ metadata }) => metadata.ownerReferences?.[0]?.kind === kind)) break;
    if (performance.now() > deadline) expect.fail(world.operator.log.slice(-2000));
    await pause(200);
  }
  expect(world.operator.log).not.toContain('blockOwnerDeletion');
});
