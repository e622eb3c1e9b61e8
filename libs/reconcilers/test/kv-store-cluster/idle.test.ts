import { services } from '@ordinal/client';
import { expect, test } from 'vitest';
import { images, kvStoreWorld, store, storeNow, untilPhase } from './kv-store-world.ts';
import { annotate, change, condition, jobsFor, ready, stores, until } from './store-steps.ts';

const serviceNames = (cluster: Awaited<ReturnType<typeof ready>>) =>
  cluster.objects.list(services, 'default').map(({ metadata }) => metadata.name);

test('the Service for clients goes with the port, and no other owner’s does', async () => {
  const cluster = await ready({ port: 6379 });
  expect(serviceNames(cluster)).toContain('orders-client');
  await change(cluster, { port: null });
  await until(cluster, () => !serviceNames(cluster).includes('orders-client'));
  expect(serviceNames(cluster)).toEqual(expect.not.arrayContaining(['orders-client']));
  expect(serviceNames(cluster)).toContain('orders');
  cluster.stop();
});

test('another owner’s Service of that name is left alone, and does not matter without a port', async () => {
  const { cluster } = await kvStoreWorld();
  const theirs = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'orders-client', namespace: 'default' },
    spec: { ports: [{ port: 80 }] },
  } as const;
  await cluster.client()(services).namespace('default').create(theirs);
  await stores(cluster).create(store());
  expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
  await cluster.settle();
  expect(serviceNames(cluster)).toContain('orders-client');
  await change(cluster, { port: 6379 });
  await until(cluster, () => condition(cluster, 'Degraded')?.status === 'True');
  expect(condition(cluster, 'Degraded')).toMatchObject({ status: 'True', reason: 'NameTaken' });
  expect(storeNow(cluster)?.status?.processingError).toMatchObject({ reason: 'NameTaken' });
  cluster.stop();
});

test('Degraded says that the spec is invalid, and that it is not any more', async () => {
  const cluster = await ready();
  await change(cluster, { canary: { analysis: { http: { path: '/good' } } } });
  await until(cluster, () => condition(cluster, 'Degraded')?.status === 'True');
  for (const type of ['Ready', 'Progressing'])
    expect(condition(cluster, type)).toMatchObject({ status: 'False', reason: 'InvalidSpec' });
  expect(condition(cluster, 'Degraded')).toMatchObject({ status: 'True', reason: 'InvalidSpec' });
  expect(storeNow(cluster)?.status?.processingError).toMatchObject({ reason: 'InvalidSpec' });
  await change(cluster, { canary: null });
  await until(cluster, () => condition(cluster, 'Degraded')?.status === 'False');
  expect(condition(cluster, 'Degraded')).toMatchObject({ status: 'False', reason: 'AsExpected' });
  expect(storeNow(cluster)?.status?.processingError).toBeUndefined();
  cluster.stop();
});

// Found by a reader: every reconcile failed, and nothing said why.
test('a bake time that no date holds is reported, and so is a deadline of a Job, which holds up no deletion', async () => {
  const cluster = await ready({ upgradeStrategy: 'Canary', backup: { job: { command: ['backup'] } } });
  await change(cluster, {
    ...{ version: '2.0', canary: { bake: '9999999999h' } },
    backup: { job: { command: ['backup'], deadline: '9999999999h' } },
  });
  await until(cluster, () => condition(cluster, 'Degraded')?.status === 'True');
  expect(condition(cluster, 'Degraded')).toMatchObject({ reason: 'InvalidSpec' });
  expect(condition(cluster, 'Degraded')?.message).toMatch(
    /spec.canary.bake: .* year.*; spec.backup.job.deadline: .* year/,
  );
  await stores(cluster).delete('orders');
  await until(cluster, () => storeNow(cluster) === undefined);
  expect(jobsFor(cluster, 'FinalBackup')).toHaveLength(1);
  cluster.stop();
});

// Found by a reader: it was rolled back as soon as the annotation had gone.
test('an upgrade whose cluster is paused for longer than its deadline goes on', async () => {
  const cluster = await ready({ upgradeStrategy: 'Canary' });
  await change(cluster, { version: '2.0' });
  await until(cluster, () => images(cluster)[1] === '2.0');
  await annotate(cluster, { 'ordinal.dev/paused': 'true' });
  await cluster.advance(3_600_000);
  expect(images(cluster)).toEqual(['1.0', '2.0', '2.0']);
  await annotate(cluster, { 'ordinal.dev/paused': null });
  await until(cluster, () => storeNow(cluster)?.status?.phase !== 'Upgrading');
  expect(images(cluster)).toEqual(['2.0', '2.0', '2.0']);
  expect(storeNow(cluster)?.status).toMatchObject({ phase: 'Ready', currentVersion: '2.0' });
  cluster.stop();
});

test('a paused cluster can be deleted', async () => {
  const cluster = await ready();
  await annotate(cluster, { 'ordinal.dev/paused': 'true' });
  await stores(cluster).delete('orders');
  await until(cluster, () => storeNow(cluster) === undefined);
  expect(storeNow(cluster)).toBeUndefined();
  cluster.stop();
});
