import { jobs, pods, statefulSets } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/simulator';
import { afterEach, describe, expect, test } from 'vitest';
import { cache, cacheNow, caches, change, images, isReady, isSettled, members, reaches } from './cache-world.ts';
import { drainWorld } from './drain-world.ts';
import type { DrainWorld } from './drain-world.ts';

const worlds: DrainWorld[] = [];
afterEach(() => worlds.splice(0).forEach(({ cluster }) => cluster.stop()));

async function settled(
  spec: Parameters<typeof cache>[0] = {},
  prepare: (cluster: SimulatedCluster) => void = () => undefined,
): Promise<DrainWorld> {
  const world = await drainWorld();
  prepare(world.cluster);
  worlds.push(world);
  await caches(world.cluster).create(cache(spec));
  expect(await reaches(world.cluster, () => isSettled(world.cluster))).toBe(true);
  await world.cluster.advance(1000); // Until every replica has seen it.
  return world;
}

/** What `kubectl delete pod` gets: `done`, or the refusal's code. */
async function remove(cluster: SimulatedCluster, name: string): Promise<number | 'done'> {
  try {
    await cluster.client()(pods).namespace('default').delete(name);
    return 'done';
  } catch (refusal) {
    return (refusal as { status: { code: number } }).status.code;
  }
}

/** What `kubectl drain` gets for one pod. */
async function evict(cluster: SimulatedCluster, pod: string): Promise<number | 'done'> {
  try {
    await cluster.client().pods.evict({ namespace: 'default', pod });
    return 'done';
  } catch (refusal) {
    return (refusal as { status: { code: number } }).status.code;
  }
}

const down = (cluster: SimulatedCluster): number => 3 - members(cluster).filter(isReady).length;

/** The most members that were ever down at a time. */
function maxDown(cluster: SimulatedCluster): () => number {
  let max = 0;
  cluster.server.store.subscribe(({ kind }) => {
    if (kind === 'pods') max = Math.max(max, down(cluster));
  });
  return () => max;
}

/** Another client makes the StatefulSet smaller, as `kubectl scale statefulset` does. */
const scaleSet = (cluster: SimulatedCluster, replicas: number) =>
  cluster.client()(statefulSets).namespace('default').scale.update('sessions', replicas);

/** A gate of the member itself, asked by HTTP. */
const slowGate = { name: 'slow', target: 'Self', http: { path: '/slow' }, timeout: '30s' } as const;

/** A program's answer that comes after so long. */
const answeredAfter = ({ clock }: SimulatedCluster, ms: number): Promise<200> =>
  new Promise((resolve) => void clock.after(ms, () => resolve(200)));

// Found by using it: two members were gone at once, and nothing said so.
test('a reduction past its closed gates, by another client that makes the StatefulSet smaller, is a bypass', async () => {
  const { cluster } = await settled({ image: 'cache:stubborn' });
  await change(cluster, { replicas: 1 });
  await cluster.advance(60_000);
  cluster.external('https://ordinal-operator-webhooks.ordinal-system.svc', undefined);
  await scaleSet(cluster, 1);
  await reaches(cluster, () => members(cluster).length === 1);
  await cluster.advance(60_000);
  const bypassed = cacheNow(cluster)?.status?.conditions?.find(({ type }) => type === 'GateBypassed');
  expect(bypassed).toMatchObject({ status: 'True', message: expect.stringContaining('sessions-2 was taken away') });
});

