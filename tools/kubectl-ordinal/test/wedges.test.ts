import { cloudDatabases } from '@ordinal/api';
import { storageClasses } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/simulator';
import { expect, onTestFinished, test } from 'vitest';
import { pluginWorld } from './plugin-world.ts';
import type { PluginWorldOptions } from './plugin-world.ts';
import { cacheNow, changeCache, changeStore, readyCache, readyStore, until } from './resources.ts';

async function started(options: PluginWorldOptions = {}) {
  const world = await pluginWorld(options);
  onTestFinished(() => world.stop());
  return world;
}

/** A webhook that does not answer, and without which these can't be created. */
const refuse = (
  cluster: SimulatedCluster,
  kinds: { readonly apiGroups: readonly string[]; readonly resources: readonly string[] },
) =>
  cluster.client().request('POST', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    body: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'policy' },
      webhooks: [
        {
          ...{ name: 'policy.example.com', clientConfig: { url: 'https://gone.example.com/' }, failurePolicy: 'Fail' },
          ...{ rules: [{ ...kinds, apiVersions: ['v1'], operations: ['CREATE'] }] },
          ...{ sideEffects: 'None', admissionReviewVersions: ['v1'], timeoutSeconds: 5 },
        },
      ],
    },
  });

test('no leader: which members were asked', async () => {
  const { cluster, run } = await started();
  const role = { label: 'role', leaderValue: 'primary' };
  await readyCache(cluster, { upgrade: { order: 'LeaderLast', role } });
  await changeCache(cluster, { image: 'cache:2' });
  await until(cluster, 'it waits', () => cacheNow(cluster)?.status?.upgrade?.blockedBy?.startsWith('role') === true);
  const { exitCode, out } = await run('why ccache/sessions');
  expect(exitCode).toBe(4);
  expect(out).toContain('waits for role: none of sessions-0, sessions-1 leads');
  expect(out).toContain('kubectl ordinal override ccache/sessions -n shop');
});

test('a Job that is refused', async () => {
  const { cluster, run } = await started({ hasEvents: true });
  await readyCache(cluster);
  await refuse(cluster, { apiGroups: ['batch'], resources: ['jobs'] });
  await changeCache(cluster, {
    image: 'cache:2',
    upgrade: { beforeFirstPod: { image: 'cache:1', command: ['check'] } },
  });
  await cluster.advance(60_000);
  const { exitCode, out } = await run('why ccache/sessions');
  expect(exitCode).toBe(4);
  expect(out).toMatch(/The operator fails \(Refused\): create Job .*failed calling webhook "policy.example.com"/);
  expect(out).toContain('`kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations`');
  // The failure that follows names the wait alone.
  await until(cluster, 'its time is up', () => cacheNow(cluster)?.status?.failure !== undefined);
  const later = (await run('why ccache/sessions')).out;
  expect(later).toContain('has failed (ProgressDeadlineExceeded)');
  expect(later).toMatch(/The operator failed before: “create Job .*failed calling webhook "policy.example.com"/);
});

test('a volume that can’t grow', async () => {
  const { cluster, run } = await started();
  await readyStore(cluster);
  await cluster
    .client()(storageClasses)
    .cluster()
    .patch('standard', { type: 'merge', body: { allowVolumeExpansion: false } });
  await changeStore(cluster, { storage: { size: '2Gi' } });
  await cluster.advance(60_000);
  const { exitCode, out } = await run('why kvs/carts');
  expect(exitCode).toBe(4);
  expect(out).toMatch(
    /\(Refused\): 3 actions failed: patch PersistentVolumeClaim shop\/data-carts-0: .*the storageclass that provisions the pvc must support resize/,
  );
});

test('a provider that is down', async () => {
  const { cluster, run } = await started();
  await cluster
    .client()(cloudDatabases)
    .namespace('shop')
    .create({
      apiVersion: 'db.example.com/v1',
      kind: 'CloudDatabase',
      metadata: { name: 'orders' },
      spec: { engine: 'postgres', size: 'small' },
    });
  await cluster.advance(60_000);
  const { exitCode, out } = await run('why cdb/orders');
  expect(exitCode).toBe(4);
  expect(out).toContain('says Synced=False (CallFailed): Unreachable: there is no service in this test');
});

test('a webhook that does not answer', async () => {
  const { cluster, run } = await started();
  await readyCache(cluster);
  await refuse(cluster, { apiGroups: [''], resources: ['pods'] });
  await changeCache(cluster, { image: 'cache:2' });
  await cluster.advance(120_000);
  const { exitCode, out } = await run('why ccache/sessions');
  expect(exitCode).toBe(4);
  expect(out).toMatch(/refused, since a webhook does not answer: “.*policy.example.com/);
});
