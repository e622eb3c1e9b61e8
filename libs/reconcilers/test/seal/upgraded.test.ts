import { expect, test } from 'vitest';
import { clusteredCaches, kvStoreClusters, monitoredStatefulSets } from '@ordinal/api';
import { jobs } from '@ordinal/client';
import type { Job, KubernetesObject, ResourceDescriptor } from '@ordinal/client';
import type { Memory } from '@ordinal/lifecycle';
import { SealedStatuses } from '@ordinal/lifecycle';
import type { Operator, SimulatedCluster } from '@ordinal/simulator';
import { jobMarks } from '../../src/annotations.ts';
import { cacheMemory } from '../../src/clustered-cache/memory.ts';
import { clusterMemory } from '../../src/kv-store-cluster/memory.ts';
import { monitoredSetMemory } from '../../src/monitored-stateful-set/memory.ts';
import {
  cache,
  caches,
  cacheNow,
  cacheWorld,
  change as changeCache,
  isSettled,
  reaches,
} from '../clustered-cache/cache-world.ts';
import { honest } from '../external/database-world.ts';
import { create, resource, settled } from '../external/set-steps.ts';
import { setNow, setWorld } from '../external/set-world.ts';
import { kvStoreWorld, store, storeNow, untilPhase } from '../kv-store-cluster/kv-store-world.ts';
import { change, claims, condition, jobsFor, stores, until } from '../kv-store-cluster/store-steps.ts';
import { seals } from '../operator/parts.ts';

type Written = KubernetesObject & { readonly status?: object };

/** An object, and the world that it is in. */
interface Upgraded<Read extends Written> {
  readonly cluster: SimulatedCluster;
  readonly operator: Operator;
  readonly memory: Memory<Read>;
  readonly descriptor: ResourceDescriptor<Read>;
  readonly object: Read | undefined;
}

const jobsIn = (cluster: SimulatedCluster, { metadata: { namespace = '' } }: KubernetesObject): readonly Job[] =>
  cluster.objects.list(jobs, namespace);

/** Makes an object and its Jobs what an operator leaves that seals its statuses and no Jobs, and has one of this version go on. */
async function upgrade<Read extends Written>({ cluster, operator, ...of }: Upgraded<Read>): Promise<void> {
  const { memory, descriptor, object = expect.fail('it is gone') } = of;
  operator.crash();
  const { namespace = '', name } = object.metadata;
  const unsealed = { metadata: { annotations: { [jobMarks.sealAnnotation]: null } } };
  for (const { metadata } of jobsIn(cluster, object))
    await cluster.client()(jobs).namespace(namespace).patch(metadata.name, { type: 'merge', body: unsealed });
  const { makesJobs: _makesJobs, ...before } = memory;
  const { jobsSealed: _jobsSealed, ...status } = { jobsSealed: true, ...object.status };
  const stored = { ...object, status: undefined, metadata: { ...object.metadata, finalizers: [] } };
  const sealed = new SealedStatuses(before as Memory<Read>, seals).sealed({ descriptor, object: stored, status });
  const operations = [{ op: 'add', path: '/status', value: sealed as never }] as const;
  await cluster.client()(descriptor).namespace(namespace).status.patch(name, { type: 'json', operations });
  operator.start();
}

const backup = { job: { command: ['run'], image: 'example.com/job:slow' }, onDelete: 'Required' } as const;

async function readyStore(spec: Parameters<typeof store>[0]) {
  const { cluster, operator } = await kvStoreWorld();
  cluster.image('example.com/job:slow', { startsIn: 120_000, run: () => 0 });
  await stores(cluster).create(store(spec));
  expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
  const world = { cluster, operator, memory: clusterMemory, descriptor: kvStoreClusters };
  return { cluster, operator, upgraded: () => upgrade({ ...world, object: storeNow(cluster) }) };
}

test('a hook of an earlier version, which sealed no Jobs, goes on and counts', async () => {
  const beforeFirstPod = { command: ['run'], image: 'example.com/job:slow' };
  const { cluster, upgraded } = await readyStore({ upgrade: { beforeFirstPod } });
  await change(cluster, { version: '2.0' });
  await until(cluster, () => jobsFor(cluster, 'BeforeUpgrade').length === 1);
  const [made] = jobsFor(cluster, 'BeforeUpgrade');
  await upgraded();
  await until(cluster, () => storeNow(cluster)?.status?.currentVersion === '2.0');
  expect(jobsFor(cluster, 'BeforeUpgrade').map(({ metadata }) => metadata.uid)).toEqual([made?.metadata.uid]);
  expect(storeNow(cluster)?.status?.jobsSealed).toBe(true);
  cluster.stop();
});

