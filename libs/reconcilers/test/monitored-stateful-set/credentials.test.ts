import { monitoredStatefulSets } from '@ordinal/api';
import { secrets } from '@ordinal/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { honest } from '../external/database-world.ts';
import type { SetWorld } from '../external/set-world.ts';
import { endpoints, monitoredSet, setNow, setWorld } from '../external/set-world.ts';

const [first, second] = endpoints;
let world: SetWorld;

const sets = () => world.cluster.client()(monitoredStatefulSets).namespace('team');
const tokens = () => world.cluster.client()(secrets).namespace('team');
const data = (token: string) => ({ token: btoa(token) });
const shownTo = (endpoint: string) => [
  ...new Set(world.door.shown.filter((call) => call.endpoint === endpoint).map(({ token }) => token)),
];
const registrations = () => setNow(world.cluster, 'db')?.status?.registrations ?? [];

const keep = (name: string, token: string) =>
  tokens().create({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'team' }, data: data(token) });

const move = (monitorEndpoint: string, name = 'token') =>
  sets().patch('db', { type: 'merge', body: { spec: { monitorEndpoint, credentialsSecretRef: { name } } } });

async function until(holds: () => boolean): Promise<void> {
  expect(await world.cluster.run({ until: holds, maxVirtualMs: 1_800_000 })).toBe('reached');
}

async function gone(): Promise<void> {
  await sets().delete('db');
  await until(() => setNow(world.cluster, 'db') === undefined);
  expect([...world.providers[0].present(), ...world.providers[1].present()]).toEqual([]);
}

beforeEach(async () => {
  world = await setWorld(1, honest);
  world.door.accepts.set(first, 'old').set(second, 'new');
  await keep('token', 'old');
  await sets().create(monitoredSet('db', { credentialsSecretRef: { name: 'token' } }));
  await until(() => registrations()[0]?.id !== undefined);
});
afterEach(() => world.cluster.stop());

describe('an endpoint and its credentials that change together', () => {
  test('the former monitor is asked with what it was registered with, and its Secret is kept until then', async () => {
    world.providers[0].outage = 503;
    await keep('new-token', 'new');
    await move(second, 'new-token');
    await until(() => registrations().some(({ endpoint, id }) => endpoint === second && id !== undefined));
    await tokens().delete('token');
    await world.cluster.advance(60_000);
    expect(world.cluster.objects.find(secrets, 'team', 'token')?.metadata.deletionTimestamp).toBeDefined();
    world.providers[0].outage = undefined;
    await until(() => registrations().length === 1);
    expect(shownTo(first)).toEqual(['old']);
    expect(shownTo(second)).toEqual(['new']);
    await until(() => world.cluster.objects.find(secrets, 'team', 'token') === undefined);
    await gone();
  });

  test('in one and the same Secret, the new token is not shown to the former monitor; it is said what to do', async () => {
    await tokens().patch('token', { type: 'merge', body: { data: data('new') } });
    await move(second);
    await until(() => registrations().some(({ endpoint, id }) => endpoint === second && id !== undefined));
    await world.cluster.advance(60_000);
    expect(registrations()).toHaveLength(2);
    const said = setNow(world.cluster, 'db')?.status?.conditions?.find(({ type }) => type === 'Degraded');
    expect(said).toMatchObject({ status: 'True', reason: 'FormerMonitorUnreachable' });
    expect(said?.message).toContain('put the token of the former monitor back into it');
    // Do what the message says.
    await keep('new-token', 'new');
    await tokens().patch('token', { type: 'merge', body: { data: data('old') } });
    await move(second, 'new-token');
    await until(() => registrations().length === 1);
    expect(registrations()[0]?.endpoint).toBe(second);
    expect(setNow(world.cluster, 'db')?.status?.conditions?.find(({ type }) => type === 'Degraded')?.status).toBe(
      'False',
    );
    await gone();
  });

  test('a new token at another path of the same service is for both', async () => {
    const moved = `${first}/v2`;
    world.door.accepts.set(first, 'new').set(moved, 'new');
    await tokens().patch('token', { type: 'merge', body: { data: data('new') } });
    await move(moved);
    await world.cluster.advance(60_000);
    expect(shownTo(first)).toEqual(['old', 'new']);
  });
});

test('a token is never in the status, and the status knows where it stands', () => {
  const [registration] = registrations();
  expect(registration?.credentialsSecretRef).toMatchObject({ name: 'token', key: 'token' });
  expect(JSON.stringify(setNow(world.cluster, 'db'))).not.toMatch(/"old"|b2xk/);
});

test('a token that is replaced for the same monitor is used from then on', async () => {
  world.door.accepts.set(first, 'rotated');
  await tokens().patch('token', { type: 'merge', body: { data: data('rotated') } });
  await world.cluster.advance(60_000);
  expect(shownTo(first)).toEqual(['old', 'rotated']);
  const version = world.cluster.objects.find(secrets, 'team', 'token')?.metadata.resourceVersion;
  expect(registrations()[0]?.credentialsSecretRef?.resourceVersion).toBe(version);
  await gone();
});
