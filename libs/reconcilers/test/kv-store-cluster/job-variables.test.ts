import { secrets } from '@ordinal/client';
import { expect, test } from 'vitest';
import { kvStoreWorld, store, storeNow } from './kv-store-world.ts';
import { annotate, stores, until } from './store-steps.ts';

test('a name that a user gives to a backup shows nothing of the Secrets that its Job is given', async () => {
  const { cluster } = await kvStoreWorld();
  await cluster
    .client()(secrets)
    .namespace('default')
    .create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'bucket' },
      data: { KEY: btoa('open sesame') },
    });
  const podTemplate = { spec: { containers: [{ name: 'task', envFrom: [{ secretRef: { name: 'bucket' } }] }] } };
  await stores(cluster).create(store({ replicas: 1, backup: { job: { command: ['backup'] } }, jobs: { podTemplate } }));
  await until(cluster, () => storeNow(cluster)?.status?.phase === 'Ready');
  await annotate(cluster, { 'ordinal.dev/backup': '$(KEY) and $$5' });
  await until(cluster, () => storeNow(cluster)?.status?.lastBackup !== undefined);
  expect(storeNow(cluster)?.status?.lastBackup?.location).toBe('made $(KEY) and $$5');
  cluster.stop();
});