test('a final backup of an earlier version goes on where its UID is in the status', async () => {
  const { cluster, upgraded } = await readyStore({ backup });
  await stores(cluster).delete('orders');
  await until(cluster, () => storeNow(cluster)?.status?.hooks?.some(({ jobUID }) => jobUID !== undefined) === true);
  const [made] = jobsFor(cluster, 'FinalBackup');
  await upgraded();
  await until(cluster, () => storeNow(cluster) === undefined);
  expect(jobsFor(cluster, 'FinalBackup').map(({ metadata }) => metadata.uid)).toEqual([made?.metadata.uid]);
  cluster.stop();
});

test('a Job that another client made as a final backup is none because the operator is a later version', async () => {
  const { cluster, operator, upgraded } = await readyStore({ backup });
  await stores(cluster).delete('orders');
  await until(cluster, () => jobsFor(cluster, 'FinalBackup').length === 1);
  const [{ metadata } = expect.fail('none')] = jobsFor(cluster, 'FinalBackup');
  operator.crash();
  const there = cluster.client()(jobs).namespace('default');
  await there.delete(metadata.name, { propagationPolicy: 'Foreground' });
  await until(cluster, () => jobsFor(cluster, 'FinalBackup').length === 0);
  cluster.image('forged:1', { run: () => 0 });
  await there.create({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: metadata.name, namespace: 'default', labels: { ...metadata.labels } },
    spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'task', image: 'forged:1' }] } } },
  });
  await upgraded();
  await cluster.advance(600_000);
  expect(claims(cluster)).toHaveLength(3);
  expect(condition(cluster, 'ReconcileFailed')?.message).toContain(`kubectl delete job -n default ${metadata.name}`);
  cluster.stop();
});

test('a Job that is made after the upgrade, without a seal, is not adopted', async () => {
  const { cluster, operator, upgraded } = await readyStore({});
  await upgraded();
  await until(cluster, () => storeNow(cluster)?.status?.jobsSealed === true);
  operator.crash();
  const { uid = '' } = storeNow(cluster)?.metadata ?? {};
  const labels = { 'app.kubernetes.io/managed-by': 'ordinal-operator', 'ordinal.dev/owner-uid': uid };
  const made = await cluster
    .client()(jobs)
    .namespace('default')
    .create({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'later', namespace: 'default', labels },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'task', image: 'forged:1' }] } } },
    });
  operator.start();
  await cluster.advance(60_000);
  expect(cluster.objects.find(jobs, 'default', 'later')?.metadata.annotations).toEqual(made.metadata.annotations);
  cluster.stop();
});

test('the Job of a gate that an earlier version has made is asked to its end', async () => {
  const { cluster, operator } = await cacheWorld();
  cluster.image('check:1', { startsIn: 60_000, run: () => 0 });
  const template = { template: { spec: { containers: [{ name: 'check', image: 'check:1' }] } } };
  await caches(cluster).create(cache({ replicas: 1, upgrade: { gates: [{ name: 'audit', job: { template } }] } }));
  expect(await reaches(cluster, () => isSettled(cluster))).toBe(true);
  await changeCache(cluster, { image: 'cache:2' });
  expect(await reaches(cluster, () => cluster.objects.list(jobs, 'default').length === 1)).toBe(true);
  const made = cluster.objects.list(jobs, 'default').map(({ metadata }) => metadata.uid);
  const world = { cluster, operator, memory: cacheMemory, descriptor: clusteredCaches };
  await upgrade({ ...world, object: cacheNow(cluster) });
  expect(await reaches(cluster, () => cacheNow(cluster)?.status?.currentVersion === 'cache:2')).toBe(true);
  expect(cluster.objects.list(jobs, 'default').map(({ metadata }) => metadata.uid)).toEqual(made);
  cluster.stop();
});

test('the clean-up Job of an earlier version goes on and counts', async () => {
  const world = await setWorld(1, honest);
  const { cluster, operator, cleanup } = world;
  await create(world, { cleanup: 'Job', cleanupJob: { image: 'cleanup:1' } });
  await settled(world);
  await resource(world).delete('db');
  await cluster.run({ until: () => cluster.objects.list(jobs, 'team').length === 1, maxVirtualMs: 600_000 });
  await upgrade({
    ...{ cluster, operator, memory: monitoredSetMemory, descriptor: monitoredStatefulSets },
    object: setNow(cluster, 'db'),
  });
  await cluster.run({ until: () => setNow(cluster, 'db') === undefined, maxVirtualMs: 600_000 });
  expect(setNow(cluster, 'db')).toBeUndefined();
  expect(cleanup.successes).toBe(1);
  cluster.stop();
});
