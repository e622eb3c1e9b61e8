import { expect, test } from 'vitest';
import { monitoredStatefulSetMetrics } from '../../src/monitored-stateful-set/index.ts';
import { honest } from '../external/database-world.ts';
import { create, resource, settled } from '../external/set-steps.ts';
import { setNow, setWorld } from '../external/set-world.ts';
import { conditionIn, published } from '../world/published.ts';

const minute = 60_000;

test('the clean-up Job of a set fails: condition, event and gauge say so, and again for as long as it lasts', async () => {
  const world = await setWorld(1, honest);
  const { cluster, cleanup, events } = world;
  await create(world, { cleanup: 'Job', cleanupJob: { image: 'cleanup:1' } });
  await settled(world);
  cleanup.isBroken = true;
  await resource(world).delete('db');
  const shown = () => conditionIn(setNow(cluster, 'db')?.status?.conditions, 'Degraded');
  await cluster.run({ until: () => shown()?.reason === 'CleanupFailed', maxVirtualMs: 600_000 });
  await cluster.advance(3_000);
  expect(shown()?.message).toMatch(/clean-up Job .* has failed once.*kubectl annotate -n team mss db/s);
  const set = setNow(cluster, 'db');
  expect(monitoredStatefulSetMetrics(set ? [set] : [], 0)[0]?.value).toBe(1);
  const reported = () => published(events, 'ProcessingError');
  expect(reported().length).toBeGreaterThan(0);
  // The pauses before the next try are an hour by then.
  await cluster.advance(6 * 60 * minute);
  const times = reported().map(({ at }) => at);
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
  expect(Math.max(...gaps)).toBeLessThanOrEqual(31 * minute);
  cluster.stop();
});