describe.each([
  ['deletions by hand', remove],
  ['evictions', evict],
])('%s', (_what, take) => {
  test('at the same moment, at two replicas, let one member go', async () => {
    const { cluster, asked } = await settled();
    const max = maxDown(cluster);
    const results = await cluster.play(() => Promise.all([take(cluster, 'sessions-1'), take(cluster, 'sessions-2')]));
    expect(results).toContain('done');
    expect(results).toContain(429);
    expect(asked.filter((count) => count > 0)).toHaveLength(2);
    expect(await reaches(cluster, () => isSettled(cluster))).toBe(true);
    expect(max()).toBe(1);
  });

  test('are refused while the gate is closed, and go through when it opens', async () => {
    const { cluster } = await settled({ image: 'cache:stubborn' });
    expect(await cluster.play(() => take(cluster, 'sessions-2'))).toBe(429);
    expect(members(cluster).filter(isReady)).toHaveLength(3);
    await change(cluster, { upgrade: { gates: [] } });
    await cluster.advance(1000);
    expect(await cluster.play(() => take(cluster, 'sessions-2'))).toBe('done');
    expect(await reaches(cluster, () => isSettled(cluster))).toBe(true);
  });

  test('are refused for members that wait for their closed gates to leave for good', async () => {
    const { cluster } = await settled({ replicas: 5, image: 'cache:stubborn' });
    await change(cluster, { replicas: 2 });
    await cluster.advance(60_000);
    const leaving = ['sessions-2', 'sessions-3', 'sessions-4'];
    expect(await cluster.play(() => Promise.all(leaving.map((name) => take(cluster, name))))).toEqual([429, 429, 429]);
    expect(members(cluster).filter(isReady)).toHaveLength(5);
  });

  test('go through where no replica answers', async () => {
    const { cluster } = await settled({ image: 'cache:stubborn' });
    cluster.external('https://ordinal-operator-webhooks.ordinal-system.svc', undefined);
    expect(await cluster.play(() => take(cluster, 'sessions-2'))).toBe('done');
  });

  test('hand over by the preStop hook where no replica answers', async () => {
    const asked: string[] = [];
    const isRunning = (cluster: SimulatedCluster, pod: string): boolean =>
      members(cluster).find(({ metadata }) => metadata.name === pod)?.status?.containerStatuses?.[0]?.state?.running !==
      undefined;
    const spec = { image: 'cache:leading', upgrade: { gates: [], handoff: { http: { path: '/handoff' } } } };
    const { cluster } = await settled(spec, (world) =>
      world.image('cache:leading', {
        startsIn: 1000,
        http: ({ url }, { pod }) => {
          if (url.pathname === '/handoff') asked.push(`${pod} ${isRunning(world, pod) ? 'runs' : 'has ended'}`);
          return 200;
        },
      }),
    );
    cluster.external('https://ordinal-operator-webhooks.ordinal-system.svc', undefined);
    expect(await cluster.play(() => take(cluster, 'sessions-2'))).toBe('done');
    await cluster.advance(60_000);
    expect(asked).toEqual(['sessions-2 runs']);
    expect(isSettled(cluster)).toBe(true);
  });

  test('try again and again until all nodes are drained, one member at a time', async () => {
    const { cluster } = await settled();
    const max = maxDown(cluster);
    const uids = new Set(members(cluster).map(({ metadata }) => metadata.uid));
    const drained = () => members(cluster).filter(({ metadata }) => uids.has(metadata.uid)).length === 0;
    for (let round = 0; round < 60 && !drained(); round += 1) {
      const left = members(cluster).filter(({ metadata }) => uids.has(metadata.uid));
      await cluster.play(() => Promise.all(left.map(({ metadata }) => take(cluster, metadata.name))));
      await cluster.advance(5000);
    }
    expect(drained()).toBe(true);
    expect(max()).toBe(1);
  });

  test('and an upgrade keep out of each other’s way', async () => {
    const { cluster } = await settled();
    const max = maxDown(cluster);
    await change(cluster, { image: 'cache:2' });
    for (let round = 0; round < 200 && !(isSettled(cluster) && images(cluster)[0] === 'cache:2'); round += 1) {
      await cluster.play(() => take(cluster, `sessions-${round % 3}`));
      await cluster.advance(700);
    }
    expect(await reaches(cluster, () => isSettled(cluster))).toBe(true);
    expect(images(cluster)).toEqual(['cache:2', 'cache:2', 'cache:2']);
    expect(max()).toBe(1);
  });

  test('go through a gate that takes longer than the API server waits, when they are tried again', async () => {
    const { cluster } = await settled({ upgrade: { gates: [slowGate] } }, (world) =>
      world.image('cache:1', { startsIn: 2000, http: () => answeredAfter(world, 6_000) }),
    );
    const replies: (number | 'done')[] = [];
    // As often as there are replicas, and once more: they are asked in turn.
    while (replies.length < 3 && replies.at(-1) !== 'done') {
      replies.push(await cluster.play(() => take(cluster, 'sessions-2')));
      await cluster.advance(5000);
    }
    expect(replies).toEqual([429, 429, 'done']);
    expect(await reaches(cluster, () => isSettled(cluster))).toBe(true);
  });

  test('ask such a gate anew when a member has changed since', async () => {
    let asked = 0;
    const { cluster } = await settled({ upgrade: { gates: [slowGate] } }, (world) =>
      world.image('cache:1', {
        startsIn: 2000,
        http: () => {
          asked += 1;
          return answeredAfter(world, 6_000);
        },
      }),
    );
    const member = cluster.client()(pods).namespace('default');
    for (let round = 1; round <= 3; round += 1) {
      expect(await cluster.play(() => take(cluster, 'sessions-2'))).toBe(429);
      await cluster.advance(5000);
      expect(asked).toBe(round);
      const body = { metadata: { annotations: { round: String(round) } } };
      await cluster.play(() => member.patch('sessions-0', { type: 'merge', body }));
    }
  });

  test('ask a gate that is a Job by making it, once', async () => {
    const { cluster } = await settled();
    cluster.image('check:1', { startsIn: 5_000, run: () => 0 });
    const template = { template: { spec: { containers: [{ name: 'check', image: 'check:1' }] } } };
    await change(cluster, { upgrade: { gates: [{ name: 'audit', job: { template } }] } });
    await cluster.advance(1000);
    expect(await cluster.play(() => take(cluster, 'sessions-2'))).toBe(429);
    expect(await cluster.play(() => take(cluster, 'sessions-2'))).toBe(429);
    expect(cluster.objects.list(jobs, 'default')).toHaveLength(1);
    await cluster.advance(30_000);
    expect(await cluster.play(() => take(cluster, 'sessions-2'))).toBe('done');
    expect(await reaches(cluster, () => isSettled(cluster))).toBe(true);
  });
});

