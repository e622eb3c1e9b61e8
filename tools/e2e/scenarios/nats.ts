import { setTimeout as sleep } from 'node:timers/promises';
import { check, conditionOf, until } from '../kubernetes.ts';
import { loadPodOf } from '../load-pod.ts';
import { askNatsLoad, natsAccounts, natsImages, natsStore, type NatsNow } from '../nats.ts';
import { inNamespace, untilReady, type World } from '../world.ts';
import { killLeadingOperator } from './killed-operator.ts';

const kind = 'kvstorecluster';
const name = 'bus';
const { before, after } = natsImages;

/** What the steps work with. */
interface At {
  readonly world: World;
  readonly namespace: string;
}

/** NATS on a KVStoreCluster under 500 writes a second: versions, a bad image, leaders deleted and drained, the operator killed, another size, a full stop. */
export async function natsScenario(world: World): Promise<void> {
  await world.report.scenario('KVStoreCluster: NATS JetStream 2.10 to 2.15 under 500 writes a second', () =>
    inNamespace(world, 'e2e-nats', async (namespace) => {
      const at = { world, namespace };
      await begin(at);
      await byHand(at);
      await halfWayAndBack(at);
      await upgrade(at);
      await badImage(at);
      await leaderDeleted(at);
      await leaderDrained(at);
      await operatorKilled(at);
      await otherSizes(at);
      await fullStop(at);
      await countWrites(at);
    }),
  );
}

async function set({ world, namespace }: At, store: Omit<NatsNow, 'name'>): Promise<void> {
  await world.kubernetes.apply(...natsStore(namespace, { name, ...store }));
}

/** Runs a step, and adds the longest time without an acknowledged write. */
async function measured({ world, namespace }: At, what: string, action: () => Promise<void>): Promise<void> {
  await world.report.step(what, async () => {
    const from = await askNatsLoad(world.kubernetes, namespace, '/reset');
    await action();
    const to = await askNatsLoad(world.kubernetes, namespace, '/counts');
    const rate = (to.acknowledged - from.acknowledged) / (to.seconds - from.seconds);
    return `longest time without an acknowledged write ${to.longestGapMs.toFixed(0)} ms, ${rate.toFixed(0)} writes a second`;
  });
}

const podsOf = ({ world, namespace }: At) =>
  world.kubernetes.list(
    'pods',
    namespace,
    `app.kubernetes.io/name=kv-store-cluster,app.kubernetes.io/instance=${name}`,
  );

async function imagesOf(at: At): Promise<readonly string[]> {
  return (await podsOf(at)).map((pod) => pod.spec?.containers?.[0]?.image as string);
}

/** Waits until all members run a version, and nothing is under way. */
async function untilRuns(at: At, version: string): Promise<void> {
  const { world, namespace } = at;
  await until(`every member runs ${version}`, 300, async () => {
    const { status } = await world.kubernetes.get(kind, name, namespace);
    const images = await imagesOf(at);
    const isDone = images.every((image) => image.endsWith(`:${version}`)) && status?.currentVersion === version;
    if (isDone && status?.readyReplicas === images.length && status.upgrade === undefined) return true;
    throw new Error(`${images.join(' ')} ${JSON.stringify(status?.upgrade)}`);
  });
  await untilReady(world, { kind, name, namespace }, 120);
}

async function begin(at: At): Promise<void> {
  const { world, namespace } = at;
  const { kubernetes, report, image } = world;
  await report.step('three members found one cluster on NATS 2.10', async () => {
    await kubernetes.apply(natsAccounts(namespace));
    await set(at, { version: before });
    await untilReady(world, { kind, name, namespace }, 300);
  });
  await report.step('500 writes a second begin', async () => {
    await kubernetes.apply(...loadPodOf(namespace, { program: 'nats-load.ts', name, image }));
    await until('writes are acknowledged', 60, async () => {
      const { acknowledged, seconds } = await askNatsLoad(kubernetes, namespace, '/counts');
      return acknowledged > 2_000 && seconds > 5;
    });
  });
  await measured(at, 'nothing happens for ten seconds', () => sleep(10_000));
}

/** The pod whose server leads the stream: servers that joined later have a time after the pod's name. */
async function leaderOf({ world, namespace }: At): Promise<string> {
  const { leader } = await askNatsLoad(world.kubernetes, namespace, '/counts');
  return leader.split('-').slice(0, 2).join('-');
}

/** What the software does by itself, without the operator and the scripts of a hand-over: `nats-server --signal ldm`. */
async function byHand(at: At): Promise<void> {
  const { world, namespace } = at;
  await measured(at, 'by hand: the stream’s leader in lame duck mode', async () => {
    const leader = await leaderOf(at);
    await world.kubernetes.exec(namespace, leader, 'kill -USR2 "$(cat /tools/pid)"');
    await sleep(5_000);
    await until('it serves again', 120, async () => {
      const pod = await world.kubernetes.get('pod', leader, namespace);
      return conditionOf(pod, 'Ready').status === 'True';
    });
    await untilReady(world, { kind, name, namespace }, 60);
  });
}

async function halfWayAndBack(at: At): Promise<void> {
  await measured(at, 'the spec goes to 2.15, and back when one member runs it', async () => {
    await set(at, { version: after });
    await until('one member runs 2.15', 180, async () => {
      const pod = await at.world.kubernetes.get('pod', `${name}-2`, at.namespace);
      return String(pod.spec?.containers?.[0]?.image).endsWith(`:${after}`);
    });
    await set(at, { version: before });
    await untilRuns(at, before);
  });
}

async function upgrade(at: At): Promise<void> {
  await measured(at, 'an upgrade from 2.10 to 2.15', async () => {
    await set(at, { version: after });
    await untilRuns(at, after);
  });
}

