import { cloudDatabases, monitoredStatefulSets } from '@ordinal/api';
import { nodes, pods, statefulSets } from '@ordinal/client';
import { expect, onTestFinished, test } from 'vitest';
import {
  cacheNow,
  caches,
  changeCache,
  readyCache,
  readyStore,
  changeStore,
  storeNow,
  stores,
  set,
  setNow,
  until,
} from './resources.ts';
import { pluginWorld } from './plugin-world.ts';

async function started() {
  const world = await pluginWorld();
  onTestFinished(() => world.stop());
  return world;
}

test('nothing is waited for', async () => {
  const { cluster, run } = await started();
  await readyCache(cluster);
  expect(await run('why ccache/sessions')).toEqual({
    ...{ exitCode: 0, err: '' },
    out: 'ClusteredCache shop/sessions is as its spec asks, and waits for nothing.\n',
  });
});

test('a closed gate: which, what it says, since when, and the verb that opens it', async () => {
  const { cluster, run } = await started();
  await readyCache(cluster, { image: 'cache:stubborn' });
  await changeCache(cluster, { image: 'cache:2' });
  await until(
    cluster,
    'the gate is closed',
    () => cacheNow(cluster)?.status?.upgrade?.blockedBy?.startsWith('gate ') === true,
  );
  const { exitCode, out } = await run('why ccache sessions');
  expect(exitCode).toBe(4);
  expect(out).toMatch(
    /^ClusteredCache shop\/sessions is in an upgrade, 0 of 3 members done, at step AwaitingGate with sessions-2, and waits for gate ready-for-shutdown: sessions-0: HTTP 503 \(since \S+Z, \d+s ago\)\. What helps: `kubectl ordinal override ccache\/sessions -n shop`\n$/,
  );
});

test('an image that can’t be pulled', async () => {
  const { cluster, run } = await started();
  await readyCache(cluster);
  await changeCache(cluster, { image: 'cache:missing' });
  await until(
    cluster,
    'the pull fails',
    () => cacheNow(cluster)?.status?.upgrade?.blockedBy?.includes('ImagePullBackOff') === true,
  );
  const { exitCode, out } = await run('why ccache/sessions');
  expect(exitCode).toBe(4);
  expect(out).toContain(
    'Pod sessions-2 is not ready: container cache can’t pull its image “cache:missing” (ImagePullBackOff)',
  );
  expect(out).toContain('`kubectl describe pod sessions-2 -n shop`');
});

test('a pod that no node takes, in the scheduler’s words', async () => {
  const { cluster, run } = await started();
  await readyCache(cluster);
  for (const { metadata } of cluster.objects.list(nodes))
    await cluster
      .client()(nodes)
      .cluster()
      .patch(metadata.name, { type: 'merge', body: { spec: { unschedulable: true } } });
  await cluster.client()(pods).namespace('shop').delete('sessions-1');
  await until(
    cluster,
    'it is not scheduled',
    () =>
      cluster.objects
        .find(pods, 'shop', 'sessions-1')
        ?.status?.conditions?.some(({ reason }) => reason === 'Unschedulable') === true,
  );
  const { out } = await run('why ccache/sessions');
  expect(out).toMatch(/Pod sessions-1 is not ready: it is not scheduled \(Unschedulable\): “.*nodes are available/);
});

test('a finalizer of another client on a pod, and on the resource', async () => {
  const { cluster, run } = await started();
  await readyCache(cluster);
  const body = { metadata: { finalizers: ['example.com/audit'] } };
  await cluster.client()(pods).namespace('shop').patch('sessions-0', { type: 'merge', body });
  await cluster.client()(pods).namespace('shop').delete('sessions-0');
  await cluster.advance(60_000);
  expect((await run('why ccache/sessions')).out).toContain(
    'Pod sessions-0 is being deleted and is kept by the finalizer example.com/audit, which its own controller has to remove',
  );
  await readyStore(cluster, { deletionPolicy: 'Retain' });
  await stores(cluster).patch('carts', {
    type: 'json',
    operations: [{ op: 'add', path: '/metadata/finalizers/-', value: 'example.com/audit' }],
  });
  await stores(cluster).delete('carts');
  await until(
    cluster,
    'the operator is done',
    () => storeNow(cluster)?.metadata.finalizers?.join() === 'example.com/audit',
  );
  expect((await run('why kvs/carts')).out).toContain(
    'is being deleted, the operator is done with it, and it is kept by the finalizer example.com/audit of another client',
  );
});

