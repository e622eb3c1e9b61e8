import { clusteredCaches, kvStoreClusters } from '@ordinal/api';
import type { KubernetesObject, KubernetesObjectInput, ResourceDescriptor } from '@ordinal/client';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { isAskedFor, onRequest } from './real-plane.ts';
import type { WhatIfPlane } from './what-if-plane.ts';
import { whatIfPlane } from './what-if-plane.ts';

// Before the first one, Kubernetes may have to be built.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 1_200_000 });

interface Quota extends KubernetesObject {
  readonly status?: { readonly used?: Readonly<Record<string, string>> };
}

const resourceQuotas: ResourceDescriptor<Quota> = {
  ...{ group: '', version: 'v1', kind: 'ResourceQuota', plural: 'resourcequotas', scope: 'Namespaced' },
};

const cache = (image: string, upgrade: object = {}) => ({
  apiVersion: 'cache.my.domain/v1',
  kind: 'ClusteredCache',
  metadata: { name: 'sessions', namespace: 'default' },
  spec: { replicas: 3, image, port: 6379, storage: { className: 'standard', size: '1Gi' }, upgrade },
});

const store = (version: string) => ({
  apiVersion: 'kvstore.example.com/v1',
  kind: 'KVStoreCluster',
  metadata: { name: 'carts', namespace: 'default' },
  spec: { replicas: 3, image: 'kvstore', version, storage: { className: 'standard', size: '1Gi' } },
});

describe.skipIf(!isAskedFor)(`what-if on a real control plane (${onRequest})`, () => {
  let plane: WhatIfPlane;

  beforeAll(async () => {
    const started = await whatIfPlane();
    if ('skipped' in started) throw new Error(started.skipped);
    plane = started;
    await plane.create(clusteredCaches, cache('cache:1'));
    await plane.create(kvStoreClusters, store('1.0'));
  });
  afterAll(() => plane.stop());

  test('an upgrade of a cache, and one of a store: the steps are those that then happen', async () => {
    const ofCache = await plane.compare(clusteredCaches, cache('cache:2'));
    expect(ofCache.happened.length).toBeGreaterThan(20);
    expect(ofCache).toMatchObject({ predicted: ofCache.happened, waits: [], err: '' });
    const ofStore = await plane.compare(kvStoreClusters, store('2.0'));
    expect(ofStore.happened.length).toBeGreaterThan(12);
    expect(ofStore).toMatchObject({ predicted: ofStore.happened, waits: [], err: '' });
  });

  test('a quota that is full: where it stops, and the quota by name', async () => {
    const quotas = plane.cluster.client()(resourceQuotas).namespace('default');
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'team' },
      spec: { hard: { pods: '3' } },
    };
    await quotas.create(quota);
    await vi.waitFor(async () => expect((await quotas.get('team')).status?.used).toEqual({ pods: '6' }), 30_000);
    const { predicted, happened, waits } = await plane.compare(
      clusteredCaches,
      cache('cache:1', { progressDeadline: '5m' }),
    );
    expect(happened).toContain('sessions-2 has ended');
    expect(happened).not.toContain('sessions-2 is made, as cache:1');
    expect(predicted).toEqual(happened);
    expect(waits[0]).toContain('exceeded quota: team, requested: pods=1, used: pods=5, limited: pods=3');
  });

  test('a volume that can’t grow, and a Job that a quota has no room for', async () => {
    const grown = { ...store('2.0'), spec: { ...store('2.0').spec, storage: { className: 'standard', size: '2Gi' } } };
    const volume = await plane.compare(kvStoreClusters, grown);
    expect(volume.happened.join()).toContain('the storageclass that provisions the pvc must support resize');
    expect(volume.predicted).toEqual(volume.happened);

    const beforeFirstPod = { image: 'check:1', command: ['check'] };
    const other = (object: KubernetesObjectInput) => ({ ...object, metadata: { ...object.metadata, name: 'queues' } });
    const withJob = other(cache('cache:2', { progressDeadline: '2m', beforeFirstPod }));
    const quotas = plane.cluster.client()(resourceQuotas).namespace('default');
    await quotas.delete('team');
    await plane.create(clusteredCaches, other(cache('cache:1')));
    const hard = { 'count/jobs.batch': '0' };
    const noJobs = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'no-jobs' }, spec: { hard } };
    await quotas.create(noJobs);
    await vi.waitFor(async () => expect((await quotas.get('no-jobs')).status?.used).toEqual(hard), 30_000);
    const full = await plane.compare(clusteredCaches, withJob);
    expect(full.happened.join()).toContain('exceeded quota: no-jobs, requested: count/jobs.batch=1');
    expect(full.predicted).toEqual(full.happened);
    expect(full.waits[0]).toContain('kubectl describe quota no-jobs');
  });
});
