import { until, cacheNow, cache, changeCache } from '../kubectl-ordinal/test/resources.ts';
import type { PluginWorld } from '../kubectl-ordinal/test/plugin-world.ts';
import type { Printed } from './frames.ts';
import { columns, moving, still } from './frames.ts';
import { spec, stage } from './stage.ts';

/** A drawing of what `kubectl ordinal` prints. */
export interface Picture {
  /** Its name in docs/images. */
  readonly file: string;
  /** Makes it, from a scene that is played in a simulated cluster. The same is drawn each time. */
  readonly draw: () => Promise<string>;
}

const newImage = { image: 'redis:8.0' } as const;
/** A second of the picture is so many of the cluster. */
const pace = 4;

const isUpgraded = ({ cluster }: PluginWorld): boolean =>
  cacheNow(cluster)?.status?.currentVersion === newImage.image && cacheNow(cluster)?.status?.upgrade === undefined;
const waitsAtGate = ({ cluster }: PluginWorld): boolean =>
  cacheNow(cluster)?.status?.upgrade?.blockedBy?.startsWith('gate ') === true;

/** Runs a command as at a terminal, with the files that it names. Throws where it says that something is wrong. */
async function prints(
  world: PluginWorld,
  command: string,
  files: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const readFile = (path: string) => Promise.resolve(JSON.stringify(files[path]));
  const { out, err } = await world.run(command, { hasColors: true, isTerminal: true, columns, readFile });
  if (err !== '') throw new Error(err);
  return out.trimEnd();
}

async function inScene<T>(play: (world: PluginWorld) => Promise<T>): Promise<T> {
  const world = await stage();
  try {
    return await play(world);
  } finally {
    await world.stop();
  }
}

/** An upgrade from its beginning to its end. */
const status = () =>
  inScene(async (world) => {
    const command = 'status ccache/sessions';
    const printed: Printed[] = [];
    const show = async (at: number): Promise<void> => {
      const out = await prints(world, command);
      printed.push({ seconds: at / pace, command: `kubectl ordinal ${command}`, out });
    };
    await show(0);
    await changeCache(world.cluster, newImage);
    for (let second = 1; !isUpgraded(world); second += 1) {
      await world.cluster.advance(1_000);
      await show(second);
    }
    await world.cluster.advance(1_000);
    await show(printed.length);
    return moving(printed, 'kubectl ordinal status, asked again and again in an upgrade that waits for replication');
  });

/** What holds up an upgrade, and what the operator does next. */
const why = () =>
  inScene(async (world) => {
    await changeCache(world.cluster, newImage);
    await until(world.cluster, 'the gate is closed', () => waitsAtGate(world));
    await world.cluster.advance(2_000);
    const printed: Printed[] = [];
    for (const command of ['why ccache/sessions', 'plan ccache/sessions'])
      printed.push({ seconds: 0, command: `kubectl ordinal ${command}`, out: await prints(world, command) });
    return still(printed, 'kubectl ordinal why and plan, of an upgrade that waits for replication');
  });

/** What an upgrade comes to, before its user asks for it: members catch up for twelve seconds. */
const whatIf = () =>
  inScene(async (world) => {
    const command = 'what-if -f sessions.yaml --members-behave slow.yaml';
    const files = { 'sessions.yaml': cache({ ...spec, ...newImage }), 'slow.yaml': { gates: { lag: '12s' } } };
    const out = await prints(world, command, files);
    return still(
      [{ seconds: 0, command: `kubectl ordinal ${command}`, out }],
      'kubectl ordinal what-if, of an upgrade',
    );
  });

/** All pictures. */
export const pictures: readonly Picture[] = [
  { file: 'status.svg', draw: status },
  { file: 'why.svg', draw: why },
  { file: 'what-if.svg', draw: whatIf },
];
