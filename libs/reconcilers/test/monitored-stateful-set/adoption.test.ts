import type { MonitoredStatefulSetInput } from '@ordinal/api';
import { monitoredStatefulSets } from '@ordinal/api';
import type { StatefulSetInput } from '@ordinal/client';
import { conditionOf, controllerOf, persistentVolumeClaims, pods, statefulSets } from '@ordinal/client';
import { afterEach, describe, expect, test } from 'vitest';
import { isReady } from '../clustered-cache/cache-world.ts';
import { honest } from '../external/database-world.ts';
import type { SetWorld } from '../external/set-world.ts';
import { monitoredSet, setNow, setWorld } from '../external/set-world.ts';

type Workload = MonitoredStatefulSetInput['spec']['statefulSetSpec'];

const selector = { 'app.kubernetes.io/name': 'db', 'app.kubernetes.io/instance': 'shop' };

/** What a chart has made: a sidecar, an init container, claims and labels of its own, and a mark of `kubectl rollout restart`. */
const workload = {
  replicas: 3,
  serviceName: 'shop-db-headless',
  podManagementPolicy: 'Parallel',
  selector: { matchLabels: selector },
  template: {
    metadata: {
      labels: { ...selector, 'helm.sh/chart': 'db-1.0' },
      annotations: { 'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:00:00Z' },
    },
    spec: {
      initContainers: [{ name: 'permissions', image: 'cleanup:1' }],
      containers: [
        { name: 'db', image: 'app:1', ports: [{ containerPort: 80 }], env: [{ name: 'MODE', value: 'replica' }] },
        { name: 'metrics', image: 'app:1' },
      ],
    },
  },
  volumeClaimTemplates: [
    {
      metadata: { name: 'pgdata' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
  ],
} satisfies Workload;

const charted: StatefulSetInput = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: {
    name: 'db',
    labels: { ...selector, 'app.kubernetes.io/managed-by': 'Helm' },
    annotations: { 'meta.helm.sh/release-name': 'shop' },
  },
  spec: workload,
};

const gates = [{ name: 'in-step', target: 'All', http: { path: '/', port: 80 } }] as const;

const taking = (spec: Partial<MonitoredStatefulSetInput['spec']> = {}): MonitoredStatefulSetInput =>
  monitoredSet('db', {
    statefulSetSpec: workload,
    adopt: { statefulSet: 'db' },
    upgrade: { gates: [...gates] },
    ...spec,
  });

const worlds: SetWorld[] = [];
afterEach(() => worlds.splice(0).forEach(({ cluster }) => cluster.stop()));

const members = ({ cluster }: SetWorld) =>
  cluster.objects
    .list(pods, 'team')
    .filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/instance'] === 'shop')
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));

const uids = (world: SetWorld) => ({
  pods: members(world).map(({ metadata }) => metadata.uid),
  claims: world.cluster.objects.list(persistentVolumeClaims, 'team').map(({ metadata }) => metadata.uid),
  sets: world.cluster.objects.list(statefulSets, 'team').map(({ metadata }) => metadata.uid),
});

const sets = ({ cluster }: SetWorld) => cluster.client()(monitoredStatefulSets).namespace('team');
const existing = ({ cluster }: SetWorld) => cluster.objects.find(statefulSets, 'team', 'db');
const condition = (world: SetWorld, type: string) => conditionOf(setNow(world.cluster, 'db')?.status?.conditions, type);

async function until({ cluster }: SetWorld, isTrue: () => boolean): Promise<void> {
  expect(await cluster.run({ until: isTrue, maxVirtualMs: 3_600_000 }), String(isTrue)).toBe('reached');
}

async function running(set: StatefulSetInput = charted): Promise<SetWorld> {
  const world = await setWorld(1, honest, { isGated: true });
  worlds.push(world);
  await world.cluster.client()(statefulSets).namespace('team').create(set);
  await until(world, () => members(world).filter(isReady).length === 3);
  await world.cluster.advance(30_000);
  return world;
}

async function consent(world: SetWorld): Promise<void> {
  const annotations = { 'ordinal.dev/adopt': existing(world)?.metadata.uid ?? '' };
  await sets(world).patch('db', { type: 'merge', body: { metadata: { annotations } } });
}

