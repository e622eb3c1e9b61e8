import { check, until } from '../kubernetes.ts';
import { inNamespace, untilReady, type World } from '../world.ts';

const kind = 'kvstorecluster';
const members = [0, 1, 2] as const;

/** Every member's store as an RDB file, each under the backup's name; the last line says where. */
const backup = `set -e
for i in 0 1 2; do redis-cli -h $ORDINAL_CLUSTER-$i.$ORDINAL_SERVICE --rdb /backups/$ORDINAL_BACKUP_NAME-$i.rdb >/dev/null; done
sync
echo /backups/$ORDINAL_BACKUP_NAME`;

/** The backup becomes the base of an append-only file (the multi-part layout of Redis 7 and later), which is what a member reads when it starts. */
const restore = `set -e
for i in 0 1 2; do
  place=/claims/$i/appendonlydir; mkdir -p $place
  cp $ORDINAL_BACKUP_NAME-$i.rdb $place/appendonly.aof.1.base.rdb
  : > $place/appendonly.aof.1.incr.aof
  printf 'file appendonly.aof.1.base.rdb seq 1 type b\\nfile appendonly.aof.1.incr.aof seq 1 type i\\n' > $place/appendonly.aof.manifest
done
sync
echo restored`;

/** The canary is good when member 0 holds a key that says so: the scenario decides. */
const analysis = '[ "$(redis-cli -h $ORDINAL_CLUSTER-0.$ORDINAL_SERVICE get verdict)" = good ]';

const job = (line: string): object => ({ command: ['sh', '-c', line], retries: 0, deadline: '2m' });

function store(
  namespace: string,
  name: string,
  options: { readonly version: string; readonly restoreFrom?: string },
): object {
  const { version, restoreFrom } = options;
  return {
    apiVersion: 'kvstore.example.com/v1',
    kind: 'KVStoreCluster',
    metadata: { name, namespace },
    spec: {
      version,
      replicas: members.length,
      image: 'docker.io/e2e/redis',
      port: 6379,
      storage: { className: 'standard', size: '1Gi' },
      upgradeStrategy: 'Canary',
      upgrade: { progressDeadline: '3m', onFailure: 'Rollback' },
      canary: { replicas: 1, analysis: { job: job(analysis) } },
      backup: { job: job(backup), onDelete: 'Required' },
      ...(restoreFrom === undefined ? {} : { restoreFrom: { backup: restoreFrom, job: job(restore) } }),
      jobs: {
        podTemplate: {
          spec: {
            containers: [{ name: 'task', volumeMounts: [{ name: 'backups', mountPath: '/backups' }] }],
            volumes: [{ name: 'backups', persistentVolumeClaim: { claimName: 'backups' } }],
          },
        },
      },
      podTemplate: {
        spec: {
          containers: [
            {
              name: 'kvstore',
              command: [
                'redis-server',
                '--appendonly',
                'yes',
                '--dir',
                '/data',
                '--protected-mode',
                'no',
                '--save',
                '',
              ],
              readinessProbe: { periodSeconds: 1 },
            },
          ],
        },
      },
    },
  };
}

/** KVStoreCluster on real volumes: a canary that fails, one that passes, a deletion with its final backup, and a restore. */
export async function kvStoreClusterScenario(world: World): Promise<void> {
  await world.report.scenario('KVStoreCluster: Redis with append-only files on volumes', () =>
    inNamespace(world, 'e2e-store', (namespace) => wholeLife(world, namespace)),
  );
}

