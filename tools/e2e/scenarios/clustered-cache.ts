import { setTimeout as sleep } from 'node:timers/promises';
import { check, conditionOf, until } from '../kubernetes.ts';
import { askLoad, gapLine, lineOf, loadPod, redisCache, redisImages } from '../redis.ts';
import { inNamespace, untilReady, type World } from '../world.ts';

/** The cache of these scenarios. */
export const name = 'shop';
/** Its kind, as kubectl takes it. */
export const kind = 'clusteredcache';

/** ClusteredCache with real Redis: what its clients notice of upgrades, of a bad image and of a leader deleted by hand. */
export async function clusteredCacheScenarios(world: World): Promise<void> {
  const { report, runs } = world;
  const gaps: Gap[] = [];
  await report.scenario('ClusteredCache: Redis 7.0 to 8.0 under 500 writes a second', () =>
    inNamespace(world, 'e2e-cache', async (namespace) => {
      gaps.push(await upgradeUnderLoad(world, namespace));
      await badImage(world, namespace);
      await leaderDeleted(world, namespace);
      await report.step('no acknowledged write is lost', () => countedWrites(world, namespace));
    }),
  );
  for (let run = 2; run <= runs; run += 1)
    await report.scenario(`ClusteredCache: the same upgrade of new members, ${run} of ${runs}`, () =>
      inNamespace(world, `e2e-cache-${run}`, async (namespace) => {
        gaps.push(await upgradeUnderLoad(world, namespace));
        await report.step('no acknowledged write is lost', () => countedWrites(world, namespace));
      }),
    );
  await report.scenario('ClusteredCache: what the upgrades cost', () => judgeGaps(world, gaps));
}

/** Three members of Redis, in step, and the load on them. */
export async function begin(world: World, namespace: string): Promise<void> {
  const { kubernetes, report, image } = world;
  await report.step('three members of Redis 7.0 come up, and two follow the first', async () => {
    await kubernetes.apply(...redisCache(namespace, name, { image: redisImages.before }));
    await untilReady(world, { kind, name, namespace }, 90);
    await until('two replicas in step', 30, async () =>
      (await kubernetes.exec(namespace, `${name}-0`, 'redis-cli info replication')).includes('connected_slaves:2'),
    );
  });
  await report.step('the load writes', async () => {
    await kubernetes.apply(...loadPod(namespace, name, image));
    await until('the load has written 1000 keys', 60, async () => {
      const counts = await askLoad(kubernetes, namespace, '/counts');
      return counts.acknowledged >= 1000;
    });
    await askLoad(kubernetes, namespace, '/reset');
  });
}

/** Asks for this cache. */
export async function setSpec(
  { kubernetes }: World,
  namespace: string,
  options: Parameters<typeof redisCache>[2],
): Promise<void> {
  await kubernetes.apply(...redisCache(namespace, name, options));
}

/** Waits until all members run the image and nothing is under way. */
export async function untilRuns(world: World, namespace: string, image: string): Promise<void> {
  await until(`all members run ${image}`, 150, async () => {
    const { status } = await world.kubernetes.get(kind, name, namespace);
    if (status?.currentVersion === image && status.upgrade === undefined) return true;
    throw new Error(
      `${status?.upgrade?.step ?? 'no upgrade yet'}: ${status?.upgrade?.message ?? ''} ${status?.upgrade?.blockedBy ?? ''}`,
    );
  });
  await untilReady(world, { kind, name, namespace }, 60);
}

/** Ends the load and holds it to its promise: no acknowledged write is lost. */
export async function countedWrites({ kubernetes }: World, namespace: string): Promise<string> {
  const counts = await askLoad(kubernetes, namespace, '/finish');
  check(counts.lost === 0, lineOf(counts));
  return lineOf(counts);
}

/** The longest time without an acknowledged write: in an upgrade, and before it, when nothing happened. */
interface Gap {
  readonly upgradeMs: number;
  readonly quietMs: number;
}

