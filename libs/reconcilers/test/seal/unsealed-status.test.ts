import { createSecretKey } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CloudDatabase } from '@ordinal/api';
import { cloudDatabases } from '@ordinal/api';
import type { EventRecord } from '@ordinal/runtime';
import { SimulatedCluster } from '@ordinal/simulator';
import { databaseMemory } from '../../src/cloud-database/memory.ts';
import { databaseFinalizer } from '../../src/cloud-database/index.ts';
import type { SealKey, Seals } from '@ordinal/lifecycle';
import { isSealed, SealedStatuses } from '@ordinal/lifecycle';
import { database, databaseNow } from '../external/database-world.ts';
import { definition } from '../external/definition.ts';

const [old, fresh] = [createSecretKey(Buffer.alloc(32, 'old')), createSecretKey(Buffer.alloc(32, 'fresh'))];
const external = { id: 'db-1', account: 'test', incarnation: 1, token: 'made-before' };
let cluster: SimulatedCluster;
let events: EventRecord[];

const statusesOf = (seals: Seals) => new SealedStatuses(databaseMemory, seals);
const resource = () => cluster.client()(cloudDatabases).namespace('default');
const now = (): CloudDatabase => databaseNow(cluster, 'orders') ?? expect.fail('it is gone');

async function putRight(statuses: SealedStatuses<CloudDatabase>): Promise<CloudDatabase> {
  const silent = (): void => undefined;
  const log = { debug: silent, info: silent, warn: silent, error: silent, child: () => log };
  const publish = (event: EventRecord) => void events.push(event);
  const context = { client: cluster.client(), clock: cluster.clock, log, events: { publish } };
  await statuses.putRight(now(), { ...context, signal: new AbortController().signal } as never); // What it uses.
  return now();
}

beforeEach(async () => {
  events = [];
  cluster = await SimulatedCluster.start({
    crds: [definition('clouddatabases.db.example.com.yaml')],
    seed: 1,
    nodes: 0,
  });
  const { metadata, ...rest } = database('orders');
  await resource().create({ ...rest, metadata: { ...metadata, finalizers: [databaseFinalizer] } });
  await resource().status.patch('orders', { type: 'merge', body: { status: { external } } });
});
afterEach(() => cluster.stop());

/** Seals the status as it stands, as the operator does when it writes it. */
async function seal(key: SealKey): Promise<void> {
  const empty = { ...now(), status: undefined, metadata: { ...now().metadata, finalizers: [] } };
  const status = statusesOf({ keys: () => [key] }).sealed({
    ...{ descriptor: cloudDatabases, object: empty, status: now().status ?? {} },
  });
  await resource().status.patch('orders', { type: 'merge', body: { status } });
}

test('an unsealed status is not believed, whatever its object’s age', async () => {
  const statuses = statusesOf({ keys: () => [old] });
  expect(statuses.trusts(now())).toBe(false);
  const after = await putRight(statuses);
  expect(after.status?.external?.id).toBeUndefined();
  expect(events.map(({ reason }) => reason)).toEqual(['StatusNotVerified']);
  expect(statuses.trusts(after)).toBe(true);
});

test('after the key is lost, a status without its seal is not believed', async () => {
  await seal(old);
  expect(statusesOf({ keys: () => [old] }).trusts(now())).toBe(true);
  const sealedBy = (key: SealKey): boolean =>
    isSealed(now(), { seals: { keys: () => [key] }, descriptor: cloudDatabases });
  expect([old, fresh].map(sealedBy)).toEqual([true, false]);
  const statuses = statusesOf({ keys: () => [fresh] });
  await resource().status.patch('orders', { type: 'merge', body: { status: { seal: null, external: { id: 'x' } } } });
  expect((await putRight(statuses)).status?.external?.id).toBeUndefined();
});

test('with a key in front of another, what either has sealed is believed; the first seals from then on', async () => {
  await seal(old);
  const both = statusesOf({ keys: () => [fresh, old] });
  expect(both.trusts(now())).toBe(true);
  const status = both.sealed({ descriptor: cloudDatabases, object: now(), status: now().status ?? {} });
  const rotated = { ...now(), status } as CloudDatabase; // Of this kind.
  expect([old, fresh].map((key) => statusesOf({ keys: () => [key] }).trusts(rotated))).toEqual([false, true]);
});

test('a key that is not known yet is looked for before a status is given up', async () => {
  await seal(fresh);
  const before = now();
  let keys = [old];
  const statuses = statusesOf({ keys: () => keys, renew: () => Promise.resolve(void (keys = [fresh, old])) });
  expect(await putRight(statuses)).toEqual(before);
  expect(events).toEqual([]);
});
