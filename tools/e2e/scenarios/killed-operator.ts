import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { check, until, type Kubernetes } from '../kubernetes.ts';
import { cacheOfRedis, imageOf } from '../redis-kinds.ts';
import { begin, countWrites, name, setSpec, untilRuns, type Loaded } from '../under-load.ts';
import { inNamespace, operatorNamespace, type World } from '../world.ts';

/** The operator killed in the middle of upgrades, one upgrade after the other, until it has been killed as often as was asked for. */
export async function killedOperatorScenarios(world: World): Promise<void> {
  const { report, seed, kills } = world;
  const random = randomFrom(seed);
  const failedBefore = report.failed;
  let killed = 0;
  for (let upgrade = 1; killed < kills && report.failed === failedBefore; upgrade += 1)
    await report.scenario(
      `ClusteredCache: the operator killed at random moments, upgrade ${upgrade}, ${killed} of ${kills} before`,
      () =>
        inNamespace(world, `e2e-kill-${upgrade}`, async (namespace) => {
          killed += await killedInUpgrade({ world, namespace, redis: cacheOfRedis }, { random, max: kills - killed });
        }),
    );
}

async function killedInUpgrade(
  at: Loaded,
  { random, max }: { readonly random: () => number; readonly max: number },
): Promise<number> {
  const { world } = at;
  const { report, seed } = world;
  await begin(at);
  let killed = 0;
  await report.step(`upgraded although the operator is killed, seed ${seed}`, async () => {
    await setSpec(at, { tag: '8' });
    while (killed < max) {
      await sleep(300 + random() * 2_700);
      if (await isDone(at)) break;
      if (await killLeadingOperator(world, { replaces: random() < 0.5 })) killed += 1;
    }
    await untilRuns(at, '8');
    check(killed > 0, 'the upgrade was over before anybody was killed');
    return `${killed} killed`;
  });
  await countWrites(at);
  return killed;
}

async function isDone({ world, namespace, redis }: Loaded): Promise<boolean> {
  const { status } = await world.kubernetes.get(redis.kind, name, namespace);
  return status?.currentVersion === imageOf('8') && status.upgrade === undefined;
}

/**
 * SIGKILL to the process that holds the lease; it has no time to give it back. Its container starts again under the same name and takes the lease up at once; or,
 * with `replaces`, its pod goes too, and the other replica waits until the lease has run out. False where there was none to be killed.
 */
export async function killLeadingOperator(
  { kubernetes }: World,
  { replaces }: { readonly replaces: boolean },
): Promise<boolean> {
  const holder = await leaseHolder(kubernetes);
  const pid = processOf(holder);
  if (pid === undefined) return false;
  process.kill(pid, 'SIGKILL');
  const { status } = await kubernetes.get('pod', holder, operatorNamespace);
  // A container that was killed before is started again ever later: another pod has no such past.
  const isReplaced = replaces || (status?.containerStatuses?.[0]?.restartCount as number) > 0;
  if (isReplaced)
    await kubernetes.kubectl(['delete', 'pod', '-n', operatorNamespace, holder, '--grace-period=0', '--force']);
  await until('a replica leads again', 60, async () => {
    const leader = await leaseHolder(kubernetes);
    // Its container may have been started once more before its pod went: that one is ended with its pod, and is not who leads from now on.
    return (!isReplaced || leader !== holder) && processOf(leader) !== undefined;
  });
  return true;
}

async function leaseHolder(kubernetes: Kubernetes): Promise<string> {
  return ((await kubernetes.get('lease', 'ordinal-operator', operatorNamespace)).spec?.holderIdentity as string) ?? '';
}

/** The operator's process in the pod of this name: the node is this machine. */
function processOf(pod: string): number | undefined {
  if (pod === '') return undefined;
  const found = readdirSync('/proc').find((entry) => /^\d+$/.test(entry) && isOperatorOf(entry, pod));
  return found === undefined ? undefined : Number(found);
}

function isOperatorOf(pid: string, pod: string): boolean {
  try {
    return (
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('/app/ordinal-operator.mjs') &&
      readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`ORDINAL_POD_NAME=${pod}`)
    );
  } catch {
    return false; // It has just ended.
  }
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
