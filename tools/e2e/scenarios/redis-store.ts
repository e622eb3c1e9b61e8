import { storeOfRedis } from '../redis-kinds.ts';
import {
  begin,
  countWrites,
  deleteLeader,
  judge,
  quiet,
  setSpec,
  untilRuns,
  untilStuck,
  upgrade,
} from '../under-load.ts';
import { askLoad, gapLine } from '../redis.ts';
import { inNamespace, type World } from '../world.ts';

/** KVStoreCluster with Redis by the recipe: what its clients notice of a leader deleted by hand, of an image that is taken back, and of an upgrade. */
export async function redisStoreScenario(world: World): Promise<void> {
  const { kubernetes, report } = world;
  await report.scenario('KVStoreCluster: Redis 7.0 to 8.0 under 500 writes a second', () =>
    inNamespace(world, 'e2e-redis-store', async (namespace) => {
      const at = { world, namespace, redis: storeOfRedis };
      await begin(at);
      const quietMs = await quiet(at);
      const deletedMs = await deleteLeader(at);
      await report.step('an image that can’t be pulled: the status says so, and it is taken back', async () => {
        await untilStuck(at);
        await setSpec(at, { tag: '7' });
        await untilRuns(at, '7');
        return gapLine(await askLoad(kubernetes, namespace, '/reset'));
      });
      const upgradeMs = await upgrade(at);
      await countWrites(at);
      await report.step('the longest time without an acknowledged write', async () => {
        const what = `${upgradeMs.toFixed(0)} ms in the upgrade, ${deletedMs.toFixed(0)} ms when the leader was deleted`;
        return Promise.resolve(judge(what, Math.max(upgradeMs, deletedMs), quietMs));
      });
    }),
  );
}
