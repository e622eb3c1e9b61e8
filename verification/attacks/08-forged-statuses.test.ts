import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubernetesObject } from '@ordinal/client';
import { startMonitor, type Listener } from './world/listener.ts';
import { startWorld, type World } from './world/world.ts';

// Who may write statuses and nothing else has the operator send a token to an endpoint of theirs, or delete volumes of which no backup was made.

let world: World;
let monitor: Listener;
let attacker: Listener;
const namespace = 'forged';
const sets = `/apis/statefulsets.example.com/v1alpha1/namespaces/${namespace}/monitoredstatefulsets`;
const stores = `/apis/kvstore.example.com/v1/namespaces/${namespace}/kvstoreclusters`;
const merge = { 'content-type': 'application/merge-patch+json' };

interface Stored extends KubernetesObject {
  readonly status?: {
    readonly registrations?: readonly { readonly endpoint: string; readonly id?: string }[];
    readonly hooks?: readonly { readonly purpose: string; readonly job: string; readonly result?: string }[];
    readonly seal?: string;
  };
}

beforeAll(async () => {
  [monitor, attacker] = await Promise.all([startMonitor(), startMonitor()]);
  world = await startWorld({ flags: ['--allowed-networks=127.0.0.0/8'] });
  const resources = ['monitoredstatefulsets/status', 'kvstoreclusters/status'];
  const apiGroups = ['statefulsets.example.com', 'kvstore.example.com'];
  await world.allow('mallory', namespace, [{ apiGroups, resources, verbs: ['patch'] }]);
  await untilOwnersAreKnown('statefulsets.example.com/v1alpha1', 'MonitoredStatefulSet');
  await untilOwnersAreKnown('kvstore.example.com/v1', 'KVStoreCluster');
});

/** The API server's plugin that guards owners looks only twice a minute for kinds that have come, and refuses what they own until then. */
async function untilOwnersAreKnown(apiVersion: string, kind: string): Promise<void> {
  const owner = { apiVersion, kind, name: 'anyone', uid: 'a-uid', controller: true, blockOwnerDeletion: true };
  const metadata = { name: 'tried', namespace, ownerReferences: [owner] };
  const body = { apiVersion: 'v1', kind: 'Secret', metadata };
  const path = `/api/v1/namespaces/${namespace}/secrets?dryRun=All`;
  await until(async () => {
    const problem = await world.asOperator.request('POST', path, { body }).then(() => '', String);
    return !problem.includes('cannot find RESTMapping');
  });
}

afterAll(async () => {
  for (const path of [`${sets}/web`, `${stores}/orders`])
    await world.admin
      .request('PATCH', path, { body: { metadata: { finalizers: null } }, headers: merge })
      .then(() => world.admin.request('DELETE', path))
      .catch(() => undefined);
  await world.stop();
  await Promise.all([monitor.stop(), attacker.stop()]);
});

const get = async (path: string): Promise<Stored> => (await world.admin.request('GET', path)) as Stored;

async function itemsAt<Item extends KubernetesObject>(path: string): Promise<readonly Item[]> {
  return ((await world.admin.request('GET', path)) as { readonly items: readonly Item[] }).items; // Of a list.
}

/** Asks until it is so, for 90 s at most. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 90_000;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`it does not come to it: ${world.operator.log}`);
    await pause(200);
  }
}

const forge = (path: string, status: object) =>
  world.as('mallory').request('PATCH', `${path}/status`, { body: { status }, headers: merge });

/** Whether an event says of this object that its status is not believed. */
async function isReported(kind: string): Promise<boolean> {
  type Event = KubernetesObject & { readonly reason: string; readonly regarding: { readonly kind: string } };
  const events = await itemsAt<Event>(`/apis/events.k8s.io/v1/namespaces/${namespace}/events`);
  return events.some(({ reason, regarding }) => reason === 'StatusNotVerified' && regarding.kind === kind);
}

test('the key is there, made by the operator under its own roles, and no other account reads it', async () => {
  const path = '/api/v1/namespaces/ordinal-system/secrets/ordinal-operator-seal';
  const { data } = (await world.admin.request('GET', path)) as KubernetesObject & { readonly data: { keys: string } };
  const key = Buffer.from(Buffer.from(data.keys, 'base64').toString('utf8'), 'base64');
  expect(key).toHaveLength(32);
  await expect(world.as('mallory').request('GET', path)).rejects.toThrow('forbidden');
});

