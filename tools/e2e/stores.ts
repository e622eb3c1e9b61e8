import { JsonPatch } from 'cdk8s';
import { setTimeout as sleep } from 'node:timers/promises';
import { check, conditionOf, until, type Resource } from './kubernetes.ts';
import { loadPodOf, type Load } from './load-pod.ts';
import { killLeadingOperator } from './scenarios/killed-operator.ts';
import { untilReady, type World } from './world.ts';

/** What of a store a scenario changes. */
export interface StoreNow {
  readonly name: string;
  readonly version: string;
  readonly replicas?: number;
  readonly settings?: Readonly<Record<string, string>>;
  /** The backup that it begins with. */
  readonly restoreFrom?: string;
}

/** A KVStoreCluster of a recipe, and the load on it. */
export interface LoadedStore {
  readonly world: World;
  readonly namespace: string;
  readonly name: string;
  /** The store, and its scripts. */
  readonly objects: (namespace: string, now: StoreNow) => readonly object[];
}

/** What the load has counted, as pods/paced-writes.ts answers. */
interface Counts {
  readonly acknowledged: number;
  /** Only after `finish`. */
  readonly lost?: number;
  readonly longestGapMs: number;
  readonly longestWaitMs: number;
  readonly refusals: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** Of NATS, the server that leads the stream; of Galera and Kafka, the member that is written to. */
  readonly leader?: string;
}

const kind = 'kvstorecluster';

/** Patches by which an upgrade that gets no further fails after a minute and a half, and members, and Jobs with volumes, run as a user who may write to the node's. */
export const onTheNode = (
  user: Readonly<Record<string, boolean | number>>,
  templates: readonly string[] = ['/spec/podTemplate', '/spec/jobs/podTemplate'],
): readonly JsonPatch[] => [
  JsonPatch.add('/spec/upgrade/progressDeadline', '90s'),
  ...templates.flatMap((template) =>
    Object.entries(user).map(([key, value]) => JsonPatch.replace(`${template}/spec/securityContext/${key}`, value)),
  ),
];

/** Whom the node's volumes belong to. */
export const root = { runAsNonRoot: false, runAsUser: 0, runAsGroup: 0 } as const;

/** The user that the images know, beside root. */
const userId = 65_534;

/** The image with the shell that pods of recipes bring. */
export const shellImage = 'docker.io/e2e/busybox:1';

/** A container, for software that refuses root, which runs first and gives volumes, by their names, to `userId`. */
const ownerOf = (volumes: Readonly<Record<string, string>>): object => ({
  name: 'owner',
  image: shellImage,
  command: ['/bin/busybox', 'chown', `${String(userId)}:${String(userId)}`, ...Object.values(volumes)],
  volumeMounts: Object.entries(volumes).map(([name, mountPath]) => ({ name, mountPath })),
  securityContext: { runAsUser: 0, runAsNonRoot: false },
});

/** Patches for software that refuses root: members and Jobs run as another user, to whom the first containers of their pods give the volumes. */
export const asUser = (replicas: number, restoreFrom: string | undefined): readonly JsonPatch[] => {
  const restored = restoreFrom === undefined ? [] : [...Array(replicas).keys()].map(String);
  const claims = restored.map((ordinal) => [`claim-${ordinal}`, `/claims/${ordinal}`] as const);
  const first = '/spec/initContainers/-';
  return [
    ...onTheNode({ runAsUser: userId, runAsGroup: userId, fsGroup: userId }),
    // The Jobs of a copy mount its volumes; it has no other Jobs than the restore.
    ...(restoreFrom === undefined ? [] : [JsonPatch.add('/spec/backup/onDelete', 'Skip')]),
    JsonPatch.add(`/spec/podTemplate${first}`, ownerOf({ data: '/data' })),
    JsonPatch.add(`/spec/jobs/podTemplate${first}`, ownerOf({ backups: '/backups', ...Object.fromEntries(claims) })),
  ];
};

/** Asks the load for its counts. `/finish` ends it and reads back every acknowledged write; `/reset` begins a new span for the longest gap. */
export async function askStoreLoad(
  { world, namespace }: LoadedStore,
  path: '/counts' | '/reset' | '/finish',
): Promise<Counts> {
  return JSON.parse(await world.kubernetes.ask(namespace, 'load:8000', path)) as Counts;
}