async function wholeLife(world: World, namespace: string): Promise<void> {
  const { kubernetes, report } = world;
  const at = (name: string) => ({ kind, name, namespace });
  await report.step('three members with volumes come up on Redis 7.0 and are filled', async () => {
    await kubernetes.apply(backupClaim(namespace), store(namespace, 'orders', { version: '7' }));
    await untilReady(world, at('orders'), 120);
    for (const member of members)
      await kubernetes.exec(
        namespace,
        `orders-${member}`,
        `for i in $(seq 5000); do echo "set part$i ${member}-$i-$RANDOM"; done | redis-cli > /tmp/filled; grep -c OK /tmp/filled; redis-cli set verdict bad`,
      );
  });
  const before = await report.step('checksums are taken in the pods', () => checksums(world, namespace, 'orders'));
  await report.step('a canary on Redis 8.0 whose analysis fails is rolled back', async () => {
    await kubernetes.apply(store(namespace, 'orders', { version: '8' }));
    await until('the upgrade has failed and every member is back', 180, async () => {
      const { status } = await kubernetes.get(kind, 'orders', namespace);
      const images = await imagesOf(world, namespace, 'orders');
      if (status?.failure && status.readyReplicas === 3 && images.every((image) => image.endsWith(':7'))) return true;
      throw new Error(`${images.join(' ')} ${JSON.stringify(status?.upgrade)} ${JSON.stringify(status?.failure)}`);
    });
    check((await checksums(world, namespace, 'orders')) === before, 'the data has changed');
  });
  await report.step('the same canary passes and is promoted to all members', async () => {
    await kubernetes.exec(namespace, 'orders-0', 'redis-cli set verdict good');
    await kubernetes.apply(store(namespace, 'orders', { version: '7' }));
    await untilReady(world, at('orders'), 60);
    await kubernetes.apply(store(namespace, 'orders', { version: '8' }));
    await until('every member runs Redis 8.0', 240, async () => {
      const { status } = await kubernetes.get(kind, 'orders', namespace);
      if (status?.currentVersion === '8' && status.readyReplicas === 3) return true;
      throw new Error(JSON.stringify({ ...status, conditions: undefined }));
    });
    await untilReady(world, at('orders'), 60);
  });
  const promoted = await report.step('checksums are taken again', () => checksums(world, namespace, 'orders'));
  const location = await report.step('deleted after a final backup, its volumes with it', async () => {
    await kubernetes.kubectl(['delete', kind, 'orders', '-n', namespace, '--wait=false']);
    await until('the cluster is gone', 180, async () => {
      const left = await kubernetes.find(kind, 'orders', namespace);
      if (!left) return true;
      throw new Error(JSON.stringify({ hooks: left.status?.hooks, processingError: left.status?.processingError }));
    });
    const claims = (await kubernetes.list('pvc', namespace)).map(({ metadata }) => metadata.name);
    check(claims.join() === 'backups', `these claims are left: ${claims.join(', ')}`);
    const jobs = await kubernetes.list('jobs', namespace, 'ordinal.dev/purpose=FinalBackup');
    check(jobs.length === 1, `${jobs.length} Jobs of a final backup`);
    return lastLineOf(await kubernetes.kubectl(['logs', '-n', namespace, `job/${jobs[0]?.metadata.name ?? ''}`]));
  });
  await report.step('a new cluster is restored from it, with the same checksums', async () => {
    await kubernetes.apply(store(namespace, 'copies', { version: '8', restoreFrom: location }));
    await untilReady(world, at('copies'), 180);
    const restored = await checksums(world, namespace, 'copies');
    check(restored === promoted, `${restored} and not ${promoted}`);
    return restored;
  });
  await report.step('its namespace is not deleted while its final backup is due', async () => {
    const refusal = await kubernetes.kubectl(['delete', 'namespace', namespace, '--wait=false']).then(() => '', String);
    check(refusal.includes(`kubectl delete kvs -n ${namespace} copies`), `it was not refused: ${refusal}`);
  });
}

function backupClaim(namespace: string): object {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'backups', namespace },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
}

/** What every member holds: a digest of its keys in order with their values. The verdict is the scenario’s own and left out. */
async function checksums({ kubernetes }: World, namespace: string, name: string): Promise<string> {
  const digests = await Promise.all(
    members.map((member) =>
      kubernetes.exec(
        namespace,
        `${name}-${member}`,
        'redis-cli --raw keys "part*" | sort | while read key; do echo "get $key"; done | redis-cli --raw | md5sum',
      ),
    ),
  );
  return digests.map((digest) => digest.slice(0, 10)).join(' ');
}

async function imagesOf({ kubernetes }: World, namespace: string, name: string): Promise<readonly string[]> {
  const pods = await kubernetes.list(
    'pods',
    namespace,
    `app.kubernetes.io/name=kv-store-cluster,app.kubernetes.io/instance=${name}`,
  );
  return pods.map((pod) => pod.spec?.containers?.[0]?.image as string);
}

function lastLineOf(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
