import type { SimulatedReply } from '@ordinal/simulator';
import type { PluginWorld } from '../kubectl-ordinal/test/plugin-world.ts';
import { pluginWorld } from '../kubectl-ordinal/test/plugin-world.ts';
import { readyCache } from '../kubectl-ordinal/test/resources.ts';

/** How long a member's replication is behind after its start, in milliseconds, and what it says meanwhile for each second of it. */
const catchUp = { ms: 12_000, lagPerSecond: 10 } as const;

/** The cache of all pictures: a gate on the lag of the other members. */
export const spec = {
  image: 'redis:7.4',
  upgrade: { gates: [{ name: 'lag', target: 'Peers', metric: { name: 'replication_lag_seconds', max: 5 } }] },
} as const;

/** A simulated cluster with the operator and a cache of three members that is ready. A member that has just started is behind for a while. */
export async function stage(): Promise<PluginWorld> {
  const world = await pluginWorld();
  const { clock } = world.cluster;
  const lag = (startedAt: number): number =>
    Math.max(0, Math.round(((catchUp.ms - (clock.now() - startedAt)) / 1_000) * catchUp.lagPerSecond));
  for (const image of ['redis:7.4', 'redis:8.0'])
    world.cluster.image(image, {
      startsIn: 4_000,
      http: ({ url }, { startedAt }): SimulatedReply =>
        url.pathname === '/metrics'
          ? { status: 200, body: `replication_lag_seconds ${lag(startedAt)}\n` }
          : { status: 200 },
    });
  await readyCache(world.cluster, spec);
  await world.cluster.advance(60_000);
  return world;
}
