import { metricPages } from '../install.ts';
import { check, conditionOf, until } from '../kubernetes.ts';
import { checksums } from '../redis-store.ts';
import type { World } from '../world.ts';

const kind = 'kvstorecluster';

/** The store whose backups are drilled. */
interface Place {
  readonly name: string;
  readonly namespace: string;
}

/** Makes the file of a backup one that restores without a complaint, with one key less: Redis reads it, drops the key, and writes it again. */
const dropKey = `set -e
cd /tmp; cp "$FILE" dump.rdb
redis-server --port 7000 --dir /tmp --save '' --daemonize yes >/dev/null
until redis-cli -p 7000 ping | grep -q PONG; do sleep 0.1; done
[ "$(redis-cli -p 7000 del part4711)" = 1 ]
redis-cli -p 7000 save
cp dump.rdb "$FILE"; sync`;

const cutOff = 'set -e; head -c 2000 "$FILE" > /tmp/part; cp /tmp/part "$FILE"; sync';

/**
 * Restore drills of backups of real data: a good one, one that restores with a key missing, and one that is cut off. Each leaves nothing of its scratch cluster, and the store as it
 * was.
 */
export async function restoreDrills(world: World, place: Place): Promise<void> {
  const { report } = world;
  const before = await checksums(world, place.namespace, place.name);
  await report.step(
    'a restore drill: the backup is restored into a scratch cluster, checked, and removed',
    async () => {
      await backUp(world, place, 'whole');
      const drill = await drilled(world, place, 'whole');
      check(drill.result === 'Succeeded', `it has ${JSON.stringify(drill)}`);
      await reported(world, place, { succeeded: true });
      return drill.message;
    },
  );
  await report.step('the drill of a backup that lacks one key of 5000 is reported as failed', async () => {
    await backUp(world, place, 'lossy');
    await spoil(world, place, { backup: 'lossy', line: dropKey });
    const drill = await drilled(world, place, 'lossy');
    check(drill.result === 'Failed' && drill.message.includes('4999 keys'), `it has ${JSON.stringify(drill)}`);
    await reported(world, place, { succeeded: false });
    return drill.message;
  });
  await report.step('and so is that of a backup that is cut off, which the restore refuses', async () => {
    await backUp(world, place, 'short');
    await spoil(world, place, { backup: 'short', line: cutOff });
    const drill = await drilled(world, place, 'short');
    const isRefused = drill.result === 'Failed' && drill.message.includes('is no whole RDB file');
    check(isRefused, `it has ${JSON.stringify(drill)}`);
    await reported(world, place, { succeeded: false });
    return drill.message;
  });
  await report.step('a good backup after them makes it restorable again, and the store is as it was', async () => {
    await backUp(world, place, 'again');
    const drill = await drilled(world, place, 'again');
    check(drill.result === 'Succeeded', `it has ${JSON.stringify(drill)}`);
    await reported(world, place, { succeeded: true });
    check((await checksums(world, place.namespace, place.name)) === before, 'the data of the store has changed');
  });
}

async function backUp({ kubernetes }: World, { name, namespace }: Place, backup: string): Promise<void> {
  await kubernetes.kubectl(['annotate', kind, name, '-n', namespace, `ordinal.dev/backup=${backup}`, '--overwrite']);
  await until(`the backup ${backup} has succeeded`, 60, async () => {
    const { status } = await kubernetes.get(kind, name, namespace);
    if (status?.lastBackup?.name === backup) return true;
    throw new Error(JSON.stringify({ last: status?.lastBackup, error: status?.processingError }));
  });
}

/** Runs a shell line on the file of member 0 in a backup, in a pod of its own. */
async function spoil(
  { kubernetes }: World,
  { name, namespace }: Place,
  { backup, line }: { readonly backup: string; readonly line: string },
): Promise<void> {
  const pod = `spoil-${backup}`;
  const member = await kubernetes.get('pod', `${name}-0`, namespace);
  await kubernetes.apply({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: pod, namespace },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name: 'spoil',
          image: member.spec?.containers?.[0]?.image as string,
          command: ['sh', '-c', line],
          env: [{ name: 'FILE', value: `/backups/${backup}-0.rdb` }],
          volumeMounts: [{ name: 'backups', mountPath: '/backups' }],
        },
      ],
      volumes: [{ name: 'backups', persistentVolumeClaim: { claimName: 'backups' } }],
    },
  });
  await until(`the pod ${pod} has succeeded`, 60, async () => {
    const { status } = await kubernetes.get('pod', pod, namespace);
    check(status?.phase !== 'Failed', 'it has failed');
    return status?.phase === 'Succeeded';
  });
}

/** Asks for a drill, and waits until it has a result and its scratch cluster is gone, with its pods and volumes. */
async function drilled(
  { kubernetes }: World,
  { name, namespace }: Place,
  drill: string,
): Promise<{ readonly result: string; readonly message: string }> {
  await kubernetes.kubectl([
    ...['annotate', kind, name, '-n', namespace, `ordinal.dev/restore-drill=${drill}`, '--overwrite'],
  ]);
  let scratch = '';
  const ended = await until(`the restore drill ${drill} has ended`, 240, async () => {
    const { status, ...rest } = await kubernetes.get(kind, name, namespace);
    const record = ((status?.drills ?? []) as readonly Record<string, string>[]).find((seen) => seen['name'] === drill);
    scratch ||= (await kubernetes.list(kind, namespace, 'ordinal.dev/drill-of'))[0]?.metadata.name ?? '';
    if (record?.['finishedAt'] !== undefined) return record;
    throw new Error(conditionOf({ status, ...rest }, 'Restorable').message ?? JSON.stringify(record));
  });
  check(scratch !== '' && ended['cluster'] === scratch, `the scratch cluster was ${scratch}, not ${ended['cluster']}`);
  check(ended['backup'] === drill, `it has restored ${ended['backup']}`);
  await until('nothing is left of the scratch cluster', 60, async () => {
    const kinds = 'kvstoreclusters,statefulsets,pods,services,pvc';
    const left = (await kubernetes.list(kinds, namespace)).map(({ metadata }) => metadata.name);
    const of = left.filter((found) => found.includes(scratch));
    if (of.length === 0) return true;
    throw new Error(of.join(', '));
  });
  return { result: ended['result'] ?? '', message: ended['message'] ?? '' };
}

/** Holds the condition, the event and the metrics to the result of the newest drill. */
async function reported(
  { kubernetes }: World,
  { name, namespace }: Place,
  { succeeded }: { readonly succeeded: boolean },
): Promise<void> {
  const reason = succeeded ? 'DrillSucceeded' : 'DrillFailed';
  const restorable = conditionOf(await kubernetes.get(kind, name, namespace), 'Restorable');
  const isSaid = restorable.status === (succeeded ? 'True' : 'False') && restorable.reason === reason;
  check(isSaid, `Restorable is ${JSON.stringify(restorable)}`);
  const events = await kubernetes.kubectl([
    ...['get', 'events', '-n', namespace, '--field-selector', `reason=Restore${reason}`, '-o', 'name'],
  ]);
  check(events.trim() !== '', `there is no event Restore${reason}`);
  const gauge = `ordinal_kvstorecluster_drill_failed{namespace="${namespace}",name="${name}"} ${succeeded ? 0 : 1}`;
  await until(gauge, 60, async () => (await metricPages(kubernetes)).some((page) => page.includes(gauge)));
}