/** Asks for the store to be so. */
export async function set(at: LoadedStore, now: Omit<StoreNow, 'name'>): Promise<void> {
  await at.world.kubernetes.apply(...at.objects(at.namespace, { name: at.name, ...now }));
}

/** Runs a step, and adds the longest time without an acknowledged write. The load asks for 500 a second; how many there are is up to the disks. */
export async function measured(at: LoadedStore, what: string, action: () => Promise<void>): Promise<void> {
  await at.world.report.step(what, async () => {
    const from = await askStoreLoad(at, '/reset');
    await action();
    const to = await askStoreLoad(at, '/counts');
    const rate = (to.acknowledged - from.acknowledged) / (to.seconds - from.seconds);
    return `longest time without an acknowledged write ${to.longestGapMs.toFixed(0)} ms, longest wait of one ${to.longestWaitMs.toFixed(0)} ms, ${rate.toFixed(0)} writes a second`;
  });
}

/** The members' pods. */
export const podsOf = ({ world, namespace, name }: LoadedStore): Promise<readonly Resource[]> =>
  world.kubernetes.list(
    'pods',
    namespace,
    `app.kubernetes.io/name=kv-store-cluster,app.kubernetes.io/instance=${name}`,
  );

const imagesOf = async (at: LoadedStore): Promise<readonly string[]> =>
  (await podsOf(at)).map((pod) => pod.spec?.containers?.[0]?.image as string);

const untilStoreReady = ({ world, namespace, name }: LoadedStore, seconds: number): Promise<void> =>
  untilReady(world, { kind, name, namespace }, seconds);

/** Waits until all members run a version, and nothing is under way. */
export async function untilRuns(at: LoadedStore, version: string): Promise<void> {
  const { world, namespace, name } = at;
  await until(`every member runs ${version}`, 600, async () => {
    const { status } = await world.kubernetes.get(kind, name, namespace);
    const images = await imagesOf(at);
    const isDone = images.every((image) => image.endsWith(`:${version}`)) && status?.currentVersion === version;
    if (isDone && status?.readyReplicas === images.length && status.upgrade === undefined) return true;
    throw new Error(`${images.join(' ')} ${JSON.stringify(status?.upgrade)}`);
  });
  await untilStoreReady(at, 120);
}

/** Makes the store of three members, beside what it needs. */
export async function founded(at: LoadedStore, what: string, version: string, ...needs: object[]): Promise<void> {
  await at.world.report.step(what, async () => {
    if (needs.length > 0) await at.world.kubernetes.apply(...needs);
    await set(at, { version });
    await untilStoreReady(at, 300);
  });
}

/** Begins the load, and waits until so many writes are acknowledged. */
export async function beginLoad(
  at: LoadedStore,
  load: Pick<Load, 'program' | 'environment'> & Partial<Pick<Load, 'image'>>,
  writes: number,
): Promise<void> {
  const { world, namespace, name } = at;
  const { kubernetes, report, image } = world;
  await report.step('writes begin', async () => {
    await kubernetes.apply(...loadPodOf(namespace, { image, ...load, name }));
    await until('writes are acknowledged', 180, async () => {
      const { acknowledged, seconds } = await askStoreLoad(at, '/counts');
      return acknowledged > writes && seconds > 5;
    });
  });
  await measured(at, 'nothing happens for ten seconds', () => sleep(10_000));
}

/** Asks for another version, and takes that back when one member runs it. */
export async function halfWayAndBack(at: LoadedStore, before: string, after: string): Promise<void> {
  await measured(at, `the spec goes to ${after}, and back when one member runs it`, async () => {
    await set(at, { version: after });
    await until(`one member runs ${after}`, 180, async () => {
      return (await imagesOf(at)).some((image) => image.endsWith(`:${after}`));
    });
    await set(at, { version: before });
    await untilRuns(at, before);
  });
}

/** Upgrades all members. */
export async function upgrade(at: LoadedStore, what: string, version: string): Promise<void> {
  await measured(at, what, async () => {
    await set(at, { version });
    await untilRuns(at, version);
  });
}

