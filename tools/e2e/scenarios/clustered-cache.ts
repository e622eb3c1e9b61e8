import { setTimeout as sleep } from 'node:timers/promises';
import { check, conditionOf, until } from '../kubernetes.ts';
import { askLoad, lineOf, loadPod, redisCache, redisImages, scripts } from '../redis.ts';
import { inNamespace, operatorNamespace, untilReady, type World } from '../world.ts';

const name = 'shop';
const kind = 'clusteredcache';

/** ClusteredCache with real Redis: what its clients notice of an upgrade, of a bad image, of a leader deleted by hand and of a killed operator. */
export async function clusteredCacheScenarios(world: World): Promise<void> {
  const { report } = world;
  await report.scenario('ClusteredCache: Redis 7.0 to 8.0 under 500 writes a second', () =>
    inNamespace(world, 'e2e-cache', (namespace) => upgradeUnderLoad(world, namespace)),
  );
  await report.scenario('ClusteredCache: the operator killed at random moments of an upgrade', () =>
    inNamespace(world, 'e2e-kill', (namespace) => killedOperator(world, namespace)),
  );
}

/** Three members of Redis, in step, and the load on them. */
async function begin(world: World, namespace: string): Promise<void> {
  const { kubernetes, report, image } = world;
  await report.step('three members of Redis 7.0 come up, and two follow the first', async () => {
    await kubernetes.apply(scripts(namespace), redisCache(namespace, name, { image: redisImages.before }));
    await untilReady(world, { kind, name, namespace }, 90);
    await until('two replicas in step', 30, async () =>
      (await kubernetes.exec(namespace, `${name}-0`, 'redis-cli info replication')).includes('connected_slaves:2'),
    );
  });
  await report.step('the load writes', async () => {
    await kubernetes.apply(loadPod(namespace, name, image));
    await until('the load has written 1000 keys', 60, async () => {
      const counts = await askLoad(kubernetes, namespace, '/counts');
      return counts.acknowledged >= 1000;
    });
    await askLoad(kubernetes, namespace, '/reset');
  });
}

async function setSpec(
  { kubernetes }: World,
  namespace: string,
  options: Parameters<typeof redisCache>[2],
): Promise<void> {
  await kubernetes.apply(redisCache(namespace, name, options));
}

/** Waits until all members run the image and nothing is under way. */
async function untilRuns(world: World, namespace: string, image: string): Promise<void> {
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
async function countedWrites({ kubernetes }: World, namespace: string): Promise<string> {
  const counts = await askLoad(kubernetes, namespace, '/finish');
  check(counts.lost === 0, lineOf(counts));
  return lineOf(counts);
}

async function upgradeUnderLoad(world: World, namespace: string): Promise<void> {
  const { kubernetes, report } = world;
  await begin(world, namespace);
  await report.step('upgraded to Redis 8.0, the leader last', async () => {
    await setSpec(world, namespace, { image: redisImages.after });
    await untilRuns(world, namespace, redisImages.after);
    const counts = await askLoad(kubernetes, namespace, '/counts');
    check(counts.switches > 0, 'nobody handed over');
    return `longest time without an acknowledged write ${counts.longestGapMs.toFixed(0)} ms`;
  });
  await report.step('an image that never starts stops the upgrade and is rolled back', async () => {
    const upgrade = { progressDeadline: '20s', onFailure: 'Rollback' };
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
    const counts = await askLoad(kubernetes, namespace, '/counts');
    return `${leader}, longest time without an acknowledged write ${counts.longestGapMs.toFixed(0)} ms`;
  });
  await report.step('no acknowledged write is lost', () => countedWrites(world, namespace));
}

async function leaderOf({ kubernetes }: World, namespace: string): Promise<string> {
  return until('somebody leads', 30, async () => {
    for (const pod of [0, 1, 2].map((ordinal) => `${name}-${ordinal}`))
      if ((await kubernetes.exec(namespace, pod, 'redis-cli role').catch(() => '')).startsWith('master')) return pod;
    return undefined;
  });
}

/** Kills of one run. Each takes the leading operator by SIGKILL and the standby over; the number bounds how long the run lasts. */
const kills = 5;

async function killedOperator(world: World, namespace: string): Promise<void> {
  const { report, seed } = world;
  await begin(world, namespace);
  await report.step(`upgraded although the operator is killed ${kills} times, seed ${seed}`, async () => {
    const random = randomFrom(seed);
    await setSpec(world, namespace, { image: redisImages.after });
    let killed = 0;
    for (; killed < kills; killed += 1) {
      await sleep(500 + random() * 4_000);
      if (await isDone(world, namespace)) break;
      await killLeadingOperator(world);
    }
    await untilRuns(world, namespace, redisImages.after);
    check(killed > 0, 'the upgrade was over before anybody was killed');
    return `${killed} killed`;
  });
  await report.step('no acknowledged write is lost', () => countedWrites(world, namespace));
}

async function isDone({ kubernetes }: World, namespace: string): Promise<boolean> {
  const { status } = await kubernetes.get(kind, name, namespace);
  return status?.currentVersion === redisImages.after && status.upgrade === undefined;
}

/** SIGKILL, by the kubelet: a grace period of nought. */
async function killLeadingOperator({ kubernetes }: World): Promise<void> {
  const lease = await kubernetes.get('lease', 'ordinal-operator', operatorNamespace);
  const holder = lease.spec?.holderIdentity as string;
  if (holder === '' || (await kubernetes.find('pod', holder, operatorNamespace)) === undefined) return;
  await kubernetes.kubectl(['delete', 'pod', '-n', operatorNamespace, holder, '--grace-period=0', '--force']);
}

/** Numbers from 0 to 1 that the seed alone decides (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
