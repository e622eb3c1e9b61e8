import { jobs, pods, statefulSets } from '@ordinal/client';
import type { MonitoredStatefulSetInput } from '@ordinal/api';
import { monitoredStatefulSets } from '@ordinal/api';
import { conditionOf } from '@ordinal/client';
import { afterEach, describe, expect, test } from 'vitest';
import { honest } from '../external/database-world.ts';
import { asked } from '../clustered-cache/drain-world.ts';
import { isReady } from '../clustered-cache/cache-world.ts';
import type { SetWorld } from '../external/set-world.ts';
import { monitoredSet, setNow, setWorld } from '../external/set-world.ts';

type Spec = MonitoredStatefulSetInput['spec'];
type Upgrade = NonNullable<Spec['upgrade']>;

const gated: Upgrade = { gates: [{ name: 'in-step', target: 'All', http: { path: '/', port: 80 } }] };

const worlds: SetWorld[] = [];
afterEach(() => worlds.splice(0).forEach(({ cluster }) => cluster.stop()));

const sets = ({ cluster }: SetWorld) => cluster.client()(monitoredStatefulSets).namespace('team');

const members = ({ cluster }: SetWorld) =>
  cluster.objects
    .list(pods, 'team')
    .filter(({ metadata }) => metadata.labels?.['app'] === 'db')
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));

const areReady = (world: SetWorld, count = 3): boolean =>
  members(world).filter(isReady).length === count && members(world).length === count;

const change = (world: SetWorld, spec: object) => sets(world).patch('db', { type: 'merge', body: { spec } });

const template = (image: string, app = 'db') => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'app', image }] },
});

/** A set of three members that all serve. */
async function settled(upgrade: Upgrade | 'none' = gated, workload: object = {}, nodes = 1): Promise<SetWorld> {
  const world = await setWorld(1, honest, { isGated: true, nodes });
  worlds.push(world);
  const { spec, ...rest } = monitoredSet('db');
  const statefulSetSpec = { ...spec.statefulSetSpec, replicas: 3, ...workload };
  await sets(world).create({ ...rest, spec: { ...spec, statefulSetSpec, ...(upgrade === 'none' ? {} : { upgrade }) } });
  await reaches(world, () => setNow(world.cluster, 'db')?.status?.readyReplicas === 3);
  await world.cluster.advance(60_000);
  return world;
}

const reaches = async ({ cluster }: SetWorld, until: () => boolean): Promise<boolean> =>
  (await cluster.run({ until, maxVirtualMs: 900_000 })) === 'reached';

type Answer = number | 'done';

async function answerTo(request: Promise<unknown>): Promise<Answer> {
  try {
    await request;
    return 'done';
  } catch (refusal) {
    return (refusal as { status: { code: number } }).status.code;
  }
}

/** What `kubectl delete pod` gets: `done`, or the refusal's code. */
const remove = ({ cluster }: SetWorld, name: string): Promise<Answer> =>
  answerTo(cluster.client()(pods).namespace('team').delete(name));

/** What `kubectl drain` gets for one pod. */
const evict = ({ cluster }: SetWorld, pod: string): Promise<Answer> =>
  answerTo(cluster.client().pods.evict({ namespace: 'team', pod }));

const bypassOf = (world: SetWorld) => conditionOf(setNow(world.cluster, 'db')?.status?.conditions, 'GateBypassed');

const bypassEvents = ({ events }: SetWorld) =>
  events.flatMap(({ reason, note }) => (reason === 'GateBypassed' ? [note] : []));

/** The most members that were ever down at a time. */
function maxDown(world: SetWorld): () => number {
  let max = 0;
  world.cluster.server.store.subscribe(({ kind }) => {
    if (kind === 'pods') max = Math.max(max, 3 - members(world).filter(isReady).length);
  });
  return () => max;
}

