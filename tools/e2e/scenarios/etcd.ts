import { setTimeout as sleep } from 'node:timers/promises';
import { askEtcdLoad, etcdImages, etcdStore, type StoreNow } from '../etcd.ts';
import { loadPodOf } from '../load-pod.ts';
import { check, conditionOf, until } from '../kubernetes.ts';
import { backupClaim } from '../redis-store.ts';
import { inNamespace, untilReady, type World } from '../world.ts';

const kind = 'kvstorecluster';
const name = 'config';
const { before, after } = etcdImages;

/** What the steps work with. */
interface At {
  readonly world: World;
  readonly namespace: string;
}

/** A line of `role.sh` in each member that runs, by pod. */
type Roles = ReadonlyMap<string, string>;

/** etcd on a KVStoreCluster under 500 writes a second: versions, a bad image, a leader deleted by hand, another size, a full stop, a backup and a new store of it. */
export async function etcdScenario(world: World): Promise<void> {
  await world.report.scenario('KVStoreCluster: etcd 3.4 to 3.5 under 500 writes a second', () =>
    inNamespace(world, 'e2e-etcd', async (namespace) => {
      const at = { world, namespace };
      await begin(at);
      await halfWayAndBack(at);
      await upgrade(at);
      await badImage(at);
      await leaderDeleted(at);
      await otherSizes(at);
      await fullStop(at);
      const written = await countWrites(at);
      await backupAndRestore(at, written);
    }),
  );
}

async function set({ world, namespace }: At, store: StoreNow): Promise<void> {
  await world.kubernetes.apply(...etcdStore(namespace, store));
}

/** Runs a step, and adds the longest time without an acknowledged write. The load asks for 500 a second; how many there are is up to the disks. */
async function measured({ world, namespace }: At, what: string, action: () => Promise<void>): Promise<void> {
  await world.report.step(what, async () => {
    const from = await askEtcdLoad(world.kubernetes, namespace, '/reset');
    await action();
    const to = await askEtcdLoad(world.kubernetes, namespace, '/counts');
    const rate = (to.acknowledged - from.acknowledged) / (to.seconds - from.seconds);
    return `longest time without an acknowledged write ${to.longestGapMs.toFixed(0)} ms, longest wait of one ${to.longestWaitMs.toFixed(0)} ms, ${rate.toFixed(0)} writes a second`;
  });
}

const podsOf = ({ world, namespace }: At, store = name) =>
  world.kubernetes.list(
    'pods',
    namespace,
    `app.kubernetes.io/name=kv-store-cluster,app.kubernetes.io/instance=${store}`,
  );

async function imagesOf(at: At): Promise<readonly string[]> {
  return (await podsOf(at)).map((pod) => pod.spec?.containers?.[0]?.image as string);
}

/** Waits until all members run a version, and the upgrade is over. */
async function untilRuns(at: At, version: string): Promise<void> {
  const { world, namespace } = at;
  await until(`every member runs ${version}`, 300, async () => {
    const { status } = await world.kubernetes.get(kind, name, namespace);
    const images = await imagesOf(at);
    const isDone = images.every((image) => image.endsWith(`:${version}`)) && status?.currentVersion === version;
    if (isDone && status?.readyReplicas === images.length) return true;
    throw new Error(`${images.join(' ')} ${JSON.stringify(status?.upgrade)}`);
  });
  await untilReady(world, { kind, name, namespace }, 120);
}

async function begin(at: At): Promise<void> {
  const { world, namespace } = at;
  const { kubernetes, report, image } = world;
  await report.step('three members found one cluster on etcd 3.4', async () => {
    await kubernetes.apply(backupClaim(namespace));
    await set(at, { name, version: before });
    await untilReady(world, { kind, name, namespace }, 300);
    check((await memberList(at)).length === 3, 'the cluster has other members');
  });
  await report.step('500 writes a second begin', async () => {
    await kubernetes.apply(...loadPodOf(namespace, { program: 'etcd-load.ts', name, image }));
    await until('writes are acknowledged', 60, async () => {
      const { acknowledged, seconds } = await askEtcdLoad(kubernetes, namespace, '/counts');
      return acknowledged > 2_000 && seconds > 5;
    });
  });
  await measured(at, 'nothing happens for ten seconds', () => sleep(10_000));
}

/** The members that the cluster has, as lines of etcd's client. */
async function memberList({ world, namespace }: At, pod = `${name}-0`): Promise<readonly string[]> {
  const list = await world.kubernetes.exec(namespace, pod, 'etcdctl member list');
  return list.trim().split('\n');
}

async function halfWayAndBack(at: At): Promise<void> {
  await measured(at, 'the spec goes to 3.5, and back when one member runs it', async () => {
    await set(at, { name, version: after });
    await until('one member runs 3.5', 180, async () => {
      const pod = await at.world.kubernetes.get('pod', `${name}-2`, at.namespace);
      return String(pod.spec?.containers?.[0]?.image).endsWith(`:${after}`);
    });
    await set(at, { name, version: before });
    await untilRuns(at, before);
  });
}

