import { conditionOf, until } from '../kubernetes.ts';
import { cacheOfRedis, imageOf } from '../redis-kinds.ts';
import {
  begin,
  countWrites,
  deleteLeader,
  imagesOf,
  judge,
  name,
  quiet,
  setSpec,
  untilRuns,
  untilStuck,
  upgrade,
  type Loaded,
} from '../under-load.ts';
import { inNamespace, type World } from '../world.ts';

/** ClusteredCache with real Redis: what its clients notice of upgrades, of a bad image and of a leader deleted by hand. */
export async function clusteredCacheScenarios(world: World): Promise<void> {
  const { report, runs } = world;
  const gaps: Gap[] = [];
  await report.scenario('ClusteredCache: Redis 7.0 to 8.0 under 500 writes a second', () =>
    inNamespace(world, 'e2e-cache', async (namespace) => {
      const at = { world, namespace, redis: cacheOfRedis };
      gaps.push(await upgradeUnderLoad(at));
      await badImage(at);
      await deleteLeader(at);
      await countWrites(at);
    }),
  );
  for (let run = 2; run <= runs; run += 1)
    await report.scenario(`ClusteredCache: the same upgrade of new members, ${run} of ${runs}`, () =>
      inNamespace(world, `e2e-cache-${run}`, async (namespace) => {
        const at = { world, namespace, redis: cacheOfRedis };
        gaps.push(await upgradeUnderLoad(at));
        await countWrites(at);
      }),
    );
  await report.scenario('ClusteredCache: what the upgrades cost', () => judgeGaps(world, gaps));
}

/** The longest time without an acknowledged write: in an upgrade, and before it, when nothing happened. */
interface Gap {
  readonly upgradeMs: number;
  readonly quietMs: number;
}

async function upgradeUnderLoad(at: Loaded): Promise<Gap> {
  await begin(at);
  const quietMs = await quiet(at);
  return { quietMs, upgradeMs: await upgrade(at) };
}

async function judgeGaps({ report }: World, gaps: readonly Gap[]): Promise<void> {
  await report.step('the longest time without an acknowledged write, median of the upgrades', async () => {
    const upgradeMs = medianOf(gaps.map((gap) => gap.upgradeMs));
    const each = gaps.map((gap) => gap.upgradeMs.toFixed(0)).join(', ');
    const what = `${upgradeMs.toFixed(0)} ms of ${each} ms`;
    return Promise.resolve(judge(what, upgradeMs, medianOf(gaps.map((gap) => gap.quietMs))));
  });
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.POSITIVE_INFINITY; // Nothing was measured.
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? upper) + upper) / 2 : upper;
}

async function badImage(at: Loaded): Promise<void> {
  const { world, namespace, redis } = at;
  const { kubernetes, report } = world;
  await report.step(
    'an image that can’t be pulled: the status says so, the upgrade stops and is rolled back',
    async () => {
      await untilStuck(at, { progressDeadline: '30s', onFailure: 'Rollback' });
      const failed = await until('the upgrade has failed and all members serve again', 180, async () => {
        const cache = await kubernetes.get(redis.kind, name, namespace);
        const images = await imagesOf(at);
        const { status } = cache;
        const isBack = status?.readyReplicas === 3 && images.every((image) => image === imageOf('8'));
        if (status?.failedRevision !== undefined && isBack) return conditionOf(cache, 'Degraded');
        throw new Error(`${images.join(' ')} ${JSON.stringify(status?.upgrade)}`);
      });
      await setSpec(at, { tag: '8' });
      await untilRuns(at, '8');
      return failed.reason ?? '';
    },
  );
}
