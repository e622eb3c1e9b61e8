import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubernetesObject } from '@ordinal/client';
import { startWorld, type World } from './world/world.ts';

// Whoever may write our kinds, and no workloads, has the operator run a Job: the spec is brought in where it was not judged, in an object that is being deleted.

let world: World;
const namespace = 'deputy';
const kinds = {
  KVStoreCluster: {
    path: `/apis/kvstore.example.com/v1/namespaces/${namespace}/kvstoreclusters`,
    apiVersion: 'kvstore.example.com/v1',
    finalizer: 'kvstore.example.com/finalizer',
    spec: (replicas: number) => ({
      version: '1',
      replicas,
      storage: { className: 'standard', size: '1Gi' },
      delete: { before: { image: 'attack:1', command: ['/bin/own-the-node'] } },
      jobs: {
        serviceAccountName: 'powerful',
        podTemplate: {
          spec: {
            hostPID: true,
            volumes: [{ name: 'node', hostPath: { path: '/' } }],
            containers: [{ name: 'task', securityContext: { privileged: true } }],
          },
        },
      },
    }),
  },
  MonitoredStatefulSet: {
    path: `/apis/statefulsets.example.com/v1alpha1/namespaces/${namespace}/monitoredstatefulsets`,
    apiVersion: 'statefulsets.example.com/v1alpha1',
    finalizer: 'statefulsets.example.com/finalizer',
    spec: (replicas: number) => ({
      monitorEndpoint: 'https://monitor.invalid',
      cleanup: 'Job',
      cleanupJob: { image: 'attack:1', serviceAccountName: 'powerful' },
      statefulSetSpec: {
        replicas,
        serviceName: 'web',
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
      },
    }),
  },
} as const;

beforeAll(async () => {
  world = await startWorld();
  const rules = [
    { apiGroups: ['kvstore.example.com'], resources: ['kvstoreclusters'], verbs: ['create', 'patch', 'delete'] },
    {
      apiGroups: ['statefulsets.example.com'],
      resources: ['monitoredstatefulsets'],
      verbs: ['create', 'patch', 'delete'],
    },
  ];
  await world.allow('mallory', namespace, rules);
});

afterAll(() => world.stop());

const apply = { 'content-type': 'application/apply-patch+yaml' };
const merge = { 'content-type': 'application/merge-patch+json' };
/** Holds an object in its deletion, without the operator. */
const mine = 'example.com/mine';

/** How long the operator has to act on what was stored, in milliseconds: it takes a fraction of that to make a Job that is due. */
const actsWithinMs = 2_000;

/** The Jobs that were made of what was refused: by the name of the object, or by the image that it was to get. */
async function jobsOfAttacks(): Promise<readonly string[]> {
  await pause(actsWithinMs);
  const { items } = (await world.admin.request('GET', `/apis/batch/v1/namespaces/${namespace}/jobs`)) as {
    readonly items: readonly (KubernetesObject & { readonly spec: object })[];
  };
  const isOfAttack = ({ metadata, spec }: (typeof items)[number]): boolean =>
    metadata.name.startsWith('born-dying') || JSON.stringify(spec).includes('attack:2');
  return items.filter(isOfAttack).map(({ metadata }) => metadata.name);
}

describe.each(Object.entries(kinds))('%s', (kind, { path, apiVersion, finalizer, spec }) => {
  const objectOf = (name: string, metadata: object, of: object): object => ({
    apiVersion,
    kind,
    metadata: { name, namespace, ...metadata },
    spec: of,
  });

  test('is refused where it comes into the world being deleted', async () => {
    const dying = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [finalizer] };
    const body = objectOf('born-dying', dying, spec(1));
    const made = world.as('mallory').request('PATCH', `${path}/born-dying?fieldManager=m`, { body, headers: apply });
    await expect(made).rejects.toThrow('mallory may not create');
    await expect(world.as('mallory').request('POST', path, { body })).rejects.toThrow('mallory may not create');
  });

  test('takes no other spec while it is being deleted, and lets its finalizers and labels go', async () => {
    await world.admin.request('POST', path, { body: objectOf('held', { finalizers: [mine] }, { ...spec(1) }) });
    const mallory = world.as('mallory');
    await mallory.request('DELETE', `${path}/held`);
    const image =
      kind === 'KVStoreCluster' ? { delete: { before: { image: 'attack:2' } } } : { cleanupJob: { image: 'attack:2' } };
    const changed = mallory.request('PATCH', `${path}/held`, { body: { spec: image }, headers: merge });
    await expect(changed).rejects.toThrow('mallory may not');
    const metadata = { labels: { a: 'b' }, finalizers: null };
    await mallory.request('PATCH', `${path}/held`, { body: { metadata }, headers: merge });
  });

  test('no Job was made of what was refused', async () => {
    expect(await jobsOfAttacks()).toEqual([]);
  });
});