async function upgrade(at: At): Promise<void> {
  await measured(at, 'an upgrade from 3.4 to 3.5', async () => {
    await set(at, { name, version: after });
    await untilRuns(at, after);
  });
}

async function badImage(at: At): Promise<void> {
  const { world, namespace } = at;
  await measured(at, 'an image that can’t be pulled is taken back by the operator', async () => {
    await set(at, { name, version: 'nowhere' });
    await until('the upgrade has failed and all members serve again', 300, async () => {
      const store = await world.kubernetes.get(kind, name, namespace);
      const images = await imagesOf(at);
      const isBack = store.status?.readyReplicas === 3 && images.every((image) => image.endsWith(`:${after}`));
      if (isBack && store.status?.failure) return true;
      throw new Error(`${images.join(' ')} ${JSON.stringify(conditionOf(store, 'Degraded'))}`);
    });
    await set(at, { name, version: after });
    await untilRuns(at, after);
  });
}

/** What each member says that it is. */
async function rolesOf(at: At): Promise<Roles> {
  const roles = new Map<string, string>();
  for (const { metadata } of await podsOf(at))
    roles.set(
      metadata.name,
      (await at.world.kubernetes.exec(at.namespace, metadata.name, 'sh /recipe/role.sh')).trim(),
    );
  return roles;
}

async function leaderDeleted(at: At): Promise<void> {
  const { world, namespace } = at;
  await measured(at, 'the leader is deleted by hand', async () => {
    const leader = [...(await rolesOf(at))].find(([, role]) => role === 'leader')?.[0];
    check(leader !== undefined, 'no member leads');
    const { uid } = (await world.kubernetes.get('pod', leader, namespace)).metadata;
    await until('the deletion is allowed', 60, async () => {
      await world.kubernetes.kubectl(['delete', 'pod', leader, '-n', namespace, '--wait=false']);
      return true;
    });
    await until('it is there again', 120, async () => {
      const pod = await world.kubernetes.find('pod', leader, namespace);
      return pod !== undefined && pod.metadata.uid !== uid && conditionOf(pod, 'Ready').status === 'True';
    });
    await untilReady(world, { kind, name, namespace }, 60);
  });
}

async function otherSizes(at: At): Promise<void> {
  for (const replicas of [5, 3])
    await measured(at, `${replicas} members`, async () => {
      await set(at, { name, version: after, replicas });
      await until(`there are ${replicas}`, 300, async () => {
        const [pods, list] = [await podsOf(at), await memberList(at)];
        const voters = list.filter((line) => line.endsWith('false')).length;
        const ready = pods.filter((pod) => conditionOf(pod, 'Ready').status === 'True').length;
        if (list.length === replicas && voters === replicas && pods.length === replicas && ready === replicas)
          return true;
        throw new Error(`${pods.length} pods, ${ready} ready; ${list.join(' | ')}`);
      });
      await untilReady(at.world, { kind, name, namespace: at.namespace }, 60);
    });
}

async function fullStop(at: At): Promise<void> {
  const { world, namespace } = at;
  await measured(at, 'all members are deleted at once, and start with their data', async () => {
    const uids = (await podsOf(at)).map(({ metadata }) => metadata.uid ?? '');
    const pods = [0, 1, 2].map((ordinal) => `${name}-${ordinal}`);
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

async function countWrites({ world, namespace }: At): Promise<number> {
  const { kubernetes, report } = world;
  let written = 0;
  await report.step('every acknowledged write is there', async () => {
    const { acknowledged, lost, seconds, refusals } = await askEtcdLoad(kubernetes, namespace, '/finish');
    const line = `${acknowledged} writes acknowledged, ${lost ?? '?'} lost in ${seconds.toFixed(0)} s, ${JSON.stringify(refusals)}`;
    check(lost === 0, line);
    written = acknowledged;
    return line;
  });
  return written;
}

async function backupAndRestore(at: At, written: number): Promise<void> {
  const { world, namespace } = at;
  const { kubernetes, report } = world;
  const location = await report.step('a backup', async () => {
    await kubernetes.kubectl(['annotate', kind, name, '-n', namespace, 'ordinal.dev/backup=one', '--overwrite']);
    return until('it is made', 120, async () => {
      const { status } = await kubernetes.get(kind, name, namespace);
      if (status?.lastBackup?.name === 'one') return status.lastBackup.location as string;
      throw new Error(JSON.stringify(status?.backups));
    });
  });
  await report.step('a new store of three members from it, with every write', async () => {
    await set(at, { name: 'copy', version: after, restoreFrom: location });
    await untilReady(world, { kind, name: 'copy', namespace }, 300);
    const count = await kubernetes.exec(namespace, 'copy-2', 'etcdctl get load/ --prefix --keys-only | grep -c load/');
    check(Number(count) === written, `${count.trim()} keys and not ${written}`);
    return `${count.trim()} keys`;
  });
}