/** Asks for a version that there is no image of: the operator goes back to the one that runs. */
export async function badImage(at: LoadedStore, version: string): Promise<void> {
  const { world, namespace, name } = at;
  await measured(at, 'an image that can’t be pulled is taken back by the operator', async () => {
    await set(at, { version: 'nowhere' });
    await until('the upgrade has failed and all members serve again', 300, async () => {
      const store = await world.kubernetes.get(kind, name, namespace);
      const images = await imagesOf(at);
      const isBack = store.status?.readyReplicas === 3 && images.every((image) => image.endsWith(`:${version}`));
      if (isBack && store.status?.failure) return true;
      throw new Error(`${images.join(' ')} ${JSON.stringify(conditionOf(store, 'Degraded'))}`);
    });
    await set(at, { version });
    await untilRuns(at, version);
  });
}

/** The first member whose `role.sh` prints this role. One that is too busy to answer in the script's time is asked again. */
export const memberOfRole = (at: LoadedStore, role: string): Promise<string> =>
  until(`a member is ${role}`, 60, async () => {
    for (const { metadata } of await podsOf(at)) {
      const said = await at.world.kubernetes.exec(at.namespace, metadata.name, 'sh /recipe/role.sh');
      if (said.trim() === role) return metadata.name;
    }
    return undefined;
  });

/** Waits until a member has what its leader has. */
export async function untilInStep({ world, namespace }: LoadedStore, pod: string): Promise<void> {
  await until(`${pod} is in step`, 120, async () => {
    await world.kubernetes.exec(namespace, pod, 'sh /recipe/in-step.sh');
    return true;
  });
}

/** Has a pod removed, and waits until another one of its name is ready, and the store with it. */
export async function replaced(at: LoadedStore, pod: string, remove: () => Promise<void>): Promise<void> {
  const { kubernetes } = at.world;
  const { uid } = (await kubernetes.get('pod', pod, at.namespace)).metadata;
  await remove();
  await until(`another ${pod} is ready`, 120, async () => {
    const found = await kubernetes.find('pod', pod, at.namespace);
    return found !== undefined && found.metadata.uid !== uid && conditionOf(found, 'Ready').status === 'True';
  });
  await untilStoreReady(at, 60);
}

/** Deletes pods as a user does, each once it is allowed: a leader may have to wait for its successor. */
export async function deletePods({ world, namespace }: LoadedStore, ...pods: readonly string[]): Promise<void> {
  const flags = ['-n', namespace, '--ignore-not-found', '--wait=false'];
  const deleted = pods.map((pod) =>
    until(`the deletion of ${pod} is allowed`, 60, async () => {
      await world.kubernetes.kubectl(['delete', 'pod', pod, ...flags]);
      return true;
    }),
  );
  await Promise.all(deleted);
}

/** Drains one pod from the node, as a user does. */
export async function drained({ world: { kubernetes } }: LoadedStore, pod: string): Promise<void> {
  const selector = `--pod-selector=statefulset.kubernetes.io/pod-name=${pod}`;
  const flags = ['--ignore-daemonsets', '--delete-emptydir-data', '--timeout=90s'];
  await kubernetes.kubectl(['drain', 'node-1', selector, ...flags]);
  await kubernetes.kubectl(['uncordon', 'node-1']);
}

/** Asks for another setting, which all members are replaced for, and kills the operator in the middle. `sign` is in the container of a member that has it. */
export async function operatorKilled(at: LoadedStore, now: Omit<StoreNow, 'name'>, sign: string): Promise<void> {
  await measured(at, `an upgrade, and the operator is killed ${at.world.kills} times`, async () => {
    await set(at, now);
    for (let killed = 0; killed < at.world.kills; killed += 1) {
      await sleep(4_000);
      await killLeadingOperator(at.world, { replaces: false });
    }
    await until('every member has the setting', 300, async () => {
      const pods = await podsOf(at);
      const haveIt = pods.filter((pod) => JSON.stringify(pod.spec?.containers?.[0]).includes(sign));
      if (haveIt.length === 3) return true;
      throw new Error(`${haveIt.length} have it`);
    });
    await untilRuns(at, now.version);
  });
}

