import { setTimeout as sleep } from 'node:timers/promises';
import { check, conditionOf, until, type Resource } from '../kubernetes.ts';
import { loadPodOf } from '../load-pod.ts';
import { monitorPod } from '../monitor.ts';
import { plugin } from '../plugin.ts';
import { askLoad, gapLine, lineOf, redisImages } from '../redis.ts';
import { chartContainer, chartLabels, chartService, chartUpgrade, redisChart } from '../redis-chart.ts';
import { judge } from '../under-load.ts';
import { inNamespace, untilReady, type World } from '../world.ts';

/** The name of the StatefulSet, and so of the resource. */
const name = 'shop';

/** A kind that takes the StatefulSet over. */
interface Taker {
  readonly title: string;
  readonly kind: string;
  /** What `adopt` is called with. */
  readonly flags: (namespace: string) => readonly string[];
  /** The part of the spec that asks for Redis 8.0. */
  readonly upgrade: (spec: Spec) => object;
  /** What the status says of the version then. */
  readonly version: string;
}

/** The spec of what `adopt` writes, as far as an upgrade changes it. */
interface Spec {
  readonly statefulSetSpec?: {
    readonly template: { readonly spec: { readonly containers: readonly { readonly name: string }[] } };
  };
}

const cache: Taker = {
  title: 'ClusteredCache',
  kind: 'clusteredcache',
  flags: () => ['--as', 'ccache', '--container', chartContainer],
  upgrade: () => ({ image: redisImages.after }),
  version: redisImages.after,
};

const store: Taker = {
  title: 'KVStoreCluster',
  kind: 'kvstorecluster',
  flags: () => ['--as', 'kvs', '--container', chartContainer],
  upgrade: () => ({ version: '8' }),
  version: '8',
};

const monitored: Taker = {
  title: 'MonitoredStatefulSet',
  kind: 'monitoredstatefulset',
  flags: (namespace) => ['--as', 'mss', '--monitor', `http://monitor.${namespace}.svc:8080`],
  upgrade: ({ statefulSetSpec }) => {
    const containers = statefulSetSpec?.template.spec.containers.map((container) =>
      container.name === chartContainer ? { ...container, image: redisImages.after } : container,
    );
    return { statefulSetSpec: { template: { spec: { containers } } } };
  },
  // That of the sidecar, too.
  version: `${redisImages.after}, ${redisImages.before}`,
};

/** What the steps work with. */
interface At {
  readonly world: World;
  readonly namespace: string;
  readonly taker: Taker;
}

/** A running Redis of a chart is taken over under load, upgraded with a hand-over, and given back. */
export async function adoptionScenario(world: World): Promise<void> {
  await adoptedBy(world, 'e2e-adoption', cache);
  await adoptedBy(world, 'e2e-adoption-store', store);
  await adoptedBy(world, 'e2e-adoption-set', monitored);
}

async function adoptedBy(world: World, place: string, taker: Taker): Promise<void> {
  await world.report.scenario(`${taker.title}: Redis of a chart is taken over under 500 writes a second`, () =>
    inNamespace(world, place, async (namespace) => {
      const at = { world, namespace, taker };
      await runningChart(at);
      const quietMs = await quiet(at);
      const takenMs = await takenOver(at);
      const upgradeMs = await upgraded(at);
      const givenMs = await givenBack(at);
      await world.report.step('no acknowledged write is lost', async () => {
        const counts = await askLoad(world.kubernetes, namespace, '/finish');
        check(counts.lost === 0, lineOf(counts));
        return lineOf(counts);
      });
      await world.report.step('the longest time without an acknowledged write', async () => {
        const found = { 'taken over': takenMs, upgraded: upgradeMs, 'given back': givenMs };
        const what = Object.entries(found).map(([when, ms]) => `${ms.toFixed(0)} ms ${when}`);
        return Promise.resolve(judge(what.join(', '), Math.max(...Object.values(found)), quietMs));
      });
    }),
  );
}

async function runningChart({ world, namespace }: At): Promise<void> {
  const { kubernetes, report, image } = world;
  await report.step('a chart has made three members of Redis 7.0, and two follow the first', async () => {
    await kubernetes.apply(...monitorPod(world, namespace), ...redisChart(namespace, name));
    await until('two replicas in step', 120, async () =>
      (await kubernetes.exec(namespace, `${name}-0`, 'redis-cli info replication')).includes('connected_slaves:2'),
    );
  });
  await report.step('the load writes', async () => {
    const load = { program: 'load.ts', name, service: chartService(name), image } as const;
    await kubernetes.apply(...loadPodOf(namespace, load));
    await until('the load has written 1000 keys', 180, async () => {
      const { acknowledged } = await askLoad(kubernetes, namespace, '/counts');
      return acknowledged >= 1000;
    });
  });
}

/** The longest time without an acknowledged write, in milliseconds, while nothing happens. */
async function quiet(at: At): Promise<number> {
  return measured(at, 'five quiet seconds, to compare with', async () => {
    await sleep(5_000);
    return '';
  });
}

/** Runs a step. Returns the longest time without an acknowledged write in it, in milliseconds. */
async function measured({ world, namespace }: At, what: string, action: () => Promise<string>): Promise<number> {
  let gapMs = 0;
  await world.report.step(what, async () => {
    await askLoad(world.kubernetes, namespace, '/reset');
    const found = await action();
    const counts = await askLoad(world.kubernetes, namespace, '/reset');
    gapMs = counts.longestGapMs;
    return [found, gapLine(counts)].filter((part) => part !== '').join('; ');
  });
  return gapMs;
}

