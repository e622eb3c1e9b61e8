import { conditionOf, pods } from '@ordinal/client';
import type { MonitoredStatefulSetInput } from '@ordinal/api';
import { monitoredStatefulSets } from '@ordinal/api';
import { afterEach, expect, test } from 'vitest';
import { isReady } from '../clustered-cache/cache-world.ts';
import { honest } from '../external/database-world.ts';
import type { SetWorld } from '../external/set-world.ts';
import { monitoredSet, setNow, setWorld } from '../external/set-world.ts';

type Upgrade = NonNullable<MonitoredStatefulSetInput['spec']['upgrade']>;

const role = { leaderValue: 'leader', http: { path: '/role', port: 80 } };
const handoff = { http: { path: '/handoff', port: 80 } };
const sync = { http: { path: '/sync', port: 80 } };

const worlds: SetWorld[] = [];
afterEach(() => worlds.splice(0).forEach(({ cluster }) => cluster.stop()));

/** Who leads, who has all data, and what was asked, of the members of one set. */
interface Cast {
  leader: string;
  /** The UIDs of the pods that have all data; every pod, where it is not there. */
  full?: Set<string>;
  /** Whether a hand-off makes another member lead. */
  takesOver: boolean;
  readonly handoffs: string[];
}

interface Stage extends Cast {
  readonly world: SetWorld;
}

const members = ({ cluster }: SetWorld) =>
  cluster.objects
    .list(pods, 'team')
    .filter(({ metadata }) => metadata.labels?.['app'] === 'db')
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));

const images = (world: SetWorld) =>
  members(world)
    .map(({ spec }) => spec.containers[0]?.image)
    .join();

const sets = ({ cluster }: SetWorld) => cluster.client()(monitoredStatefulSets).namespace('team');

const upgradeOf = ({ world }: Stage) => setNow(world.cluster, 'db')?.status?.upgrade;

const reaches = async ({ cluster }: SetWorld, until: () => boolean): Promise<boolean> =>
  (await cluster.run({ until, maxVirtualMs: 900_000 })) === 'reached';

/** A set of three members on three nodes, of which `db-2` leads. */
async function staged(upgrade: Upgrade): Promise<Stage> {
  const world = await setWorld(1, honest, { isGated: true, nodes: 3 });
  worlds.push(world);
  const stage: Stage = { world, leader: 'db-2', takesOver: true, handoffs: [] };
  const others = (pod: string) => members(world).find((one) => one.metadata.name !== pod && isReady(one));
  for (const version of ['1', '2'])
    world.cluster.image(`app:${version}`, {
      ...{ startsIn: 3_000, stopsIn: 1_000 },
      http: ({ url }, { pod }) => {
        if (url.pathname === '/role') return { status: 200, body: pod === stage.leader ? 'leader' : 'follower' };
        const member = members(world).find(({ metadata }) => metadata.name === pod);
        if (url.pathname === '/sync') return stage.full?.has(member?.metadata.uid ?? '') === false ? 503 : 200;
        if (url.pathname !== '/handoff') return 200;
        stage.handoffs.push(pod);
        if (stage.takesOver && pod === stage.leader) stage.leader = others(pod)?.metadata.name ?? pod;
        return 200;
      },
    });
  const { spec, ...rest } = monitoredSet('db', { upgrade });
  await sets(world).create({ ...rest, spec: { ...spec, statefulSetSpec: { ...spec.statefulSetSpec, replicas: 3 } } });
  await reaches(world, () => setNow(world.cluster, 'db')?.status?.currentVersion === 'app:1');
  return stage;
}

const fill = (stage: Stage): void => {
  stage.full = new Set(members(stage.world).map(({ metadata }) => metadata.uid));
};

const roll = ({ world }: Stage) => {
  const template = { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'app', image: 'app:2' }] } };
  return sets(world).patch('db', { type: 'merge', body: { spec: { statefulSetSpec: { template } } } });
};

const isDone = ({ world }: Stage): boolean =>
  images(world) === 'app:2,app:2,app:2' && setNow(world.cluster, 'db')?.status?.upgrade === undefined;

