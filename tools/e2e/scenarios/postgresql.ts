import { setTimeout as sleep } from 'node:timers/promises';
import { check, conditionOf, until } from '../kubernetes.ts';
import { loadPodOf } from '../load-pod.ts';
import {
  askPostgresqlLoad,
  postgresqlImages,
  postgresqlLogin,
  postgresqlStore,
  superuserPassword,
  type PostgresqlNow,
} from '../postgresql.ts';
import { backupClaim } from '../redis-store.ts';
import { inNamespace, untilReady, type World } from '../world.ts';

const kind = 'kvstorecluster';
const name = 'orders';
const { before, after, otherMajor } = postgresqlImages;

/** What the steps work with. */
interface At {
  readonly world: World;
  readonly namespace: string;
}

/** PostgreSQL on a KVStoreCluster under load: an upgrade, another major version, a leader deleted by hand, a full stop, a backup and a new store of it. */
export async function postgresqlScenario(world: World): Promise<void> {
  await world.report.scenario('KVStoreCluster: PostgreSQL under writes that a standby acknowledges', () =>
    inNamespace(world, 'e2e-postgresql', async (namespace) => {
      const at = { world, namespace };
      await begin(at);
      await upgrade(at);
      await otherMajorVersion(at);
      await leaderDeleted(at);
      await fullStop(at);
      const written = await countWrites(at);
      await backupAndRestore(at, written);
    }),
  );
}

async function set({ world, namespace }: At, store: PostgresqlNow): Promise<void> {
  await world.kubernetes.apply(...postgresqlStore(namespace, store));
}

/** Runs a step, and adds the longest time without an acknowledged write. The load asks for 500 a second; how many there are is up to the disks. */
async function measured({ world, namespace }: At, what: string, action: () => Promise<void>): Promise<void> {
  await world.report.step(what, async () => {
    const from = await askPostgresqlLoad(world.kubernetes, namespace, '/reset');
    await action();
    const to = await askPostgresqlLoad(world.kubernetes, namespace, '/counts');
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

const psql = ({ world, namespace }: At, pod: string, statement: string): Promise<string> =>
  world.kubernetes.exec(namespace, pod, `sh -c '. /recipe/member.sh; sql self "${statement}"' /recipe/x`);

/** Waits until all members run a version, and the upgrade is over. */
async function untilRuns(at: At, version: string): Promise<void> {
  const { world, namespace } = at;
  await until(`every member runs ${version}`, 300, async () => {
    const { status } = await world.kubernetes.get(kind, name, namespace);
    const images = (await podsOf(at)).map((pod) => pod.spec?.containers?.[0]?.image as string);
    const isDone = images.every((image) => image.endsWith(`:${version}`)) && status?.currentVersion === version;
    if (isDone && status?.readyReplicas === images.length) return true;
    throw new Error(`${images.join(' ')} ${JSON.stringify(status?.upgrade)}`);
  });
  await untilReady(world, { kind, name, namespace }, 120);
}

async function begin(at: At): Promise<void> {
  const { world, namespace } = at;
  const { kubernetes, report, image } = world;
  await report.step('three members, two of which copy the first', async () => {
    await kubernetes.apply(backupClaim(namespace), postgresqlLogin(namespace));
    await set(at, { name, version: before });
    await untilReady(world, { kind, name, namespace }, 300);
  });
  await report.step('writes begin', async () => {
    const environment = { PGPASSWORD: superuserPassword };
    await kubernetes.apply(...loadPodOf(namespace, { program: 'postgresql-load.ts', name, image, environment }));
    await until('writes are acknowledged', 60, async () => {
      const { acknowledged, seconds } = await askPostgresqlLoad(kubernetes, namespace, '/counts');
      return acknowledged > 1_000 && seconds > 5;
    });
  });
  await measured(at, 'nothing happens for ten seconds', () => sleep(10_000));
}

async function upgrade(at: At): Promise<void> {
  await measured(at, 'an upgrade within the major version', async () => {
    await set(at, { name, version: after });
    await untilRuns(at, after);
  });
}

async function otherMajorVersion(at: At): Promise<void> {
  const { world, namespace } = at;
  await measured(at, 'another major version is refused, and taken back by the operator', async () => {
    await set(at, { name, version: otherMajor });
    await until('the upgrade has failed', 300, async () => {
      const { status } = await world.kubernetes.get(kind, name, namespace);
      if (status?.failure) return true;
      throw new Error(JSON.stringify(status?.upgrade));
    });
    await set(at, { name, version: after });
    await untilRuns(at, after);
  });
}

/** The pod that leads. */
async function leaderOf(at: At): Promise<string> {
  for (const { metadata } of await podsOf(at)) {
    const role = await at.world.kubernetes.exec(at.namespace, metadata.name, 'sh /recipe/role.sh');
    if (role.trim() === 'primary') return metadata.name;
  }
  throw new Error('no member leads');
}

async function leaderDeleted(at: At): Promise<void> {
  const { world, namespace } = at;
  await measured(at, 'the leader is deleted by hand', async () => {
    const leader = await leaderOf(at);
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
    check((await leaderOf(at)) !== leader, 'it leads again: it has not handed over');
  });
}

async function fullStop(at: At): Promise<void> {
  const { world, namespace } = at;
  await measured(at, 'all members are deleted at once, and start with their data', async () => {
    const uids = (await podsOf(at)).map(({ metadata }) => metadata.uid ?? '');
    const opened = `ordinal.dev/open-gates=${uids.join(',')}`;
    await world.kubernetes.kubectl(['annotate', kind, name, '-n', namespace, opened, '--overwrite']);
    const pods = [0, 1, 2].map((ordinal) => `${name}-${String(ordinal)}`);
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
  let written = 0;
  await world.report.step('every acknowledged write is there', async () => {
    const { acknowledged, lost, seconds, refusals } = await askPostgresqlLoad(world.kubernetes, namespace, '/finish');
    const line = `${String(acknowledged)} writes acknowledged, ${String(lost ?? '?')} lost in ${seconds.toFixed(0)} s, ${JSON.stringify(refusals)}`;
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
    return until('it is made', 180, async () => {
      const { status } = await kubernetes.get(kind, name, namespace);
      if (status?.lastBackup?.name === 'one') return status.lastBackup.location as string;
      throw new Error(JSON.stringify(status?.backups));
    });
  });
  await report.step('a new store of three members from it, with every write', async () => {
    await set(at, { name: 'copy', version: after, restoreFrom: location });
    await untilReady(world, { kind, name: 'copy', namespace }, 300);
    const count = Number(await psql(at, 'copy-2', 'select count(*) from load'));
    check(count >= written, `${String(count)} rows, and ${String(written)} were acknowledged`);
    return `${String(count)} rows`;
  });
}