describe.each([
  ['deletions by hand', remove],
  ['evictions', evict],
])('%s of the members of a set', (_what, take) => {
  test('are refused with 429 while the gate is closed, and go through when it opens', async () => {
    const world = await settled();
    world.gate.isOpen = false;
    expect(await world.cluster.play(() => take(world, 'db-2'))).toBe(429);
    expect(areReady(world)).toBe(true);
    world.gate.isOpen = true;
    expect(await world.cluster.play(() => take(world, 'db-2'))).toBe('done');
    expect(await reaches(world, () => areReady(world))).toBe(true);
  });

  test('at the same moment let one member go', async () => {
    const world = await settled();
    const max = maxDown(world);
    const results = await world.cluster.play(() => Promise.all([take(world, 'db-1'), take(world, 'db-2')]));
    expect(results.sort()).toEqual([429, 'done']);
    expect(await reaches(world, () => areReady(world))).toBe(true);
    expect(max()).toBe(1);
  });

  test('are refused for members that wait for their closed gates to leave for good', async () => {
    const world = await settled();
    world.gate.isOpen = false;
    await change(world, { statefulSetSpec: { replicas: 1 } });
    await world.cluster.advance(60_000);
    const answers = await world.cluster.play(() => Promise.all(['db-1', 'db-2'].map((name) => take(world, name))));
    expect(answers).toEqual([429, 429]);
    expect(areReady(world)).toBe(true);
  });

  test('go through without spec.upgrade, of a StatefulSet that is not the set’s, and where no replica answers', async () => {
    const plain = await settled('none');
    plain.gate.isOpen = false;
    expect(await plain.cluster.play(() => take(plain, 'db-2'))).toBe('done');
    const world = await settled();
    world.gate.isOpen = false;
    const client = world.cluster.client();
    await client(statefulSets)
      .namespace('team')
      .create({
        ...{ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'other', namespace: 'team' } },
        spec: {
          ...{ replicas: 1, serviceName: 'other', selector: { matchLabels: { app: 'other' } } },
          template: template('app:1', 'other'),
        },
      });
    await world.cluster.advance(60_000);
    expect(await world.cluster.play(() => take(world, 'other-0'))).toBe('done');
    world.cluster.external(asked, undefined);
    expect(await world.cluster.play(() => take(world, 'db-2'))).toBe('done');
  });

  test('ask a gate that is a Job by making it, once', async () => {
    const job = { template: { template: { spec: { containers: [{ name: 'check', image: 'cleanup:1' }] } } } };
    const world = await settled({ gates: [{ name: 'audit', job }] });
    expect(await world.cluster.play(() => take(world, 'db-2'))).toBe(429);
    expect(await world.cluster.play(() => take(world, 'db-2'))).toBe(429);
    expect(world.cluster.objects.list(jobs, 'team')).toHaveLength(1);
    await world.cluster.advance(30_000);
    expect(await world.cluster.play(() => take(world, 'db-2'))).toBe('done');
  });
});

test('drains and an upgrade of a set keep out of each other’s way', async () => {
  const world = await settled();
  const max = maxDown(world);
  await change(world, { statefulSetSpec: { template: template('app:2') } });
  const isDone = (): boolean => setNow(world.cluster, 'db')?.status?.currentVersion === 'app:2' && areReady(world);
  for (let round = 0; round < 200 && !isDone(); round += 1) {
    await world.cluster.play(() => (round % 2 === 0 ? evict : remove)(world, `db-${round % 3}`));
    await world.cluster.advance(1500);
  }
  expect(await reaches(world, isDone)).toBe(true);
  expect(max()).toBe(1);
  expect(bypassOf(world)).toBeUndefined();
});

test('a StatefulSet that another client makes smaller loses no member past its closed gates, and gets its size back', async () => {
  const world = await settled();
  world.gate.isOpen = false;
  await world.cluster.client()(statefulSets).namespace('team').scale.update('db', 1);
  await world.cluster.advance(120_000);
  expect(areReady(world)).toBe(true);
  expect(world.cluster.objects.find(statefulSets, 'team', 'db')?.spec.replicas).toBe(3);
});

test('a StatefulSet of the set’s name that is another owner’s has no gates', async () => {
  const world = await setWorld(1, honest, { isGated: true });
  worlds.push(world);
  const { spec, ...rest } = monitoredSet('db', { upgrade: gated });
  const theirs = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'db', namespace: 'team' } };
  await world.cluster
    .client()(statefulSets)
    .namespace('team')
    .create({ ...theirs, spec: spec.statefulSetSpec } as never); // The set's own template.
  await sets(world).create({ ...rest, spec });
  await world.cluster.advance(60_000);
  world.gate.isOpen = false;
  expect(await world.cluster.play(() => evict(world, 'db-1'))).toBe('done');
});

