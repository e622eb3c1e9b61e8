import { cloudDatabases } from '@ordinal/api';
import type { CloudDatabaseInput } from '@ordinal/api';
import { secrets } from '@ordinal/client';
import { describe, expect, test } from 'vitest';
import type { DatabaseWorld } from '../external/database-world.ts';
import { database, databaseNow, databaseWorld, honest } from '../external/database-world.ts';

type Spec = Partial<CloudDatabaseInput['spec']>;

const resource = ({ cluster }: DatabaseWorld) => cluster.client()(cloudDatabases).namespace('default');

const create = (world: DatabaseWorld, spec: Spec = {}) => resource(world).create(database('orders', spec));

const synced = ({ cluster }: DatabaseWorld) =>
  databaseNow(cluster, 'orders')?.status?.conditions?.find(({ type }) => type === 'Synced');

async function until({ cluster }: DatabaseWorld, phase: string): Promise<void> {
  const now = () => databaseNow(cluster, 'orders')?.status?.phase;
  await cluster.run({ until: () => now() === phase, maxVirtualMs: 120_000 });
  expect(now()).toBe(phase);
}

async function remove(world: DatabaseWorld): Promise<void> {
  await resource(world).delete('orders');
  await world.cluster.run({ until: () => databaseNow(world.cluster, 'orders') === undefined, maxVirtualMs: 600_000 });
  expect(databaseNow(world.cluster, 'orders')).toBeUndefined();
}

describe('an imported database', () => {
  test('is taken over by its name, changed, and stays when its object goes', async () => {
    const world = await databaseWorld(1, honest);
    const legacy = world.provider.keep({ displayName: 'legacy', size: 'small' });
    await create(world, { externalName: 'legacy' });
    await until(world, 'Ready');
    expect(databaseNow(world.cluster, 'orders')?.status).toMatchObject({
      instanceId: 't1',
      external: { imported: true },
    });
    await resource(world).patch('orders', { type: 'merge', body: { spec: { size: 'large' } } });
    await world.cluster.run({ until: () => legacy.fields['size'] === 'large', maxVirtualMs: 60_000 });
    expect(legacy.fields['size']).toBe('large');
    // Its password is unknown, and another one would lock its users out.
    expect(legacy.fields['password']).toBeUndefined();
    expect(Object.keys(world.cluster.objects.find(secrets, 'default', 'orders-connection')?.data ?? {})).not.toContain(
      'password',
    );
    await remove(world);
    expect(world.provider.present()).toEqual([legacy]);
    expect(world.provider.things).toHaveLength(1);
    world.cluster.stop();
  });

  test('goes with its object where the spec says so', async () => {
    const world = await databaseWorld(1, honest);
    world.provider.keep({ displayName: 'legacy', size: 'small' });
    await create(world, { externalName: 'legacy', deletionPolicy: 'Delete' });
    await until(world, 'Ready');
    await remove(world);
    expect(world.provider.present()).toEqual([]);
    world.cluster.stop();
  });

  test('is never created, and appears when it is there', async () => {
    const world = await databaseWorld(1, honest);
    await create(world, { externalName: 'legacy' });
    await world.cluster.advance(1_300_000);
    expect(synced(world)).toMatchObject({ status: 'False', reason: 'ImportNotFound' });
    expect(world.provider.calls['POST']).toBeUndefined();
    world.provider.keep({ displayName: 'legacy', size: 'small' });
    const body = { metadata: { annotations: { 'ordinal.dev/reconcile-requested-at': 'now' } } };
    await resource(world).patch('orders', { type: 'merge', body });
    await until(world, 'Ready');
    expect(databaseNow(world.cluster, 'orders')?.status?.lastHandledReconcileAt).toBe('now');
    world.cluster.stop();
  });
});

describe('a database that is only watched', () => {
  const managementPolicies = ['Observe'] as const;

  test('is shown with its difference, and neither changed nor deleted', async () => {
    const world = await databaseWorld(1, honest);
    world.provider.keep({ displayName: 'legacy', size: 'small' });
    await create(world, { externalName: 'legacy', size: 'large', managementPolicies });
    await until(world, 'Ready');
    expect(synced(world)).toMatchObject({ status: 'False', reason: 'OutOfSync' });
    await remove(world);
    expect(Object.keys(world.provider.calls)).toEqual(['GET']);
    world.cluster.stop();
  });

  test('is not created where there is none', async () => {
    const world = await databaseWorld(1, honest);
    await create(world, { managementPolicies });
    await world.cluster.advance(60_000);
    expect(synced(world)).toMatchObject({ status: 'False', reason: 'NotCreated' });
    expect(world.provider.calls['POST']).toBeUndefined();
    world.cluster.stop();
  });
});