/** The UIDs of what a chart has made, and of the pods and claims made of it; of pods also their containers, which a restart would give other IDs. */
async function identities({ world, namespace }: At): Promise<readonly string[]> {
  const selector = Object.entries(chartLabels).map(([key, value]) => `${key}=${value}`);
  const kinds = ['statefulsets', 'services', 'persistentvolumeclaims', 'pods'];
  const found = await Promise.all(kinds.map((kind) => world.kubernetes.list(kind, namespace, selector.join(','))));
  return found.flat().map(({ metadata, status }) => {
    const containers = (status?.containerStatuses ?? []) as readonly { readonly containerID: string }[];
    return [metadata.name, metadata.uid, ...containers.map(({ containerID }) => containerID).sort()].join(' ');
  });
}

/** Throws where one of them is not there any more as it was. */
function checkStayed(before: readonly string[], now: readonly string[]): string {
  const gone = before.filter((each) => !now.includes(each));
  check(gone.length === 0, `not there any more, or restarted: ${gone.join(', ')}`);
  return `${before.length} objects are as they were`;
}

const resource = ({ world, namespace, taker }: At): Promise<Resource> =>
  world.kubernetes.get(taker.kind, name, namespace);

/** The command by which the condition asks for consent, as kubectl takes it. */
function consentIn(message: string): string[] {
  const [, command] = message.split('To consent: kubectl ');
  check(command !== undefined, message);
  return command.split(' ');
}

async function takenOver(at: At): Promise<number> {
  const { world, namespace, taker } = at;
  const { kubernetes } = world;
  return measured(at, 'kubectl ordinal adopt, and the consent: nothing restarts', async () => {
    const before = await identities(at);
    const manifest = await plugin(kubernetes, [
      'adopt',
      `statefulset/${name}`,
      '-n',
      namespace,
      ...taker.flags(namespace),
    ]);
    await kubernetes.kubectl(['apply', '-f', '-'], manifest);
    const asked = await until('the operator asks for consent', 30, async () => {
      const { reason, message = '' } = conditionOf(await resource(at), 'Adopted');
      if (reason === 'AwaitingConsent') return message;
      throw new Error(`${reason}: ${message}`);
    });
    check(asked.includes('Helm release'), asked);
    await kubernetes.kubectl(consentIn(asked));
    await until('it is taken over', 30, async () => conditionOf(await resource(at), 'Adopted').status === 'True');
    await untilReady(world, { kind: taker.kind, name, namespace }, 60);
    await sleep(10_000);
    return checkStayed(before, await identities(at));
  });
}

async function upgraded(at: At): Promise<number> {
  const { world, namespace, taker } = at;
  return measured(at, 'upgraded to Redis 8.0, and the leader hands over', async () => {
    const before = await identities(at);
    const { spec } = await resource(at);
    const patch = { spec: { upgrade: chartUpgrade(namespace, name, taker), ...taker.upgrade(spec as Spec) } };
    await world.kubernetes.kubectl([
      'patch',
      taker.kind,
      name,
      '-n',
      namespace,
      '--type=merge',
      '-p',
      JSON.stringify(patch),
    ]);
    await until('all members run Redis 8.0', 180, async () => {
      const { status } = await resource(at);
      if (status?.currentVersion === taker.version && status.upgrade === undefined) return true;
      const { step = 'no upgrade yet', message = '', blockedBy = '' } = status?.upgrade ?? {};
      throw new Error(`${step}: ${message} ${blockedBy}`);
    });
    await untilReady(world, { kind: taker.kind, name, namespace }, 60);
    const { switches } = await askLoad(world.kubernetes, namespace, '/counts');
    check(switches > 0, 'the load has met no other leader');
    const pods = await world.kubernetes.list('pods', namespace, 'app.kubernetes.io/name=redis');
    const sizes = pods.map(({ spec: pod }) => pod?.containers.length as number);
    check(
      sizes.every((size) => size === 2),
      `the members have ${sizes.join(', ')} containers`,
    );
    const now = await identities(at);
    // All but the pods: those have containers.
    const others = before.filter((each) => each.split(' ').length === 2);
    return checkStayed(others, now);
  });
}

async function givenBack(at: At): Promise<number> {
  const { world, namespace, taker } = at;
  const { kubernetes } = world;
  return measured(at, 'kubectl ordinal release-ownership: nothing restarts', async () => {
    const before = await identities(at);
    await plugin(kubernetes, ['release-ownership', `${taker.kind}/${name}`, '-n', namespace, '--yes']);
    check((await kubernetes.find(taker.kind, name, namespace)) === undefined, 'the resource is still there');
    await sleep(20_000);
    const stayed = checkStayed(before, await identities(at));
    const { metadata, spec } = await kubernetes.get('statefulset', name, namespace);
    const { ownerReferences } = metadata as { readonly ownerReferences?: readonly object[] };
    check(ownerReferences === undefined, `it has owners: ${JSON.stringify(ownerReferences)}`);
    check(spec?.updateStrategy.type === 'RollingUpdate', JSON.stringify(spec?.updateStrategy));
    return stayed;
  });
}