async function takenOver(spec: Partial<MonitoredStatefulSetInput['spec']> = {}): Promise<SetWorld> {
  const world = await running();
  await sets(world).create(taking(spec));
  await consent(world);
  await until(world, () => condition(world, 'Ready')?.status === 'True');
  return world;
}

const evicted = async (world: SetWorld, pod: string): Promise<string> => {
  const asked = world.cluster
    .client()
    .pods.evict({ namespace: 'team', pod })
    .then(() => 'gone', String);
  await world.cluster.advance(60_000);
  return asked;
};

describe('a StatefulSet that another client has made', () => {
  test('is left alone until a user consents, and is taken over then without a restart', async () => {
    const world = await running();
    const before = uids(world);
    await sets(world).create(taking());
    await world.cluster.advance(60_000);
    expect(existing(world)?.metadata.generation).toBe(1);
    expect(existing(world)?.metadata.ownerReferences).toBeUndefined();
    expect(condition(world, 'Adopted')).toMatchObject({ status: 'False', reason: 'AwaitingConsent' });
    expect(condition(world, 'Adopted')?.message).toContain('Helm release shop');
    expect(condition(world, 'Ready')).toMatchObject({ status: 'False', reason: 'AwaitingConsent' });
    expect(setNow(world.cluster, 'db')?.status?.registrations).toBeUndefined();
    await consent(world);
    await until(world, () => condition(world, 'Ready')?.status === 'True');
    await world.cluster.advance(7_200_000);
    expect(uids(world)).toEqual(before);
    expect(condition(world, 'Adopted')).toMatchObject({ status: 'True', reason: 'TakenOver' });
    expect(world.events.filter(({ reason }) => reason === 'TakenOver')).toHaveLength(1);
    expect(controllerOf(existing(world) ?? charted)?.kind).toBe('MonitoredStatefulSet');
    expect(existing(world)?.spec.updateStrategy).toMatchObject({ type: 'OnDelete' });
    expect(setNow(world.cluster, 'db')?.status).toMatchObject({ currentVersion: 'app:1, app:1', readyReplicas: 3 });
  });

  test('is upgraded through its gates then, one member at a time, and keeps what its chart has put beside', async () => {
    const world = await takenOver();
    const { claims } = uids(world);
    const [db, metrics] = workload.template.spec.containers;
    const containers = [
      { ...db, name: 'db', image: 'app:2' },
      { ...metrics, name: 'metrics' },
    ];
    const template = { ...workload.template, spec: { ...workload.template.spec, containers } };
    world.gate.isOpen = false;
    await sets(world).patch('db', { type: 'merge', body: { spec: { statefulSetSpec: { template } } } });
    await world.cluster.advance(60_000);
    expect(setNow(world.cluster, 'db')?.status?.upgrade).toMatchObject({ step: 'AwaitingGate', pod: 'db-2' });
    world.gate.isOpen = true;
    let fewest = 3;
    await until(world, () => {
      fewest = Math.min(fewest, members(world).filter(isReady).length);
      return setNow(world.cluster, 'db')?.status?.currentVersion === 'app:2, app:1';
    });
    expect(fewest).toBe(2);
    expect(uids(world).claims).toEqual(claims);
    const [pod] = members(world);
    expect(pod?.spec.initContainers).toHaveLength(1);
    expect(pod?.metadata.labels).toHaveProperty('helm.sh/chart');
  });

  test('loses what its spec leaves out later, whoever has set it', async () => {
    const world = await takenOver();
    const { annotations: _, ...metadata } = workload.template.metadata;
    const operations = [{ op: 'replace', path: '/spec/statefulSetSpec/template/metadata', value: metadata }] as const;
    await sets(world).patch('db', { type: 'json', operations });
    await until(world, () =>
      members(world).every(
        (pod) => isReady(pod) && pod.metadata.annotations?.['kubectl.kubernetes.io/restartedAt'] === undefined,
      ),
    );
  });

  test('is drained as before until a user consents, and through its gates afterwards', async () => {
    const world = await running();
    await sets(world).create(taking());
    world.gate.isOpen = false;
    await until(world, () => condition(world, 'Adopted')?.reason === 'AwaitingConsent');
    expect(await evicted(world, 'db-2')).toBe('gone');
    await consent(world);
    await until(world, () => condition(world, 'Ready')?.status === 'True');
    expect(await evicted(world, 'db-2')).toContain('in-step');
  });

  const { template } = workload;
  test.each<[string, Partial<Workload>, string]>([
    ['another size', { replicas: 2 }, 'replicas'],
    ['another Service', { serviceName: 'other' }, 'serviceName'],
    [
      'another image',
      { template: { ...template, spec: { containers: [{ name: 'db', image: 'app:2' }] } } },
      'template.spec',
    ],
    [
      'pods without what they have',
      { template: { ...template, metadata: { labels: template.metadata.labels } } },
      'template.metadata.annotations',
    ],
    [
      'another order of containers',
      { template: { ...template, spec: { ...template.spec, containers: template.spec.containers.toReversed() } } },
      'another order',
    ],
  ])('is not taken over where the spec says %s', async (_what, change, named) => {
    const world = await running();
    await sets(world).create(taking({ statefulSetSpec: { ...workload, ...change } }));
    await consent(world);
    await world.cluster.advance(60_000);
    expect(condition(world, 'Adopted')).toMatchObject({ status: 'False', reason: 'Mismatch' });
    expect(condition(world, 'Adopted')?.message).toContain(named);
    expect(existing(world)?.metadata).toMatchObject({ generation: 1 });
    expect(existing(world)?.metadata.ownerReferences).toBeUndefined();
  });

  test('is not taken over while its pods are of another template: what the spec says next would replace them', async () => {
    const world = await running({ ...charted, spec: { ...workload, updateStrategy: { type: 'OnDelete' } } });
    const before = uids(world);
    const [db, metrics] = workload.template.spec.containers;
    const containers = [
      { ...db, name: 'db', image: 'app:2' },
      { ...metrics, name: 'metrics' },
    ];
    const template = { ...workload.template, spec: { ...workload.template.spec, containers } };
    const client = world.cluster.client()(statefulSets).namespace('team');
    await client.patch('db', { type: 'merge', body: { spec: { template: { spec: { containers } } } } });
    await world.cluster.advance(10_000);
    const { upgrade: _, ...spec } = taking({ statefulSetSpec: { ...workload, template } }).spec;
    await sets(world).create({ ...taking(), spec });
    await consent(world);
    await world.cluster.advance(600_000);
    expect(condition(world, 'Adopted')).toMatchObject({ status: 'False', reason: 'RollingOut' });
    expect(uids(world)).toEqual(before);
  });

  test('is not made where it is not there', async () => {
    const world = await setWorld(1, honest);
    worlds.push(world);
    await sets(world).create(taking());
    await world.cluster.advance(60_000);
    expect(condition(world, 'Adopted')).toMatchObject({ status: 'False', reason: 'NotFound' });
    expect(existing(world)).toBeUndefined();
  });

  test('is made again where it is lost after it was taken over', async () => {
    const world = await takenOver();
    const before = uids(world);
    await world.cluster.client()(statefulSets).namespace('team').delete('db', { propagationPolicy: 'Orphan' });
    await until(world, () => existing(world) !== undefined && condition(world, 'Ready')?.status === 'True');
    await world.cluster.advance(60_000);
    expect({ ...uids(world), sets: [] }).toEqual({ ...before, sets: [] });
  });

  test('is replaced by Kubernetes as its spec says where no upgrade is asked for', async () => {
    const world = await running();
    const { upgrade: _, ...spec } = taking().spec;
    await sets(world).create({ ...taking(), spec });
    await consent(world);
    await until(world, () => condition(world, 'Ready')?.status === 'True');
    const before = uids(world);
    await world.cluster.advance(600_000);
    expect(uids(world)).toEqual(before);
    expect(existing(world)?.spec.updateStrategy).toMatchObject({ type: 'RollingUpdate' });
  });

  test('is given back as it runs', async () => {
    const world = await takenOver();
    const before = uids(world);
    await sets(world).delete('db', { propagationPolicy: 'Orphan' });
    await until(world, () => setNow(world.cluster, 'db') === undefined);
    await world.cluster.advance(60_000);
    expect(uids(world)).toEqual(before);
    expect(existing(world)?.metadata.ownerReferences ?? []).toEqual([]);
  });
});