test('a pause, and an upgrade that has failed', async () => {
  const { cluster, run } = await started();
  await readyStore(cluster);
  await stores(cluster).patch('carts', {
    type: 'merge',
    body: { metadata: { annotations: { 'ordinal.dev/paused': 'true' } } },
  });
  await cluster.advance(5_000);
  expect((await run('why kvs/carts')).out).toContain(
    'is paused: the annotation ordinal.dev/paused stops all work on it. What helps: `kubectl ordinal resume kvs/carts -n shop`',
  );
  await stores(cluster).patch('carts', {
    type: 'merge',
    body: { metadata: { annotations: { 'ordinal.dev/paused': null } } },
  });
  await changeStore(cluster, { version: 'missing', upgrade: { progressDeadline: '60s' } });
  await until(cluster, 'it fails', () => storeNow(cluster)?.status?.failure !== undefined);
  const { out } = await run('why kvs/carts');
  expect(out).toContain('has failed (ProgressDeadlineExceeded)');
  expect(out).toContain('What helps: `kubectl ordinal retry kvs/carts -n shop`');
});

test('the operator does not run', async () => {
  const { cluster, run } = await started();
  await caches(cluster).create({
    apiVersion: 'cache.my.domain/v1',
    kind: 'ClusteredCache',
    metadata: { name: 'sessions', namespace: 'shop' },
    spec: { replicas: 3, image: 'cache:1' },
  });
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect((await run('why ccache/sessions')).out).toContain(
    'was just created, and the operator has not looked at it yet',
  );
});

test('a webhook that refuses the members', async () => {
  const { cluster, run } = await started();
  await readyCache(cluster);
  const webhook = {
    ...{
      name: 'policy.example.com',
      clientConfig: { url: 'https://policy.example.com/' },
      failurePolicy: 'Fail',
      sideEffects: 'None',
    },
    ...{ rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }] },
    ...{ admissionReviewVersions: ['v1'], timeoutSeconds: 5 },
  };
  cluster.external('https://policy.example.com', (request) => {
    const { request: asked } = JSON.parse(request.body) as { readonly request: { readonly uid: string } };
    const response = { uid: asked.uid, allowed: false, status: { message: 'no more pods today' } };
    return {
      status: 200,
      body: JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }),
    };
  });
  await cluster.client().request('POST', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    body: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'policy' },
      webhooks: [webhook],
    },
  });
  await cluster.client()(pods).namespace('shop').delete('sessions-1');
  await cluster.advance(60_000);
  expect(cluster.objects.find(statefulSets, 'shop', 'sessions')?.status?.replicas).toBe(2);
  const { out } = await run('why ccache/sessions');
  expect(out).toMatch(/A new pod or volume of StatefulSet sessions is refused by a webhook: “.*no more pods today”/);
  expect(out).toContain('`kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations`');
});

test('a provider that does not answer: the verb that has it asked again at once', async () => {
  const { cluster, run } = await started();
  const databases = cluster.client()(cloudDatabases).namespace('shop');
  await databases.create({
    ...{ apiVersion: 'db.example.com/v1', kind: 'CloudDatabase', metadata: { name: 'orders' } },
    spec: { engine: 'postgres', size: 'small' },
  });
  await until(cluster, 'a call', () => {
    const { status } = cluster.objects.find(cloudDatabases, 'shop', 'orders') ?? {};
    return status?.conditions?.some(({ type, status: is }) => type === 'Synced' && is === 'False') === true;
  });
  const { exitCode, out } = await run('why cdb/orders');
  expect(exitCode).toBe(4);
  expect(out).toContain('What helps: `kubectl ordinal retry cdb/orders -n shop`');
  expect((await run('retry cdb/orders -n shop --yes')).exitCode).toBe(0);
});

test('a monitor that does not answer: where it is asked', async () => {
  const { cluster, run } = await started();
  await cluster.client()(monitoredStatefulSets).namespace('shop').create(set());
  const says = () =>
    setNow(cluster)?.status?.conditions?.some(({ type, status }) => type === 'MonitorRegistered' && status === 'False');
  await until(cluster, 'a registration that fails', () => says() === true);
  const { out } = await run('why mss/ledger');
  expect(out).toMatch(/What helps: .*`kubectl get mss ledger -n shop -o jsonpath='\{\.spec\.monitorEndpoint\}'`/);
});