/** Makes the store larger, and as small as before. `sizeOf` says how many members the software has; it throws where one of them does not count yet. */
export async function otherSizes(
  at: LoadedStore,
  now: Omit<StoreNow, 'name' | 'replicas'>,
  sizeOf: () => Promise<number>,
): Promise<void> {
  for (const replicas of [5, 3])
    await measured(at, `${replicas} members`, async () => {
      await set(at, { ...now, replicas });
      await until(`there are ${replicas}`, 300, async () => {
        const [pods, size] = [await podsOf(at), await sizeOf()];
        const ready = pods.filter((pod) => conditionOf(pod, 'Ready').status === 'True').length;
        if (size === replicas && pods.length === replicas && ready === replicas) return true;
        throw new Error(`${pods.length} pods, ${ready} ready; ${size} members of the software`);
      });
      await untilStoreReady(at, 60);
    });
}

/** Deletes all three members at once. */
export async function fullStop(at: LoadedStore): Promise<void> {
  const { world, namespace, name } = at;
  await measured(at, 'all members are deleted at once, and start with their data', async () => {
    const uids = (await podsOf(at)).map(({ metadata }) => metadata.uid ?? '');
    const opened = `ordinal.dev/open-gates=${uids.join(',')}`;
    await world.kubernetes.kubectl(['annotate', kind, name, '-n', namespace, opened, '--overwrite']);
    await deletePods(at, ...[0, 1, 2].map((ordinal) => `${name}-${ordinal}`));
    await until('all are new, and serve', 240, async () => {
      const found = await podsOf(at);
      const isNew = found.length === 3 && found.every(({ metadata }) => !uids.includes(metadata.uid ?? ''));
      return isNew && found.every((pod) => conditionOf(pod, 'Ready').status === 'True');
    });
    await untilStoreReady(at, 120);
    // Members that wait for one without a pod are ready as well.
    const { acknowledged } = await askStoreLoad(at, '/counts');
    await until(
      'writes are acknowledged again',
      120,
      async () => (await askStoreLoad(at, '/counts')).acknowledged > acknowledged,
    );
  });
}

/** Kills the servers of all members at once: none hands over. Their containers start again, with their data. */
export async function allKilled(at: LoadedStore, server: string): Promise<void> {
  await measured(at, 'the servers of all members are killed at once', async () => {
    const before = await restartsOf(at);
    const killed = [...before.keys()].map((pod) => at.world.kubernetes.exec(at.namespace, pod, `killall -9 ${server}`));
    await Promise.all(killed);
    await until('all have started again, and serve', 120, async () => {
      const now = await restartsOf(at);
      return [...before].every(([pod, restarts]) => (now.get(pod) ?? 0) > restarts);
    });
    await untilStoreReady(at, 120);
  });
}

const restartsOf = async (at: LoadedStore): Promise<ReadonlyMap<string, number>> =>
  new Map(
    (await podsOf(at)).map(({ metadata, status }) => [
      metadata.name,
      Number(status?.containerStatuses?.[0]?.restartCount ?? 0),
    ]),
  );

/** Ends the load, and holds the store to its promise. Returns how many writes were acknowledged. */
export async function countWrites(at: LoadedStore): Promise<number> {
  let written = 0;
  await at.world.report.step('every acknowledged write is there', async () => {
    const { acknowledged, lost, seconds, refusals } = await askStoreLoad(at, '/finish');
    const line = `${acknowledged} writes acknowledged, ${lost ?? '?'} lost in ${seconds.toFixed(0)} s, ${JSON.stringify(refusals)}`;
    check(lost === 0, line);
    written = acknowledged;
    return line;
  });
  return written;
}

/** Backs the store up, and makes a new one, `copy`, of three members from that. `checkCopy` says what it holds, and throws where that is not all. */
export async function backupAndRestore(
  at: LoadedStore,
  version: string,
  checkCopy: () => Promise<string>,
): Promise<void> {
  const { world, namespace, name } = at;
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
    const copy = { ...at, name: 'copy' };
    await set(copy, { version, restoreFrom: location });
    await untilStoreReady(copy, 300);
    return checkCopy();
  });
}
