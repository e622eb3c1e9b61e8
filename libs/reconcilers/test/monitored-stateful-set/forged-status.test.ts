import { monitoredStatefulSets } from '@ordinal/api';
import { secrets } from '@ordinal/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { honest } from '../external/database-world.ts';
import { FakeProvider } from '../external/fake-provider.ts';
import type { SetWorld } from '../external/set-world.ts';
import { endpoints, monitoredSet, setNow, setWorld } from '../external/set-world.ts';

const [first] = endpoints;
const attacker = 'http://attacker.example';
let world: SetWorld;

const sets = () => world.cluster.client()(monitoredStatefulSets).namespace('team');
const registrations = () => setNow(world.cluster, 'db')?.status?.registrations ?? [];
const shownTo = (endpoint: string) => world.door.shown.filter((call) => call.endpoint === endpoint);
const owner = () => setNow(world.cluster, 'db')?.metadata.uid ?? '';

/** What a user does who may write statuses and nothing else. */
const forge = (status: object | null) => sets().status.patch('db', { type: 'merge', body: { status } });

const keep = (name: string, token: string) =>
  world.cluster
    .client()(secrets)
    .namespace('team')
    .create({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'team' }, data: { token: btoa(token) } });

async function until(holds: () => boolean): Promise<void> {
  expect(await world.cluster.run({ until: holds, maxVirtualMs: 1_800_000 })).toBe('reached');
}

beforeEach(async () => {
  world = await setWorld(1, honest);
  world.cluster.external(attacker, new FakeProvider(world.cluster.clock, honest).handle);
  await keep('token', 'own');
  await keep('victim', 'another secret');
  await sets().create(monitoredSet('db', { credentialsSecretRef: { name: 'token' } }));
  await until(() => registrations()[0]?.id !== undefined);
});
afterEach(() => world.cluster.stop());

const forged = () => ({
  endpoint: attacker,
  token: `${owner()}-1`,
  incarnation: 1,
  id: 't1',
  createAttemptedAt: '2026-01-01T00:00:00Z',
});

const versionOf = (name: string) => world.cluster.objects.find(secrets, 'team', name)?.metadata.resourceVersion ?? '';

const secretRef = (name: string) => ({ name, key: 'token', resourceVersion: versionOf(name) });

test('a registration that a user has written into the status sends no token anywhere', async () => {
  const entry = { ...forged(), credentialsSecretRef: secretRef('victim') };
  await forge({ registrations: [...registrations(), entry] });
  await world.cluster.advance(600_000);
  expect(shownTo(attacker)).toEqual([]);
  expect(world.cluster.objects.find(secrets, 'team', 'victim')?.metadata.finalizers ?? []).toEqual([]);
  expect(registrations().map(({ endpoint }) => endpoint)).toEqual([first]);
});

test('nor does one at a path of the monitor’s own service, which the spec’s token would be for', async () => {
  await forge({ registrations: [...registrations(), { ...forged(), endpoint: `${first}/elsewhere` }] });
  await world.cluster.advance(600_000);
  expect(shownTo(`${first}/elsewhere`)).toEqual([]);
});

test('nor in the status of a set that is being deleted, whose own entry is removed all the same', async () => {
  world.providers[0].outage = 503;
  await sets().delete('db');
  await world.cluster.advance(30_000);
  await forge({ registrations: [{ ...forged(), credentialsSecretRef: secretRef('victim') }] });
  await world.cluster.advance(30_000);
  world.providers[0].outage = undefined;
  await until(() => setNow(world.cluster, 'db') === undefined);
  expect(shownTo(attacker)).toEqual([]);
  expect(world.providers[0].present()).toEqual([]);
});

test('a registration that a user has removed from the status is found again, and removed with the set', async () => {
  world.cluster.operator('ordinal', () => Promise.resolve({ stop: () => Promise.resolve() }));
  await forge(null);
  await sets().delete('db');
  await until(() => setNow(world.cluster, 'db') === undefined);
  expect(world.providers[0].present()).toEqual([]);
});

test('a clean-up that a forged status calls done is done all the same', async () => {
  await sets().delete('db');
  await until(() => setNow(world.cluster, 'db') === undefined);
  const job = { image: 'cleanup:1' };
  await sets().create(monitoredSet('db', { cleanup: 'Job', cleanupJob: job } as never));
  await until(() => registrations()[0]?.id !== undefined);
  await forge({ cleanupTask: { purpose: 'Cleanup', subject: owner(), job: 'done', result: 'Succeeded' } });
  await sets().delete('db');
  await until(() => setNow(world.cluster, 'db') === undefined);
  expect(world.cleanup.successes).toBe(1);
});
