import { pods } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/simulator';
import { afterEach, describe, expect, test } from 'vitest';
import type { CacheWorld } from './cache-world.ts';
import {
  cache,
  cacheNow,
  caches,
  cacheWorld,
  change,
  images,
  isReady,
  isSettled,
  members,
  reaches,
  said,
} from './cache-world.ts';

const worlds: CacheWorld[] = [];
afterEach(() => worlds.splice(0).forEach(({ cluster }) => cluster.stop()));

type Upgrade = NonNullable<Parameters<typeof cache>[0]>['upgrade'];

/** Five members that run, of which two may be unavailable. Each says by itself whether it may go, and which one leads. */
async function five(
  upgrade: Upgrade = {},
): Promise<{ readonly cluster: SimulatedCluster; readonly closed: Set<string> }> {
  const world = await cacheWorld();
  worlds.push(world);
  const { cluster } = world;
  const closed = new Set<string>();
  let leader = 'sessions-3';
  const http = ({ url }: { readonly url: URL }, { pod }: { readonly pod: string }) => {
    if (url.pathname !== '/role') return closed.has(pod) ? 503 : 200;
    const serving = members(cluster).filter(isReady);
    if (!serving.some(({ metadata }) => metadata.name === leader)) leader = serving[0]?.metadata.name ?? leader;
    return { status: 200, body: pod === leader ? 'leader' : 'follower' };
  };
  for (const version of ['1', '2']) cluster.image(`cache:${version}`, { startsIn: 2000, http });
  await caches(cluster).create(cache({ replicas: 5, upgrade: { maxUnavailable: 2, gates: [], ...upgrade } }));
  expect(await reaches(cluster, () => isSettled(cluster))).toBe(true);
  return { cluster, closed };
}

/** The members that do not serve, each time when that changes. */
function watchDown(cluster: SimulatedCluster): string[] {
  const seen: string[] = [];
  cluster.server.store.subscribe(({ kind }) => {
    if (kind !== 'pods') return;
    const serving = new Set(
      members(cluster)
        .filter(isReady)
        .map(({ metadata }) => metadata.name.slice(-1)),
    );
    const down = ['0', '1', '2', '3', '4'].filter((ordinal) => !serving.has(ordinal)).join('');
    if (down !== seen.at(-1)) seen.push(down);
  });
  return seen;
}

const mostIn = (downs: readonly string[]): number => Math.max(...downs.map(({ length }) => length));

describe('where two members may be unavailable', () => {
  test('a scale down to as many members leaves it valid, and an upgrade keeps one of them up', async () => {
    const { cluster } = await five();
    await caches(cluster).scale.update('sessions', 2);
    expect(await reaches(cluster, () => isSettled(cluster) && members(cluster).length === 2)).toBe(true);
    expect(said(cluster, 'Degraded')).toBe('False AsWanted');
    const downs = watchDown(cluster);
    await change(cluster, { image: 'cache:2' });
    expect(await reaches(cluster, () => isSettled(cluster) && images(cluster).every((one) => one === 'cache:2'))).toBe(
      true,
    );
    expect(downs.filter((down) => down.includes('0') && down.includes('1'))).toEqual([]);
  });

  test('two are replaced at a time, and all of them are named', async () => {
    const { cluster } = await five();
    const downs = watchDown(cluster);
    await change(cluster, { image: 'cache:2' });
    const inFlight = () => cacheNow(cluster)?.status?.upgrade?.members ?? [];
    expect(await reaches(cluster, () => inFlight().length === 2)).toBe(true);
    expect(inFlight()).toMatchObject([{ pod: 'sessions-3' }, { pod: 'sessions-4' }]);
    expect(await reaches(cluster, () => isSettled(cluster) && images(cluster).every((one) => one === 'cache:2'))).toBe(
      true,
    );
    expect(downs).toContain('34');
    expect(mostIn(downs)).toBe(2);
    expect(members(cluster).some(({ metadata }) => metadata.finalizers !== undefined)).toBe(false);
  });

  test('a member that is down by another hand counts', async () => {
    const { cluster } = await five();
    cluster.image('cache:1', { startsIn: 600_000 });
    await cluster.client()(pods).namespace('default').delete('sessions-0');
    await cluster.advance(1000);
    const downs = watchDown(cluster);
    await change(cluster, { image: 'cache:2' });
    expect(await reaches(cluster, () => isSettled(cluster) && images(cluster).every((one) => one === 'cache:2'))).toBe(
      true,
    );
    expect(mostIn(downs)).toBe(2);
  });

  test('a closed gate keeps its own member, and no other one', async () => {
    const { cluster, closed } = await five({ gates: [{ name: 'self', target: 'Self', http: { path: '/self' } }] });
    closed.add('sessions-4');
    await change(cluster, { image: 'cache:2' });
    const others = () => images(cluster).slice(0, 4);
    expect(await reaches(cluster, () => others().every((one) => one === 'cache:2'))).toBe(true);
    expect(images(cluster)[4]).toBe('cache:1');
    expect(await reaches(cluster, () => cacheNow(cluster)?.status?.upgrade?.step === 'AwaitingGate')).toBe(true);
    closed.clear();
    expect(await reaches(cluster, () => isSettled(cluster) && images(cluster)[4] === 'cache:2')).toBe(true);
  });

  test.each([['ReverseOrdinal'], ['LeaderLast']] as const)('the leader goes alone, by the order %s', async (order) => {
    const { cluster } = await five({ order, role: { http: { path: '/role' } } });
    const downs = watchDown(cluster);
    await change(cluster, { image: 'cache:2' });
    expect(await reaches(cluster, () => isSettled(cluster) && images(cluster).every((one) => one === 'cache:2'))).toBe(
      true,
    );
    expect(downs.filter((down) => down.includes('3'))).toEqual(['3']);
    expect(mostIn(downs)).toBe(2);
    if (order === 'ReverseOrdinal') expect(downs.filter((down) => down.includes('0'))).toEqual(['0']);
    else expect(downs.filter((down) => down !== '').at(-1)).toBe('3');
  });

  test.each([
    ['Stop', 'False UpgradeFailed'],
    ['Rollback', 'True RolledBack'],
  ] as const)('what never gets ready takes two members, and no more, and then: %s', async (onFailure, expected) => {
    const { cluster } = await five({ onFailure, progressDeadline: '5m' });
    const downs = watchDown(cluster);
    await change(cluster, { image: 'cache:broken' });
    expect(await reaches(cluster, () => said(cluster, 'Available') === expected)).toBe(true);
    expect(mostIn(downs)).toBe(2);
    const isBack = images(cluster).every((one) => one === 'cache:1');
    expect(isBack).toBe(onFailure === 'Rollback');
    expect(members(cluster).some(({ metadata }) => metadata.finalizers !== undefined)).toBe(false);
  });

  test('a pause lets come back who is down, and takes no other one', async () => {
    const { cluster } = await five();
    await change(cluster, { image: 'cache:2' });
    const atWork = () => members(cluster).filter((pod) => !isReady(pod)).length === 2;
    expect(await reaches(cluster, atWork)).toBe(true);
    await change(cluster, { upgrade: { paused: true } });
    await cluster.advance(300_000);
    expect(images(cluster).filter((one) => one === 'cache:2')).toHaveLength(2);
    expect(members(cluster).filter(isReady)).toHaveLength(5);
    expect(cacheNow(cluster)?.status?.upgrade?.step).toBe('Paused');
  });
});