async function badImage(at: At): Promise<void> {
  const { world, namespace } = at;
  await measured(at, 'an image that can’t be pulled is taken back by the operator', async () => {
    await set(at, { version: 'nowhere' });
    await until('the upgrade has failed and all members serve again', 300, async () => {
      const store = await world.kubernetes.get(kind, name, namespace);
      const images = await imagesOf(at);
      const isBack = store.status?.readyReplicas === 3 && images.every((image) => image.endsWith(`:${after}`));
      if (isBack && store.status?.failure) return true;
      throw new Error(`${images.join(' ')} ${JSON.stringify(conditionOf(store, 'Degraded'))}`);
    });
    await set(at, { version: after });
    await untilRuns(at, after);
  });
}

/** Waits until another pod of this name is ready, and the store with it. */
async function untilReplaced({ world, namespace }: At, pod: string, uid: string | undefined): Promise<void> {
  await until(`another ${pod} is ready`, 120, async () => {
    const found = await world.kubernetes.find('pod', pod, namespace);
    return found !== undefined && found.metadata.uid !== uid && conditionOf(found, 'Ready').status === 'True';
  });
  await untilReady(world, { kind, name, namespace }, 60);
}

async function leaderDeleted(at: At): Promise<void> {
  const { world, namespace } = at;
  await measured(at, 'the stream’s leader is deleted by hand', async () => {
    const leader = await leaderOf(at);
    const { uid } = (await world.kubernetes.get('pod', leader, namespace)).metadata;
    await until('the deletion is allowed', 60, async () => {
      await world.kubernetes.kubectl(['delete', 'pod', leader, '-n', namespace, '--wait=false']);
      return true;
    });
    await untilReplaced(at, leader, uid);
  });
}

async function leaderDrained(at: At): Promise<void> {
  const { world, namespace } = at;
  const { kubernetes } = world;
  await measured(at, 'the stream’s leader is drained', async () => {
    const leader = await leaderOf(at);
    const { uid } = (await kubernetes.get('pod', leader, namespace)).metadata;
    const selector = `statefulset.kubernetes.io/pod-name=${leader}`;
    await kubernetes.kubectl([
      ...[
        'drain',
        'node-1',
        `--pod-selector=${selector}`,
        '--ignore-daemonsets',
        '--delete-emptydir-data',
        '--timeout=90s',
      ],
    ]);
    await kubernetes.kubectl(['uncordon', 'node-1']);
    await untilReplaced(at, leader, uid);
  });
}

async function operatorKilled(at: At): Promise<void> {
  await measured(at, `an upgrade, and the operator is killed ${String(at.world.kills)} times`, async () => {
    await set(at, { version: after, settings: { max_payload: '2MB' } });
    for (let killed = 0; killed < at.world.kills; killed += 1) {
      await sleep(4_000);
      await killLeadingOperator(at.world, { replaces: false });
    }
    await until('every member has the setting', 300, async () => {
      const pods = await podsOf(at);
      const haveIt = pods.filter((pod) => JSON.stringify(pod.spec?.containers?.[0]).includes('max_payload=2MB'));
      if (haveIt.length === 3) return true;
      throw new Error(`${String(haveIt.length)} have it`);
    });
    await untilRuns(at, after);
  });
}

async function otherSizes(at: At): Promise<void> {
  const { world, namespace } = at;
  for (const replicas of [5, 3])
    await measured(at, `${String(replicas)} members`, async () => {
      await set(at, { version: after, replicas, settings: { max_payload: '2MB' } });
      await until(`there are ${String(replicas)}`, 300, async () => {
        const pods = await podsOf(at);
        const ready = pods.filter((pod) => conditionOf(pod, 'Ready').status === 'True').length;
        const size = await world.kubernetes.exec(
          ...[
            namespace,
            `${name}-0`,
            `sh -c '. /recipe/member.sh; peers_by "$POD_IP" | grep -c " current "' /recipe/x`,
          ],
        );
        if (Number(size) === replicas && pods.length === replicas && ready === replicas) return true;
        throw new Error(`${String(pods.length)} pods, ${String(ready)} ready; ${size.trim()} servers`);
      });
      await untilReady(world, { kind, name, namespace }, 60);
    });
}

async function fullStop(at: At): Promise<void> {
  const { world, namespace } = at;
  await measured(at, 'all members are deleted at once, and start with their data', async () => {
    const uids = (await podsOf(at)).map(({ metadata }) => metadata.uid ?? '');
    const pods = [0, 1, 2].map((ordinal) => `${name}-${String(ordinal)}`);
    const opened = `ordinal.dev/open-gates=${uids.join(',')}`;
    await world.kubernetes.kubectl(['annotate', kind, name, '-n', namespace, opened, '--overwrite']);
    await until('the deletion is allowed', 60, async () => {
      await world.kubernetes.kubectl(['delete', 'pod', ...pods, '-n', namespace, '--ignore-not-found', '--wait=false']);
      return true;
    });
    await until('all are new, and serve', 240, async () => {
      const found = await podsOf(at);
      const isNew = found.length === 3 && found.every(({ metadata }) => !uids.includes(metadata.uid ?? ''));
      return isNew && found.every((pod) => conditionOf(pod, 'Ready').status === 'True');
    });
    await untilReady(world, { kind, name, namespace }, 120);
  });
}

async function countWrites({ world, namespace }: At): Promise<void> {
  await world.report.step('every acknowledged write is there', async () => {
    const { acknowledged, lost, seconds, refusals } = await askNatsLoad(world.kubernetes, namespace, '/finish');
    const line = `${String(acknowledged)} writes acknowledged, ${String(lost ?? '?')} lost in ${seconds.toFixed(0)} s, ${JSON.stringify(refusals)}`;
    check(lost === 0, line);
    return line;
  });
}
