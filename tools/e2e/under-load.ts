import { setTimeout as sleep } from 'node:timers/promises';
import { check, conditionOf, until } from './kubernetes.ts';
import type { RedisKind, Tag, Wanted } from './redis-kinds.ts';
import { loadPodOf } from './load-pod.ts';
import { askLoad, gapLine, lineOf } from './redis.ts';
import { untilReady, type World } from './world.ts';

/** The name of what is under load. */
export const name = 'shop';

/** Three members of Redis by one of the kinds, and a load of 500 writes a second on them. */
export interface Loaded {
  readonly world: World;
  readonly namespace: string;
  readonly redis: RedisKind;
}

/** Three members of Redis 7.0, in step, and the load on them. */
export async function begin({ world, namespace, redis }: Loaded): Promise<void> {
  const { kubernetes, report, image } = world;
  await report.step('three members of Redis 7.0 come up, and two follow the first', async () => {
    await kubernetes.apply(...redis.objects(namespace, name, { tag: '7' }));
    await untilReady(world, { kind: redis.kind, name, namespace }, 90);
    await until('two replicas in step', 30, async () =>
      (await kubernetes.exec(namespace, `${name}-0`, 'redis-cli info replication')).includes('connected_slaves:2'),
    );
  });
  await report.step('the load writes', async () => {
    await kubernetes.apply(...loadPodOf(namespace, { program: 'load.ts', name, image }));
    await until('the load has written 1000 keys', 60, async () => {
      const counts = await askLoad(kubernetes, namespace, '/counts');
      return counts.acknowledged >= 1000;
    });
    await askLoad(kubernetes, namespace, '/reset');
  });
}

/** Asks for this version, and for these rules of an upgrade. */
export async function setSpec({ world, namespace, redis }: Loaded, wanted: Wanted): Promise<void> {
  await world.kubernetes.apply(...redis.objects(namespace, name, wanted));
}

/** The images that the members run. */
export async function imagesOf({ world, namespace }: Loaded): Promise<readonly string[]> {
  const pods = await world.kubernetes.list('pods', namespace, `app=${name}`);
  return pods.map((pod) => pod.spec?.containers?.[0]?.image as string);
}

/** Waits until all members run it and nothing is under way. */
export async function untilRuns(at: Loaded, tag: Tag): Promise<void> {
  const { world, namespace, redis } = at;
  await until(`all members run Redis ${tag}`, 150, async () => {
    const { status } = await world.kubernetes.get(redis.kind, name, namespace);
    if (status?.currentVersion === redis.versionOf(tag) && status.upgrade === undefined) return true;
    const { step = 'no upgrade yet', message = '', blockedBy = '' } = status?.upgrade ?? {};
    throw new Error(`${step}: ${message} ${blockedBy}`);
  });
  await untilReady(world, { kind: redis.kind, name, namespace }, 60);
}

/** Ends the load and holds it to its promise: no acknowledged write is lost. */
export async function countWrites({ world, namespace }: Loaded): Promise<void> {
  await world.report.step('no acknowledged write is lost', async () => {
    const counts = await askLoad(world.kubernetes, namespace, '/finish');
    check(counts.lost === 0, lineOf(counts));
    return lineOf(counts);
  });
}

/** The longest time without an acknowledged write, in milliseconds, while nothing happens. */
export async function quiet({ world, namespace }: Loaded): Promise<number> {
  let quietMs = 0;
  await world.report.step('five quiet seconds, to compare with', async () => {
    await sleep(5_000);
    const counts = await askLoad(world.kubernetes, namespace, '/reset');
    quietMs = counts.longestGapMs;
    return gapLine(counts);
  });
  return quietMs;
}

/** Upgrades all members. Returns the longest time without an acknowledged write, in milliseconds. */
export async function upgrade(at: Loaded): Promise<number> {
  const { world, namespace } = at;
  let gapMs = 0;
  await world.report.step('upgraded to Redis 8.0, and the leader hands over', async () => {
    await askLoad(world.kubernetes, namespace, '/reset');
    await setSpec(at, { tag: '8' });
    await untilRuns(at, '8');
    const counts = await askLoad(world.kubernetes, namespace, '/reset');
    check(counts.switches > 0, `the load has met no other leader: ${lineOf(counts)}; ${gapLine(counts)}`);
    gapMs = counts.longestGapMs;
    return gapLine(counts);
  });
  return gapMs;
}

/** Deletes the leader's pod. Returns the longest time without an acknowledged write, in milliseconds. */
export async function deleteLeader(at: Loaded): Promise<number> {
  const { world, namespace, redis } = at;
  const { kubernetes, report } = world;
  let gapMs = 0;
  await report.step('the leader deleted by hand hands over first', async () => {
    await askLoad(kubernetes, namespace, '/reset');
    const leader = await leaderOf(at);
    const { uid } = (await kubernetes.get('pod', leader, namespace)).metadata;
    await kubernetes.kubectl(['delete', 'pod', '-n', namespace, leader, '--wait=false']);
    await untilReplaced(at, leader, uid);
    await untilReady(world, { kind: redis.kind, name, namespace }, 60);
    const counts = await askLoad(kubernetes, namespace, '/reset');
    gapMs = counts.longestGapMs;
    return `${leader}, ${gapLine(counts)}`;
  });
  return gapMs;
}

/** Waits until another pod of that name is ready. */
export async function untilReplaced({ world, namespace }: Loaded, pod: string, uid = ''): Promise<void> {
  await until(`another ${pod} is ready`, 90, async () => {
    const found = await world.kubernetes.find('pod', pod, namespace);
    return found && found.metadata.uid !== uid && conditionOf(found, 'Ready').status === 'True';
  });
}

/** The name of the member that leads. */
export async function leaderOf({ world, namespace }: Loaded): Promise<string> {
  return until('a member leads', 30, async () => {
    for (const pod of [0, 1, 2].map((ordinal) => `${name}-${ordinal}`)) {
      const role = await world.kubernetes.exec(namespace, pod, 'redis-cli role').catch(() => '');
      if (role.startsWith('master')) return pod;
    }
    return undefined;
  });
}

/** Asks for an image that is nowhere, and waits until the status says so in the kubelet's words. */
export async function untilStuck(at: Loaded, upgrade?: object): Promise<void> {
  const { world, namespace, redis } = at;
  await setSpec(at, { tag: 'none', ...(upgrade ? { upgrade } : {}) });
  await until('the upgrade says that the image can’t be pulled', 60, async () => {
    const { status } = await world.kubernetes.get(redis.kind, name, namespace);
    const { step, blockedBy = '' } = status?.upgrade ?? {};
    if ((blockedBy as string).includes('ImagePullBackOff')) return true;
    throw new Error(`${step}: ${blockedBy}`);
  });
}

/** What clients may notice, in milliseconds. */
const gapLimitMs = 500;
/** Where writes stop for longer than this although nothing happens, the machine has other work to do, and measures that rather than us. */
const quietLimitMs = 50;
/** What is refused even there. */
const busyGapLimitMs = 2_000;

/** Fails where clients have noticed too much. Returns what that was compared with. */
export function judge(what: string, gapMs: number, quietMs: number): string {
  const isQuiet = quietMs <= quietLimitMs;
  const limitMs = isQuiet ? gapLimitMs : busyGapLimitMs;
  const line = `${what}; ${quietMs.toFixed(0)} ms when nothing happens; limit ${limitMs} ms${isQuiet ? '' : ' since the machine is busy'}`;
  check(gapMs < limitMs, line);
  return line;
}
