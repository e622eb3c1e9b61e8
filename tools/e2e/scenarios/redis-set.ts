import { setTimeout as sleep } from 'node:timers/promises';
import { check, conditionOf, until, type Resource } from '../kubernetes.ts';
import { monitorPod } from '../monitor.ts';
import { imageOf, setOfRedis } from '../redis-kinds.ts';
import { askLoad, gapLine } from '../redis.ts';
import {
  begin,
  countWrites,
  deleteLeader,
  imagesOf,
  judge,
  leaderOf,
  name,
  quiet,
  setSpec,
  untilReplaced,
  untilRuns,
  untilStuck,
  upgrade,
  type Loaded,
} from '../under-load.ts';
import { refusalOf } from '../webhooks.ts';
import { inNamespace, type World } from '../world.ts';

/** MonitoredStatefulSet with Redis: what gates keep, and what clients notice of a drain, of an image that is taken back, and of an upgrade. */
export async function redisSetScenario(world: World): Promise<void> {
  await world.report.scenario('MonitoredStatefulSet: Redis 7.0 to 8.0 under 500 writes a second', () =>
    inNamespace(world, 'e2e-redis-set', async (namespace) => {
      const at = { world, namespace, redis: setOfRedis };
      await world.kubernetes.apply(...monitorPod(world, namespace));
      await begin(at);
      const quietMs = await quiet(at);
      const deletedMs = await deleteLeader(at);
      const drainedMs = await closedGate(at);
      await stoppedUpgrade(at);
      const upgradeMs = await upgrade(at);
      await countWrites(at);
      await world.report.step('the longest time without an acknowledged write', async () => {
        const found = { 'in the upgrade': upgradeMs, 'when the leader was deleted': deletedMs, drained: drainedMs };
        const what = Object.entries(found).map(([when, ms]) => `${ms.toFixed(0)} ms ${when}`);
        return Promise.resolve(judge(what.join(', '), Math.max(...Object.values(found)), quietMs));
      });
    }),
  );
}

const closed = { name: 'by-hand', target: 'Self', exec: { command: ['false'] } };

/** What a gate that is closed keeps from happening; then it is opened, and the leader is drained. */
async function closedGate(at: Loaded): Promise<number> {
  const { kubernetes, report } = at.world;
  try {
    await report.step('a drain does not get past a closed gate, and no deletion by hand', () => keptByGate(at));
    await report.step('nor does kubectl scale statefulset while a smaller set waits for it', () => scaledByHand(at));
    return await drainedLeader(at);
  } finally {
    await kubernetes.kubectl(['uncordon', 'node-1']);
  }
}

function drain({ world }: Loaded, pod: string, seconds: number): Promise<string> {
  const selector = `--pod-selector=statefulset.kubernetes.io/pod-name=${pod}`;
  return world.kubernetes.kubectl(['drain', 'node-1', selector, `--timeout=${seconds}s`]);
}

async function keptByGate(at: Loaded): Promise<void> {
  const { namespace, world } = at;
  const before = await uidsOf(at);
  const leader = await leaderOf(at);
  await setSpec(at, { tag: '7', upgrade: { gates: [closed] } });
  const refusals = {
    'evictions.ordinal.dev': await refusalOf(() => drain(at, leader, 2)),
    'set-pods.ordinal.dev': await refusalOf(() => world.kubernetes.kubectl(['delete', 'pod', '-n', namespace, leader])),
  };
  for (const [webhook, message] of Object.entries(refusals))
    check(message.includes(webhook) && message.includes(`gate ${closed.name}`), message);
  check((await uidsOf(at)) === before, 'a member has gone');
}