/** A program whose members have all data for as long as they are those of the beginning, and become ready long before they have it. */
function withData(cluster: SimulatedCluster): {
  readonly carriers: () => readonly string[];
  readonly fill: () => void;
} {
  const full = new Set<string>();
  const has = ({ metadata }: { readonly metadata: { readonly uid: string } }): boolean => full.has(metadata.uid);
  cluster.image('cache:1', {
    startsIn: 2000,
    http: ({ url }, { pod }) => {
      if (url.pathname === '/role') return { status: 200, body: pod === 'sessions-0' ? 'leader' : 'follower' };
      const member = members(cluster).find(({ metadata }) => metadata.name === pod);
      return url.pathname !== '/sync' || (member && has(member)) ? 200 : 503;
    },
  });
  return {
    carriers: () => members(cluster).filter(has).map(({ metadata }) => metadata.name), // prettier-ignore
    fill: () => members(cluster).forEach(({ metadata }) => full.add(metadata.uid)),
  };
}

const sync = { http: { path: '/sync' } } as const;

test.each([
  ['', {}],
  [' where it is known who leads', { role: { http: { path: '/role' } } }],
])('drains outside of an upgrade wait until the replacement before has caught up%s', async (_where, more) => {
  let data: ReturnType<typeof withData> | undefined;
  const { cluster } = await settled({ upgrade: { gates: [], sync, ...more } }, (world) => (data = withData(world)));
  data?.fill();
  const results: (number | 'done')[] = [];
  for (const name of ['sessions-2', 'sessions-1', 'sessions-0']) {
    results.push(await cluster.play(() => evict(cluster, name)));
    await cluster.advance(60_000);
  }
  expect(results).toEqual(['done', 429, 429]);
  expect(data?.carriers()).toEqual(['sessions-0', 'sessions-1']);
  expect(cacheNow(cluster)?.status?.catchingUp).toMatchObject([{ ordinal: 2 }]);
  // It may go itself: it carries nothing. Once it has caught up, the others may.
  expect(await cluster.play(() => evict(cluster, 'sessions-2'))).toBe('done');
  await cluster.advance(60_000);
  data?.fill();
  await cluster.advance(60_000);
  expect(isSettled(cluster)).toBe(true);
  expect(cacheNow(cluster)?.status?.catchingUp).toBeUndefined();
  expect(await cluster.play(() => evict(cluster, 'sessions-1'))).toBe('done');
});

test('a member leaves for good only when those that stay have its data', async () => {
  let data: ReturnType<typeof withData> | undefined;
  const { cluster } = await settled({ replicas: 2, upgrade: { gates: [], sync } }, (world) => (data = withData(world)));
  await change(cluster, { replicas: 1 });
  await cluster.advance(120_000);
  expect(members(cluster)).toHaveLength(2);
  data?.fill();
  expect(await reaches(cluster, () => isSettled(cluster) && members(cluster).length === 1)).toBe(true);
});

test('a deletion of the cache is held up by no gate', async () => {
  const { cluster } = await settled({ image: 'cache:stubborn' });
  await caches(cluster).delete('sessions');
  expect(await reaches(cluster, () => cacheNow(cluster) === undefined && members(cluster).length === 0)).toBe(true);
});

test('a member that is taken away for good hands over once, however long its gate stays closed', async () => {
  const { cluster } = await settled();
  let handoffs = 0;
  for (const version of ['1', '2'])
    cluster.image(`cache:${version}`, {
      startsIn: 2000,
      http: ({ url }) => {
        if (url.pathname === '/handoff') handoffs += 1;
        return url.pathname === '/ready-for-shutdown' ? 503 : 200;
      },
    });
  await change(cluster, { upgrade: { handoff: { http: { path: '/handoff' } }, gates: [] } });
  expect(await reaches(cluster, () => isSettled(cluster))).toBe(true);
  handoffs = 0;
  await change(cluster, {
    replicas: 2,
    upgrade: { gates: [{ name: 'ready', http: { path: '/ready-for-shutdown' } }] },
  });
  await cluster.advance(120_000);
  expect(members(cluster)).toHaveLength(3);
  expect(handoffs).toBe(1);
});
