import type { StatefulSet } from 'kubernetes-types/apps/v1.js';
import { describe, expect, test } from 'vitest';
import type { KVStoreToBuild } from './index.ts';
import { kvStoreJob, kvStorePodTemplate, kvStoreStatefulSet, synthesizeKVStoreCluster, taskName } from './index.ts';

const owner = {
  apiVersion: 'kvstore.example.com/v1',
  kind: 'KVStoreCluster',
  name: 'orders',
  namespace: 'shop',
  uid: 'u1',
};
const cluster = (spec: Partial<KVStoreToBuild['spec']> = {}): KVStoreToBuild => ({
  name: 'orders',
  namespace: 'shop',
  owner,
  spec: { version: '1.0', replicas: 3, storage: { className: 'fast', size: '10Gi' }, ...spec },
});

test('a cluster has its services, its budget and its members, each owned by it', () => {
  const manifests = synthesizeKVStoreCluster(cluster({ port: 6379 }));
  expect(manifests.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`)).toEqual([
    'Service shop/orders',
    'Service shop/orders-client',
    'PodDisruptionBudget shop/orders',
    'StatefulSet shop/orders',
  ]);
  for (const { metadata } of manifests)
    expect(metadata).toMatchObject({ ownerReferences: [{ uid: 'u1', controller: true }] });
});

describe('the volume claims', () => {
  const claim = (set: StatefulSet) => set.spec?.volumeClaimTemplates?.[0];

  test('are found by the UID of their owner, and the garbage collector does not follow them', () => {
    const template = claim(kvStoreStatefulSet(cluster()));
    expect(template?.metadata?.labels).toMatchObject({ 'ordinal.dev/owner-uid': 'u1' });
    expect(template?.metadata?.ownerReferences).toBeUndefined();
  });

  test('a new size replaces no pod (I29)', () => {
    const grown = cluster({ storage: { className: 'fast', size: '20Gi' } });
    expect(kvStorePodTemplate(grown)).toEqual(kvStorePodTemplate(cluster()));
  });
});

test('the reconciler’s moment: another version, a partition', () => {
  const { spec } = kvStoreStatefulSet(cluster({ version: '2.0' }), { version: '1.0', partition: 2 });
  expect(spec?.updateStrategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { partition: 2 } });
  expect(spec?.template.spec?.containers[0]?.image).toBe('my-repo/kvstore:1.0');
});

describe('a job', () => {
  test('is given values as they are, whatever variables they name', () => {
    const variables = { ORDINAL_BACKUP_NAME: '$(KEY) for $5' };
    const job = kvStoreJob(cluster(), {
      ...{ purpose: 'Backup', subject: 'a', task: { command: ['backup'] }, version: '1.0' },
      variables,
    });
    const env = job.spec?.template.spec?.containers[0]?.env ?? [];
    expect(env.find(({ name }) => name === 'ORDINAL_BACKUP_NAME')?.value).toBe('$$(KEY) for $$5');
  });

  const wanted = { purpose: 'FinalBackup', subject: 'u1', task: { command: ['backup'] }, version: '1.0' } as const;

  test('outlives the cluster, and its pod is no member', () => {
    const job = kvStoreJob(cluster(), wanted);
    expect(job.metadata?.ownerReferences).toBeUndefined();
    expect(job.metadata?.labels).toMatchObject({ 'ordinal.dev/owner-uid': 'u1', 'ordinal.dev/purpose': 'FinalBackup' });
    expect(job.spec?.template.metadata?.labels).not.toHaveProperty('app');
  });

  test('has one name for one subject of one cluster, never too long', () => {
    const long = { ...cluster(), name: 'n'.repeat(80) };
    expect(taskName(long, 'BeforeScaleDown', 'a')).toHaveLength(63);
    expect(taskName(cluster(), 'Backup', 'a')).toBe(taskName(cluster(), 'Backup', 'a'));
    expect(taskName(cluster(), 'Backup', 'a')).not.toBe(taskName(cluster(), 'Backup', 'b'));
    expect(taskName({ ...cluster(), owner: { ...owner, uid: 'u2' } }, 'Backup', 'a')).not.toBe(
      taskName(cluster(), 'Backup', 'a'),
    );
  });

  test('mounts the claims that it is given, and takes what the user says of its pod', () => {
    const spec = {
      jobs: {
        serviceAccountName: 'backup',
        podTemplate: { spec: { containers: [{ name: 'task', env: [{ name: 'TO', value: 's3' }] }] } },
      },
    };
    const job = kvStoreJob(cluster(spec), { ...wanted, claims: [{ ordinal: 0, name: 'data-orders-0' }] });
    const pod = job.spec?.template.spec;
    expect(pod?.serviceAccountName).toBe('backup');
    expect(pod?.containers[0]?.volumeMounts).toEqual([{ name: 'claim-0', mountPath: '/claims/0' }]);
    expect(pod?.containers[0]?.env).toContainEqual({ name: 'TO', value: 's3' });
    expect(pod?.containers[0]?.env).toContainEqual({ name: 'ORDINAL_CLUSTER', value: 'orders' });
  });
});

test('a hand-off is a preStop hook with time of its own, and without one the pod is what it was', () => {
  const handoff = { exec: { command: ['hand-over'] }, timeout: '45s' };
  const { spec } = kvStorePodTemplate(cluster({ upgrade: { handoff } }));
  expect(spec?.containers[0]?.lifecycle).toEqual({ preStop: { exec: { command: ['hand-over'] } } });
  expect(spec?.terminationGracePeriodSeconds).toBe(75);
  expect(kvStorePodTemplate(cluster({ upgrade: { paused: true } }))).toEqual(kvStorePodTemplate(cluster()));
});
