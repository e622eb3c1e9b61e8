import type { KubernetesObject } from '@ordinal/client';
import { jobs, namespaces, pods, replicaSets, statefulSets } from '@ordinal/client';
import { expect, test } from 'vitest';
import { SimulatedCluster } from '../index.ts';
import { create, merge, object, quick, statefulSet, template } from '../../test/objects.ts';

/** How long the webhook takes, in milliseconds. */
const answersInMs = 300;

interface World {
  readonly cluster: SimulatedCluster;
  /** Who has asked to delete which pod, and when, in milliseconds since the start. */
  readonly asked: { readonly who: string; readonly pod: string; readonly at: number }[];
  /** From now on the webhook says yes. */
  readonly allow: () => void;
}

/** A webhook on deletions of pods that answers after a while: 429, until the test has it allow them. */
async function world(): Promise<World> {
  const cluster = await SimulatedCluster.start();
  cluster.image('app:1', quick);
  const asked: World['asked'] = [];
  let isAllowed = false;
  cluster.external('https://gate.example', async ({ body }) => {
    const { request } = JSON.parse(body) as {
      readonly request: {
        readonly uid: string;
        readonly name: string;
        readonly userInfo: { readonly username: string };
        readonly oldObject: KubernetesObject;
      };
    };
    const who = request.userInfo.username.split(':').at(-1) ?? '';
    // What the kubelet removes has ended.
    const isLeaving = request.oldObject.metadata.deletionTimestamp !== undefined;
    if (!isLeaving) asked.push({ who, pod: request.name, at: cluster.clock.now() - Date.UTC(2026, 0, 1) });
    await new Promise<void>((resolve) => void cluster.clock.after(answersInMs, resolve));
    const allowed = isLeaving || isAllowed;
    const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' };
    const response = { uid: request.uid, allowed, ...(!allowed && { status: { code: 429, message: 'not yet' } }) };
    return { status: 200, body: JSON.stringify({ ...review, response }) };
  });
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['pods'] };
  const webhook = {
    ...{ name: 'gate.example.com', clientConfig: { url: 'https://gate.example' }, rules: [rule] },
    ...{ failurePolicy: 'Ignore', sideEffects: 'None', admissionReviewVersions: ['v1'], timeoutSeconds: 5 },
  };
  await cluster.client().request('POST', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    body: {
      ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' },
      ...{ metadata: { name: 'gate' }, webhooks: [webhook] },
    },
  });
  return { cluster, asked, allow: () => (isAllowed = true) };
}

const names = (cluster: SimulatedCluster): readonly string[] =>
  cluster.objects.list(pods, 'default').map(({ metadata }) => metadata.name);
const isReadyAll = (cluster: SimulatedCluster, count: number): boolean =>
  cluster.objects
    .list(pods, 'default')
    .filter(({ status }) => status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True'))
    .length === count;

test('a StatefulSet’s controller that a webhook refuses with 429 keeps the pod, tries again with back-off, and deletes it once it may', async () => {
  const { cluster, asked, allow } = await world();
  await create(cluster, statefulSets, statefulSet('web'));
  expect(await cluster.run({ until: () => isReadyAll(cluster, 3) })).toBe('reached');
  await merge(cluster, statefulSets, 'web', { spec: { replicas: 1 } });
  await cluster.advance(10_000);
  expect(names(cluster)).toEqual(['web-0', 'web-1', 'web-2']);
  expect(asked.length).toBeGreaterThan(3);
  expect(asked.every(({ who, pod }) => who === 'statefulset-controller' && pod === 'web-2')).toBe(true);
  // One request at a time, and each later than the one before by more.
  const gaps = asked.slice(1).map(({ at }, index) => at - (asked[index]?.at ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(answersInMs);
  expect(gaps.at(-1)).toBeGreaterThan(2 * (gaps[1] ?? 0));
  const messages = cluster.server.store
    .snapshot('events')
    .map(([, event]) => `${String(event['reason'])}: ${String(event['message'])}`);
  expect(messages).toContainEqual(
    expect.stringMatching(/^FailedDelete: delete Pod web-2 in StatefulSet web failed error: .*not yet/) as string,
  );
  allow();
  expect(await cluster.run({ until: () => names(cluster).length === 1 })).toBe('reached');
  expect(names(cluster)).toEqual(['web-0']);
  cluster.stop();
});

test('what changes while a webhook is asked is looked at once it has answered', async () => {
  const { cluster, asked } = await world();
  await create(cluster, statefulSets, statefulSet('web'));
  expect(await cluster.run({ until: () => isReadyAll(cluster, 3) })).toBe('reached');
  await merge(cluster, statefulSets, 'web', { spec: { replicas: 2 } });
  expect(await cluster.run({ until: () => asked.length === 1 })).toBe('reached');
  await merge(cluster, statefulSets, 'web', { spec: { replicas: 4 } });
  expect(await cluster.run({ until: () => isReadyAll(cluster, 4), maxVirtualMs: 30_000 })).toBe('reached');
  expect(asked).toHaveLength(1);
  cluster.stop();
});

test('so it is with ReplicaSets, Jobs, and the garbage collector', async () => {
  const { cluster, asked, allow } = await world();
  const selector = { matchLabels: { app: 'shop' } };
  const metadata = { name: 'shop' };
  await create(cluster, replicaSets, {
    ...{ apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata },
    spec: { replicas: 3, selector, template: template('shop', 'app:1') },
  });
  await create(cluster, jobs, {
    ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'pack' } },
    spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'app', image: 'app:1' }] } } },
  });
  await create(cluster, statefulSets, statefulSet('web', { replicas: 1 }));
  expect(await cluster.run({ until: () => isReadyAll(cluster, 5) })).toBe('reached');
  await merge(cluster, replicaSets, 'shop', { spec: { replicas: 1 } });
  await merge(cluster, jobs, 'pack', { spec: { suspend: true } });
  await cluster.client()(statefulSets).namespace('default').delete('web', { propagationPolicy: 'Background' });
  await cluster.advance(10_000);
  expect(names(cluster)).toHaveLength(5);
  expect([...new Set(asked.map(({ who }) => who))].sort()).toEqual([
    'generic-garbage-collector',
    'job-controller',
    'replicaset-controller',
  ]);
  // A ReplicaSet's pods are deleted side by side.
  const first = asked.filter(({ who }) => who === 'replicaset-controller').slice(0, 2);
  expect(new Set(first.map(({ pod }) => pod)).size).toBe(2);
  expect(first[1]?.at).toBe(first[0]?.at);
  allow();
  // The Job's pod ends by itself while its deletion is refused, and stays as what has ended.
  const served = (): readonly string[] => names(cluster).filter((name) => !name.startsWith('pack-'));
  await cluster.run({ until: () => served().length === 1 });
  expect(served()).toEqual([expect.stringMatching(/^shop-/)]);
  cluster.stop();
});