test('a registration in a status sends no token to an endpoint that never stood in the spec', async () => {
  const keep = (name: string, token: string) =>
    world.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace },
      data: { token: Buffer.from(token).toString('base64') },
    });
  await keep('own', 'token-of-the-set');
  const victim = await keep('victim', 'token-of-another');
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };
  await world.apply({
    apiVersion: 'statefulsets.example.com/v1alpha1',
    kind: 'MonitoredStatefulSet',
    metadata: { name: 'web', namespace },
    spec: {
      monitorEndpoint: monitor.url,
      credentialsSecretRef: { name: 'own' },
      statefulSetSpec: { replicas: 1, serviceName: 'web', selector: { matchLabels: { app: 'web' } }, template },
    },
  });
  const path = `${sets}/web`;
  const registrations = async () => (await get(path)).status?.registrations ?? [];
  await until(async () => (await registrations())[0]?.id !== undefined);
  expect(monitor.heard.at(-1)?.authorization).toBe('Bearer token-of-the-set');

  const { uid } = (await get(path)).metadata;
  const resourceVersion = victim.metadata.resourceVersion;
  const former = { endpoint: attacker.url, incarnation: 1, id: 'm1', createAttemptedAt: '2026-01-01T00:00:00Z' };
  const credentialsSecretRef = { name: 'victim', key: 'token', resourceVersion };
  const forged = { ...former, token: `${uid}-1`, credentialsSecretRef };
  await forge(path, { registrations: [...(await registrations()), forged] });

  await until(async () => {
    const now = await registrations();
    return now.length === 1 && now[0]?.endpoint === monitor.url && now[0].id !== undefined;
  });
  await until(() => isReported('MonitoredStatefulSet'));
  // Also not when the set goes, and leaves every monitor that it knows.
  await forge(path, { registrations: [forged] });
  await world.admin.request('DELETE', path);
  for (let times = 0; times < 25; times += 1) {
    await forge(path, { registrations: [forged] }).catch(() => undefined);
    await pause(200);
  }
  expect(attacker.heard).toEqual([]);
  expect(monitor.heard.map(({ authorization }) => authorization)).not.toContain('Bearer token-of-another');
  expect(await world.operator.metrics()).toMatch(
    /ordinal_status_not_verified_total\{kind="MonitoredStatefulSet"\} [1-9]/,
  );
});

test('a final backup that a status tells of lets no volume go', async () => {
  await world.apply({
    apiVersion: 'kvstore.example.com/v1',
    kind: 'KVStoreCluster',
    metadata: { name: 'orders', namespace },
    spec: {
      version: '1',
      replicas: 1,
      storage: { className: 'standard', size: '1Gi' },
      backup: { job: { image: 'never-there:1', command: ['backup'] }, onDelete: 'Required' },
    },
  });
  type Claim = KubernetesObject & { readonly spec: object };
  const claims = () => itemsAt<Claim>(`/api/v1/namespaces/${namespace}/persistentvolumeclaims`);
  await until(async () => (await claims()).length === 1);
  const path = `${stores}/orders`;
  await until(async () => (await get(path)).status?.seal !== undefined);
  const { uid } = (await get(path)).metadata;
  const forgedRecord = { purpose: 'FinalBackup', subject: uid, job: 'orders-final-backup', result: 'Succeeded' };
  const done = { hooks: [{ ...forgedRecord, finishedAt: '2026-01-01T00:00:00Z' }] };
  await forge(path, done);
  await until(() => isReported('KVStoreCluster'));
  await forge(path, done);
  await world.admin.request('DELETE', path);
  for (let times = 0; times < 40; times += 1) {
    await forge(path, done);
    await pause(250);
  }
  expect((await claims()).map(({ metadata }) => metadata.deletionTimestamp)).toEqual([undefined]);
  // With nothing in its way it makes the backup. No node of a real control plane runs it; the simulated one does, and then the volumes go.
  await until(() => Promise.resolve(world.operator.log.includes('create Job forged/orders-')));
  const [before = ''] = world.operator.log.split('create Job forged/orders-');
  expect(before).not.toContain('delete PersistentVolumeClaim');
});