/** The set is to become smaller and waits for the gate; then a user makes its StatefulSet smaller. */
async function scaledByHand(at: Loaded): Promise<string> {
  const { world, namespace, redis } = at;
  const { kubernetes } = world;
  const before = await uidsOf(at);
  const scale = (kind: string, replicas: number): Promise<string> =>
    kubernetes.kubectl(['scale', kind, name, '-n', namespace, `--replicas=${replicas}`]);
  const set = (): Promise<Resource> => kubernetes.get(redis.kind, name, namespace);
  await scale(redis.kind, 1);
  const waiting = await until('the reduction waits for the gate', 30, async () => {
    const { reason, message = '' } = conditionOf(await set(), 'Progressing');
    if (message.includes(closed.name)) return `${reason}: ${message}`;
    throw new Error(`${reason}: ${message}`);
  });
  await scale('statefulset', 1);
  await until('three replicas again', 30, async () => {
    const { spec } = await kubernetes.get('statefulset', name, namespace);
    return spec?.replicas === 3;
  });
  await sleep(2_000);
  await scale(redis.kind, 3);
  check((await uidsOf(at)) === before, 'a member has gone');
  const bypassed = conditionOf(await set(), 'GateBypassed');
  check(bypassed.status !== 'True', bypassed.message ?? '');
  return waiting;
}

/** The longest time without an acknowledged write, in milliseconds. */
async function drainedLeader(at: Loaded): Promise<number> {
  const { world, namespace } = at;
  const { kubernetes, report } = world;
  let gapMs = 0;
  await report.step('with the gate open the leader hands over and is drained', async () => {
    await askLoad(kubernetes, namespace, '/reset');
    await setSpec(at, { tag: '7' });
    const leader = await leaderOf(at);
    const { uid } = (await kubernetes.get('pod', leader, namespace)).metadata;
    await drain(at, leader, 60);
    await kubernetes.kubectl(['uncordon', 'node-1']);
    await untilReplaced(at, leader, uid);
    const counts = await askLoad(kubernetes, namespace, '/reset');
    gapMs = counts.longestGapMs;
    return `${leader}, ${gapLine(counts)}`;
  });
  return gapMs;
}

/** An upgrade that has failed and is left as it stands: what is lost then comes back as what ran before. */
async function stoppedUpgrade(at: Loaded): Promise<void> {
  const { world, namespace, redis } = at;
  const { kubernetes, report } = world;
  await report.step('an image that can’t be pulled: the status says so, and the upgrade stops', async () => {
    await untilStuck(at, { progressDeadline: '20s', onFailure: 'Stop' });
    await until('the upgrade has failed', 60, async () => {
      const { status } = await kubernetes.get(redis.kind, name, namespace);
      return (status?.failure as object | undefined) !== undefined;
    });
    check((await imagesOf(at)).filter((image) => image === imageOf('none')).length === 1, 'not one member is stuck');
  });
  await report.step('a member that is lost then comes back as it was', async () => {
    const pods = await kubernetes.list('pods', namespace, `app=${name}`);
    const leader = await leaderOf(at);
    const lost = pods.find((pod) => pod.metadata.name !== leader && conditionOf(pod, 'Ready').status === 'True');
    check(lost !== undefined, 'no follower is ready');
    await lose(at, lost.metadata.name);
    await untilReplaced(at, lost.metadata.name, lost.metadata.uid);
    const again = await kubernetes.get('pod', lost.metadata.name, namespace);
    const image = again.spec?.containers?.[0]?.image as string;
    check(image === imageOf('7'), `${lost.metadata.name} came back as ${image}`);
    return lost.metadata.name;
  });
  await report.step('the former version is asked for again, and all members serve', async () => {
    await setSpec(at, { tag: '7' });
    await untilRuns(at, '7');
    return gapLine(await askLoad(kubernetes, namespace, '/reset'));
  });
}

/** Deletes a pod as its node does: it is lost already, and no webhook asks its gates. */
async function lose({ world, namespace }: Loaded, pod: string): Promise<void> {
  const node = ['--as=system:node:node-1', '--as-group=system:nodes', '--as-group=system:authenticated'];
  await world.kubernetes.kubectl(['delete', 'pod', '-n', namespace, pod, '--force', '--wait=false', ...node]);
}

async function uidsOf({ world, namespace }: Loaded): Promise<string> {
  const pods = await world.kubernetes.list('pods', namespace, `app=${name}`);
  return pods.map(({ metadata }) => metadata.uid).join(' ');
}