test('a set that is being deleted is held up by no gate', async () => {
  const world = await settled();
  world.gate.isOpen = false;
  await sets(world).delete('db');
  expect(await reaches(world, () => members(world).length === 0)).toBe(true);
});

describe('what goes past the gates of a set where no replica answers', () => {
  test.each([
    ['a deletion by hand', remove],
    ['an eviction', evict],
  ])('by %s is reported once, until the next upgrade begins', async (_what, take) => {
    const world = await settled();
    world.gate.isOpen = false;
    world.cluster.external(asked, undefined);
    expect(await world.cluster.play(() => take(world, 'db-1'))).toBe('done');
    expect(await reaches(world, () => bypassOf(world)?.status === 'True')).toBe(true);
    await world.cluster.advance(120_000);
    expect(areReady(world)).toBe(true);
    expect(bypassOf(world)?.message).toBe('db-1 was deleted past its gates');
    expect(bypassEvents(world)).toEqual(['db-1 was deleted past its gates']);
    expect(setNow(world.cluster, 'db')?.status?.ending).toBeUndefined();
    world.gate.isOpen = true;
    await change(world, { statefulSetSpec: { template: template('app:2') } });
    expect(await reaches(world, () => bypassOf(world)?.status === 'False')).toBe(true);
    await world.cluster.advance(120_000);
    expect(bypassOf(world)).toMatchObject({ status: 'False', reason: 'NewUpgrade' });
  });

  test.each([
    ['is paused', { metadata: { annotations: { 'ordinal.dev/paused': 'true' } } }],
    ['is not valid', { spec: { upgrade: { beforeFirstPod: { command: ['a'], deadline: '0s' } } } }],
    ['has lost its finalizer', { metadata: { finalizers: null } }],
  ])('is reported once of a set that %s', async (_what, body) => {
    const world = await settled();
    world.gate.isOpen = false;
    world.cluster.external(asked, undefined);
    await sets(world).patch('db', { type: 'merge', body });
    expect(await world.cluster.play(() => remove(world, 'db-1'))).toBe('done');
    await world.cluster.advance(120_000);
    expect(areReady(world)).toBe(true);
    expect(bypassEvents(world)).toEqual(['db-1 was deleted past its gates']);
    expect(bypassOf(world)?.status).toBe('True');
  });

  test('by a smaller size of the StatefulSet while a reduction waits is reported', async () => {
    const world = await settled();
    world.gate.isOpen = false;
    await change(world, { statefulSetSpec: { replicas: 1 } });
    await world.cluster.advance(60_000);
    world.cluster.external(asked, undefined);
    await world.cluster.client()(statefulSets).namespace('team').scale.update('db', 1);
    await world.cluster.advance(120_000);
    expect(bypassOf(world)?.status).toBe('True');
    expect(bypassEvents(world)[0]).toContain('db-2 was taken away by another client');
    // It was to leave, and is not made again; the other one still waits for its gates.
    expect(areReady(world, 2)).toBe(true);
  });

  test('is none: what a user has opened, what does not serve, what goes with its set', async () => {
    const world = await settled();
    world.gate.isOpen = false;
    world.cluster.external(asked, undefined);
    const uid = members(world)[2]?.metadata.uid;
    const annotations = { 'ordinal.dev/open-gates': uid };
    await sets(world).patch('db', { type: 'merge', body: { metadata: { annotations } } });
    await world.cluster.advance(5_000);
    expect(await world.cluster.play(() => remove(world, 'db-2'))).toBe('done');
    await world.cluster.advance(120_000);
    await world.cluster.client()(statefulSets).namespace('team').delete('db');
    await world.cluster.advance(120_000);
    expect(areReady(world)).toBe(true);
    expect(bypassEvents(world)).toEqual([]);
  });
});

test('a member that is lost with its node is no bypass, and no other one goes meanwhile', async () => {
  const world = await settled(gated, {}, 3);
  const [lost] = members(world);
  world.cluster.node(lost?.spec.nodeName ?? '').fail('power');
  await reaches(world, () => members(world).filter(isReady).length === 2);
  expect(await world.cluster.play(() => evict(world, 'db-2'))).toBe(429);
  await world.cluster.advance(600_000);
  expect(bypassOf(world)).toBeUndefined();
});
