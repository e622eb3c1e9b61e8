import { cloudDatabases } from '@ordinal/api';
import { secrets } from '@ordinal/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cloudDatabaseMetrics } from '../../src/cloud-database/index.ts';
import type { DatabaseWorld } from '../external/database-world.ts';
import { database, databaseNow, databaseWorld, honest } from '../external/database-world.ts';
import { refuse } from '../writes/refuse.ts';
import { shortOf } from '../world/phase-and-conditions.ts';

let world: DatabaseWorld;

const now = () => databaseNow(world.cluster, 'orders');
const resource = () => world.cluster.client()(cloudDatabases).namespace('default');
const account = () => world.cluster.client()(secrets).namespace('default');
const isReady = (): boolean => now()?.status?.phase === 'Ready';
const failures = () => world.events.filter(({ reason }) => reason === 'ProcessingError');
const halfHour = 1_800_000;

/** What the metrics say of the database. */
const gauges = (): Readonly<Record<string, number>> => {
  const object = now();
  const samples = object === undefined ? [] : cloudDatabaseMetrics([object]);
  return Object.fromEntries(samples.map(({ name, value }) => [name.replace('ordinal_clouddatabase_', ''), value]));
};

/** One event is new, and within each half hour it is published again; the recorder drops what comes more often. */
async function isReported(saying: string): Promise<void> {
  await world.cluster.advance(60_000);
  expect(failures().filter(({ atMostEveryMs }) => atMostEveryMs === undefined)).toMatchObject([
    { type: 'Warning', note: expect.stringContaining(saying) as string },
  ]);
  expect(gauges()).toEqual({ processing_error: 1, provider_reachable: 0 });
  const transitions: (string | undefined)[] = [];
  const stop = world.cluster.server.store.subscribe(({ kind, after }) => {
    const { status } = after as { readonly status?: Parameters<typeof shortOf>[0] };
    const synced = status?.conditions?.find(({ type }) => type === 'Synced');
    if (kind === 'clouddatabases.db.example.com') transitions.push(`${synced?.status} ${synced?.reason}`);
  });
  for (let hours = 0; hours < 3; hours += 0.5) {
    const before = failures().length;
    await world.cluster.advance(halfHour);
    expect(failures().length).toBeGreaterThan(before);
  }
  stop();
  expect(failures().filter(({ atMostEveryMs }) => atMostEveryMs === undefined)).toHaveLength(1);
  // Nothing in between says that it is over.
  expect(transitions.filter((said) => said !== 'False CallFailed')).toEqual([]);
  expect(gauges()).toEqual({ processing_error: 1, provider_reachable: 0 });
}

beforeEach(async () => {
  world = await databaseWorld(1, honest);
});
afterEach(() => world.cluster.stop());

test('a database without its account says so, again and again, until it is there', async () => {
  await resource().create(database('orders', { providerRef: { name: 'account' } }));
  await isReported('there is no Secret default/account');
  expect(shortOf(now()?.status)).toEqual(['Failed', 'Ready=False CallFailed', 'Synced=False CallFailed']);
  const metadata = { name: 'account', namespace: 'default' };
  await account().create({ apiVersion: 'v1', kind: 'Secret', metadata, data: { account: btoa('one') } });
  await world.cluster.run({ until: isReady, maxVirtualMs: 600_000 });
  expect(gauges()).toEqual({ processing_error: 0, provider_reachable: 1 });
});

test('a provider that answers 503 to everything is reported, and the database is as usable as it was', async () => {
  await resource().create(database('orders'));
  await world.cluster.run({ until: isReady, maxVirtualMs: 600_000 });
  world.provider.outage = 503;
  await resource().patch('orders', { type: 'merge', body: { spec: { size: 'large' } } });
  await isReported('HTTP 503');
  expect(shortOf(now()?.status)).toEqual(['Ready', 'Ready=True Available', 'Synced=False CallFailed']);
});

test.each([
  ['that answers creations with 503', 503, 'Provisioning'],
  ['that refuses creations', 400, 'Failed'],
  ['that knows our account no more', 401, 'Provisioning'],
])('a provider %s is reported, and the failure lasts while it is tried again', async (_what, status, phase) => {
  world.provider.refused.set('POST', status);
  await resource().create(database('orders'));
  await isReported('create: ');
  expect(now()?.status?.phase).toBe(phase);
  world.provider.refused.clear();
  await world.cluster.run({ until: isReady, maxVirtualMs: 2 * halfHour });
  expect(gauges()).toEqual({ processing_error: 0, provider_reachable: 1 });
});

test('a deletion that the provider does not take is reported', async () => {
  await resource().create(database('orders'));
  await world.cluster.run({ until: isReady, maxVirtualMs: 600_000 });
  world.provider.refused.set('DELETE', 503);
  await resource().delete('orders');
  await isReported('delete: ');
  expect(shortOf(now()?.status)).toEqual(['Deleting', 'Ready=False CallFailed', 'Synced=False CallFailed']);
});

test('an account that is about to be protected is no failure', async () => {
  const metadata = { name: 'account', namespace: 'default' };
  await account().create({ apiVersion: 'v1', kind: 'Secret', metadata, data: { account: btoa('one') } });
  await resource().create(database('orders', { providerRef: { name: 'account' } }));
  await world.cluster.run({ until: isReady, maxVirtualMs: 600_000 });
  expect(failures()).toEqual([]);
});

test('a Secret that the API server refuses is reported, again and again, until it is taken', async () => {
  const writes: ReadonlySet<string> = new Set(['create', 'apply']);
  const allow = refuse(world.cluster, ({ verb, resource: { plural } }) => plural === 'secrets' && writes.has(verb));
  await resource().create(database('orders'));
  await world.cluster.advance(60_000);
  const refused = (): boolean => gauges()['processing_error'] === 1 && gauges()['provider_reachable'] === 1;
  expect(shortOf(now()?.status)).toEqual(['Provisioning', 'Ready=False Refused', 'Synced=False Refused']);
  expect([refused(), failures().length]).toEqual([true, expect.any(Number)]);
  const shown: string[] = [];
  const stop = world.cluster.server.store.subscribe(({ kind, after }) => {
    const { status } = after as { readonly status?: Parameters<typeof shortOf>[0] };
    if (kind === 'clouddatabases.db.example.com') shown.push(...shortOf(status));
  });
  for (let hours = 0; hours < 3; hours += 0.5) {
    const before = failures().length;
    await world.cluster.advance(halfHour);
    expect(failures().length).toBeGreaterThan(before);
  }
  stop();
  expect(failures().filter(({ atMostEveryMs }) => atMostEveryMs === undefined)).toMatchObject([
    { type: 'Warning', note: expect.stringContaining('orders-connection') as string },
  ]);
  // Nothing in between says that it is over.
  expect(shown.filter((said) => said.startsWith('Synced') && said !== 'Synced=False Refused')).toEqual([]);
  allow();
  await world.cluster.run({ until: isReady, maxVirtualMs: 2 * halfHour });
  expect(shortOf(now()?.status)).toEqual(['Ready', 'Ready=True Available', 'Synced=True Available']);
});

test('one that is refused later takes nothing from a database that can be used', async () => {
  await resource().create(database('orders'));
  await world.cluster.run({ until: isReady, maxVirtualMs: 600_000 });
  refuse(world.cluster, ({ verb, resource: { plural } }) => plural === 'secrets' && verb === 'create');
  await account().delete('orders-connection');
  await world.cluster.advance(60_000);
  // The password of the next one is to be set.
  expect(shortOf(now()?.status)).toEqual(['Updating', 'Ready=True Available', 'Synced=False Refused']);
});