async function upgradeUnderLoad(world: World, namespace: string): Promise<Gap> {
  const { kubernetes, report } = world;
  await begin(world, namespace);
  const gap = { upgradeMs: 0, quietMs: 0 };
  await report.step('five quiet seconds, to compare with', async () => {
    await sleep(5_000);
    const counts = await askLoad(kubernetes, namespace, '/reset');
    gap.quietMs = counts.longestGapMs;
    return gapLine(counts);
  });
  await report.step('upgraded to Redis 8.0, the leader last', async () => {
    await setSpec(world, namespace, { image: redisImages.after });
    await untilRuns(world, namespace, redisImages.after);
    const counts = await askLoad(kubernetes, namespace, '/counts');
    check(counts.switches > 0, `the load has met no other leader: ${lineOf(counts)}; ${gapLine(counts)}`);
    gap.upgradeMs = counts.longestGapMs;
    return gapLine(counts);
  });
  return gap;
}

/** What clients may notice of an upgrade, in milliseconds. */
const gapLimitMs = 500;
/** Where writes stop for longer than this although nothing happens, the machine has other work to do, and measures that rather than us. */
const quietLimitMs = 50;
/** What is refused even there. */
const busyGapLimitMs = 2_000;

async function judgeGaps({ report }: World, gaps: readonly Gap[]): Promise<void> {
  await report.step('the longest time without an acknowledged write, median of the upgrades', async () => {
    const upgradeMs = medianOf(gaps.map((gap) => gap.upgradeMs));
    const quietMs = medianOf(gaps.map((gap) => gap.quietMs));
    const isQuiet = quietMs <= quietLimitMs;
    const limitMs = isQuiet ? gapLimitMs : busyGapLimitMs;
    const each = gaps.map((gap) => gap.upgradeMs.toFixed(0)).join(', ');
    const line = `${upgradeMs.toFixed(0)} ms of ${each} ms; ${quietMs.toFixed(0)} ms when nothing happens; limit ${limitMs} ms${isQuiet ? '' : ' since the machine is busy'}`;
    check(upgradeMs < limitMs, line);
    return Promise.resolve(line);
  });
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.POSITIVE_INFINITY; // Nothing was measured.
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? upper) + upper) / 2 : upper;
}

async function badImage(world: World, namespace: string): Promise<void> {
  const { kubernetes, report } = world;
  await report.step('an image that never starts stops the upgrade and is rolled back', async () => {
    const upgrade = { progressDeadline: '30s', onFailure: 'Rollback' as const };
    await setSpec(world, namespace, { image: 'docker.io/e2e/redis:none', upgrade });
    const failed = await until('the upgrade has failed and all members serve again', 180, async () => {
      const cache = await kubernetes.get(kind, name, namespace);
      const images = (await kubernetes.list('pods', namespace, 'app.kubernetes.io/name=clustered-cache')).map(
        (pod) => pod.spec?.containers?.[0]?.image as string,
      );
      const { status } = cache;
      if (
        status?.failedRevision !== undefined &&
        status.readyReplicas === 3 &&
        images.every((image) => image === redisImages.after)
      )
        return conditionOf(cache, 'Degraded');
      throw new Error(`${images.join(' ')} ${JSON.stringify(status?.upgrade)}`);
    });
    await setSpec(world, namespace, { image: redisImages.after });
    await untilRuns(world, namespace, redisImages.after);
    return failed.reason ?? '';
  });
}

async function leaderDeleted(world: World, namespace: string): Promise<void> {
  const { kubernetes, report } = world;
  await report.step('the leader deleted by hand hands over first', async () => {
    await askLoad(kubernetes, namespace, '/reset');
    const leader = await leaderOf(world, namespace);
    const { uid } = (await kubernetes.get('pod', leader, namespace)).metadata;
    await kubernetes.kubectl(['delete', 'pod', '-n', namespace, leader, '--wait=false']);
    await until('another pod of that name is ready', 90, async () => {
      const pod = await kubernetes.get('pod', leader, namespace);
      return pod.metadata.uid !== uid && conditionOf(pod, 'Ready').status === 'True';
    });
    await untilReady(world, { kind, name, namespace }, 60);
    return `${leader}, ${gapLine(await askLoad(kubernetes, namespace, '/counts'))}`;
  });
}

async function leaderOf({ kubernetes }: World, namespace: string): Promise<string> {
  return until('a member leads', 30, async () => {
    for (const pod of [0, 1, 2].map((ordinal) => `${name}-${ordinal}`))
      if ((await kubernetes.exec(namespace, pod, 'redis-cli role').catch(() => '')).startsWith('master')) return pod;
    return undefined;
  });
}
