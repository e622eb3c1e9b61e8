import type { SimulatedReply } from '@ordinal/simulator';
import { runConsole } from '../kubectl-ordinal/test/console-client.ts';
import type { RunningConsole } from '../kubectl-ordinal/test/console-client.ts';
import { pluginWorld } from '../kubectl-ordinal/test/plugin-world.ts';
import type { PluginWorld } from '../kubectl-ordinal/test/plugin-world.ts';
import {
  cacheNow,
  changeCache,
  changeStore,
  readyCache,
  readySet,
  readyStore,
  storeNow,
  until,
} from '../kubectl-ordinal/test/resources.ts';

/** A cluster that is looked at, and the console that does. */
export interface Stage {
  readonly world: PluginWorld;
  readonly console: RunningConsole;
  readonly end: () => Promise<void>;
}

/** The console on a simulated cluster with the operator; with a file that it is asked to read. */
export async function stage(
  flags = '',
  prepare?: (world: PluginWorld) => Promise<void>,
  readFile?: () => Promise<string>,
): Promise<Stage> {
  const world = await pluginWorld({ hasEvents: true });
  await prepare?.(world);
  const console = await runConsole(world, flags, readFile);
  const end = async (): Promise<void> => {
    await console.end();
    await world.stop();
  };
  return { world, console, end };
}

/** How long a member's replication is behind after its start, in milliseconds, and what it says meanwhile for each second of it. */
const catchUp = { ms: 90_000, lagPerSecond: 10 } as const;

/** A cache in an upgrade whose second member waits at a gate, a store whose new version does not start, and a set that is as it should be. */
export async function busyShop({ cluster }: PluginWorld): Promise<void> {
  const { clock } = cluster;
  const lag = (startedAt: number): number =>
    Math.max(0, Math.round(((catchUp.ms - (clock.now() - startedAt)) / 1_000) * catchUp.lagPerSecond));
  for (const image of ['redis:7.4', 'redis:8.0'])
    cluster.image(image, {
      startsIn: 4_000,
      http: ({ url }, { startedAt }): SimulatedReply =>
        url.pathname === '/metrics'
          ? { status: 200, body: `replication_lag_seconds ${lag(startedAt)}\n` }
          : { status: 200 },
    });
  const gates = [{ name: 'lag', target: 'Peers', metric: { name: 'replication_lag_seconds', max: 5 } }] as const;
  await readyCache(cluster, { replicas: 5, image: 'redis:7.4', upgrade: { gates: [...gates] } });
  await readyStore(cluster);
  await readySet(cluster);
  await cluster.advance(600_000);
  await changeStore(cluster, { version: 'missing' });
  await until(cluster, 'the new version has failed', () => storeNow(cluster)?.status?.failure !== undefined);
  await changeCache(cluster, { image: 'redis:8.0' });
  const waits = () =>
    (cacheNow(cluster)?.status?.upgrade?.updated ?? 0) >= 2 &&
    cacheNow(cluster)?.status?.upgrade?.blockedBy?.startsWith('gate ') === true;
  await until(cluster, 'the gate is closed', waits);
  await cluster.advance(20_000);
}