/** The names of the members in the order in which they end. */
function endsOf({ cluster }: SetWorld): readonly string[] {
  const ends: string[] = [];
  cluster.server.store.subscribe(({ kind, before, after }) => {
    const begins = before?.metadata.deletionTimestamp === undefined && after.metadata.deletionTimestamp !== undefined;
    if (kind === 'pods' && begins && after.metadata.name.startsWith('db-')) ends.push(after.metadata.name);
  });
  return ends;
}

test('with LeaderLast the leader of a set is replaced after all others, when it has handed over', async () => {
  const stage = await staged({ gates: [], order: 'LeaderLast', role, handoff });
  const ends = endsOf(stage.world);
  await roll(stage);
  expect(await reaches(stage.world, () => isDone(stage))).toBe(true);
  expect(ends).toEqual(['db-1', 'db-0', 'db-2']);
  expect(stage.leader).not.toBe('db-2');
  expect(stage.handoffs).toContain('db-2');
});

test('a leader of a set from which no member takes over stays, and what blocks it and the command are shown', async () => {
  const stage = await staged({ gates: [], order: 'LeaderLast', role, handoff });
  stage.takesOver = false;
  await roll(stage);
  expect(await reaches(stage.world, () => images(stage.world) === 'app:2,app:2,app:1')).toBe(true);
  await stage.world.cluster.advance(60_000);
  const uid = members(stage.world)[2]?.metadata.uid ?? '';
  expect(upgradeOf(stage)).toMatchObject({
    step: 'HandingOff',
    message: 'db-2 has handed over, and leads all the same',
    blockedBy: 'role: db-2: role leader',
    release: `kubectl annotate -n team mss db ordinal.dev/open-gates=${uid} --overwrite`,
  });
  const annotations = { 'ordinal.dev/open-gates': uid };
  await sets(stage.world).patch('db', { type: 'merge', body: { metadata: { annotations } } });
  expect(await reaches(stage.world, () => isDone(stage))).toBe(true);
});

test('the next member of a set waits until the replacement before has caught up, in an upgrade and in a drain', async () => {
  const stage = await staged({ gates: [], sync });
  const { cluster } = stage.world;
  fill(stage);
  await roll(stage);
  await cluster.advance(60_000);
  expect(images(stage.world)).toBe('app:1,app:1,app:2');
  expect(upgradeOf(stage)).toMatchObject({ step: 'AwaitingSync', pod: 'db-2', catchingUp: [{ ordinal: 2 }] });
  const evict = (pod: string) => cluster.client().pods.evict({ namespace: 'team', pod });
  await expect(cluster.play(() => evict('db-0'))).rejects.toMatchObject({ status: { code: 429 } });
  fill(stage);
  expect(await reaches(stage.world, () => images(stage.world) === 'app:1,app:2,app:2')).toBe(true);
  delete stage.full;
  expect(await reaches(stage.world, () => isDone(stage))).toBe(true);
});

test('a set whose leader’s node fails in an upgrade takes no other member down before one leads and all are back', async () => {
  const stage = await staged({ gates: [], order: 'LeaderLast', role, handoff, sync });
  const { cluster } = stage.world;
  await roll(stage);
  expect(await reaches(stage.world, () => images(stage.world) === 'app:1,app:2,app:1')).toBe(true);
  const leader = members(stage.world)[2];
  cluster.node(leader?.spec.nodeName ?? '').fail('power');
  stage.leader = '';
  await reaches(stage.world, () => members(stage.world).some((pod) => !isReady(pod)));
  const ends = endsOf(stage.world);
  await cluster.advance(120_000);
  expect(ends.filter((name) => name !== leader?.metadata.name)).toEqual([]);
  cluster.node(leader?.spec.nodeName ?? '').recover();
  stage.leader = 'db-1';
  expect(await reaches(stage.world, () => isDone(stage))).toBe(true);
  expect(conditionOf(setNow(cluster, 'db')?.status?.conditions, 'GateBypassed')).toBeUndefined();
});