test('a final snapshot is taken, once, whoever deletes how often', async () => {
  const world = await databaseWorld(1, honest);
  await create(world, { deletionPolicy: 'Snapshot' });
  await until(world, 'Ready');
  const token = databaseNow(world.cluster, 'orders')?.status?.external?.token ?? '';
  await resource(world).delete('orders');
  await world.cluster.run({ until: () => world.provider.snapshots.length > 0, maxVirtualMs: 60_000 });
  world.operator.restart(1_000);
  await world.cluster.run({ until: () => databaseNow(world.cluster, 'orders') === undefined, maxVirtualMs: 600_000 });
  expect(world.provider.snapshots).toEqual([`final-${token}`]);
  expect(world.provider.present()).toEqual([]);
  world.cluster.stop();
});

describe('the provider account', () => {
  const secret = (account: string) =>
    ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'account', namespace: 'default' },
      data: { account: btoa(account) },
    }) as const;
  const secretsOf = ({ cluster }: DatabaseWorld) => cluster.client()(secrets).namespace('default');

  test('is protected before anything is made there (I18)', async () => {
    const world = await databaseWorld(1, honest);
    const seen: unknown[] = [];
    world.provider.watch(({ verb }) => {
      const finalizers = world.cluster.objects.find(secrets, 'default', 'account')?.metadata.finalizers;
      if (verb === 'create') seen.push(finalizers);
    });
    await create(world, { providerRef: { name: 'account' } });
    // The protection comes late: its first write is refused.
    let isFirst = true;
    world.operator.hook({
      before: ({ kind, target }) => {
        if (!isFirst || kind !== 'write' || !target.endsWith('/secrets/account')) return undefined;
        isFirst = false;
        return { delayMs: 5_000 };
      },
    });
    await secretsOf(world).create(secret('one'));
    await until(world, 'Ready');
    expect(seen).toEqual([['db.example.com/in-use']]);
    world.cluster.stop();
  });

  test('that another one has taken the place of is not asked: neither for changes nor to say that all is gone (I23)', async () => {
    const world = await databaseWorld(1, honest);
    await secretsOf(world).create(secret('one'));
    await create(world, { providerRef: { name: 'account' } });
    await until(world, 'Ready');
    await secretsOf(world).patch('account', { type: 'merge', body: { data: { account: btoa('two') } } });
    await world.cluster.advance(30_000);
    expect(synced(world)).toMatchObject({
      reason: 'CallFailed',
      message: expect.stringContaining('put it back') as string,
    });
    const calls = JSON.stringify(world.provider.calls);
    await resource(world).delete('orders');
    await world.cluster.advance(60_000);
    expect(JSON.stringify(world.provider.calls)).toBe(calls);
    expect(databaseNow(world.cluster, 'orders')).toBeDefined();
    await secretsOf(world).patch('account', { type: 'merge', body: { data: { account: btoa('one') } } });
    await world.cluster.run({ until: () => databaseNow(world.cluster, 'orders') === undefined, maxVirtualMs: 900_000 });
    expect(world.provider.present()).toEqual([]);
    world.cluster.stop();
  });
});

describe('the password', () => {
  const passwordNow = ({ cluster }: DatabaseWorld): string =>
    atob(cluster.objects.find(secrets, 'default', 'orders-connection')?.data?.['password'] ?? '');

  test('is in the Secret before it is sent to the provider (I22)', async () => {
    const world = await databaseWorld(1, honest);
    const durable: string[] = [];
    world.provider.watch(({ verb }) => verb === 'create' && durable.push(passwordNow(world)));
    await create(world);
    await until(world, 'Ready');
    expect(durable).toEqual([world.provider.things[0]?.fields['password']]);
    world.cluster.stop();
  });

  test('of a creation that was repeated is set anew, because the first one may have had another', async () => {
    // Nothing is found by looking, so that the creation is repeated.
    const world = await databaseWorld(1, { ...honest, listLagMs: 60_000 });
    let posts = 0;
    world.operator.hook({
      after: ({ kind, method }) => {
        if (kind !== 'external' || method !== 'POST') return undefined;
        posts += 1;
        return posts === 1 ? { lose: true } : undefined;
      },
    });
    await create(world);
    await world.cluster.run({ until: () => posts === 1, maxVirtualMs: 60_000 });
    await world.cluster.client()(secrets).namespace('default').delete('orders-connection');
    await until(world, 'Ready');
    await world.cluster.advance(60_000);
    expect(posts).toBe(2);
    expect(world.provider.things).toHaveLength(1);
    expect(world.provider.things[0]?.fields['password']).toBe(passwordNow(world));
    world.cluster.stop();
  });
});

test('a database that is made again does not show the endpoint of the one before', async () => {
  const world = await databaseWorld(1, honest);
  await create(world);
  await until(world, 'Ready');
  const now = () => databaseNow(world.cluster, 'orders');
  expect(now()?.status?.endpoint).toBe('t1.db.example:5432');
  world.provider.lose(now()?.metadata.uid ?? '');
  const isMade = (): boolean => now()?.status?.external?.incarnation === 2;
  await world.cluster.run({ until: isMade, maxVirtualMs: 3_600_000 });
  expect(now()?.status?.endpoint).toBeUndefined();
  await until(world, 'Ready');
  expect(now()?.status?.endpoint).toBe('t2.db.example:5432');
  world.cluster.stop();
});