const pack = (spec: object) => ({
  ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'pack' } },
  spec: { template: template('pack', 'app:1', { restartPolicy: 'Never' }), ...spec },
});

test('a Job that has taken another one’s name while a webhook is asked keeps a status of its own', async () => {
  const { cluster, asked, allow } = await world();
  allow();
  cluster.image('app:1', { run: () => new Promise(() => undefined) });
  await create(cluster, jobs, pack({ activeDeadlineSeconds: 20 }));
  expect(await cluster.run({ until: () => asked.length === 1 })).toBe('reached');
  await cluster.client()(jobs).namespace('default').delete('pack', { propagationPolicy: 'Background' });
  await create(cluster, jobs, pack({}));
  await cluster.advance(60_000);
  const status = cluster.objects.find(jobs, 'default', 'pack')?.status;
  expect(status).toMatchObject({ active: 1 });
  expect(status?.conditions).toBeUndefined();
  cluster.stop();
});

test('a namespace that has taken another one’s name while a webhook is asked says nothing of what remains', async () => {
  const { cluster, asked, allow } = await world();
  allow();
  const shop = () => cluster.objects.find(namespaces, '', 'shop');
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
  await create(cluster, namespaces, namespace);
  const main = { containers: [{ name: 'main', image: 'app:1' }] };
  const pod = object('v1 Pod', 'till', { spec: main }, { namespace: 'shop', finalizers: ['example.com/finalizer'] });
  await cluster
    .client()(pods)
    .namespace('shop')
    .create(pod as never);
  await cluster.advance(5000);
  await cluster.client()(namespaces).cluster().delete('shop');
  expect(await cluster.run({ until: () => asked.length === 1 })).toBe('reached');
  await cluster.client().request('PUT', '/api/v1/namespaces/shop/finalize', {
    body: { ...namespace, spec: { finalizers: [] } },
  });
  expect(shop()).toBeUndefined();
  await create(cluster, namespaces, namespace);
  await cluster.advance(10_000);
  expect(shop()).toMatchObject({ spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } });
  expect(shop()?.status?.conditions).toBeUndefined();
  cluster.stop();
});

test('a Job whose pods a webhook keeps counts those that end', async () => {
  const { cluster, asked } = await world();
  const ends: (() => void)[] = [];
  cluster.image('app:1', { run: () => new Promise((resolve) => void ends.push(() => resolve(0))) });
  await create(cluster, jobs, pack({ completions: 2, parallelism: 2 }));
  expect(await cluster.run({ until: () => isReadyAll(cluster, 2) })).toBe('reached');
  await merge(cluster, jobs, 'pack', { spec: { suspend: true } });
  expect(await cluster.run({ until: () => asked.length === 2 })).toBe('reached');
  ends[0]?.();
  await cluster.advance(60_000);
  expect(asked.length).toBeGreaterThan(2);
  expect(cluster.objects.find(jobs, 'default', 'pack')?.status).toMatchObject({ active: 1, succeeded: 1 });
  const tracked = cluster.objects.list(pods, 'default').filter(({ metadata }) => metadata.finalizers !== undefined);
  expect(tracked.map(({ status }) => status?.phase)).toEqual(['Running']);
  cluster.stop();
});
