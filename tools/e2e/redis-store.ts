import type { World } from './world.ts';

/** The ordinals of the members that a scenario runs. */
export const members = [0, 1, 2] as const;

/** Prints a digest of what a server holds: its keys in order with their values. The verdict is the scenario’s own and left out. */
const digest = (redis: string): string =>
  `${redis} --raw keys "part*" | sort | while read key; do echo "get $key"; done | ${redis} --raw | md5sum`;

const server = 'redis-cli -h $ORDINAL_CLUSTER-$i.$ORDINAL_SERVICE';
const everyMember = 'for i in $(seq 0 $((ORDINAL_REPLICAS - 1))); do';

/** Every member's store as an RDB file, each under the backup's name, with its digest beside it; the last line says where. */
const backup = `set -e
${everyMember}
  ${server} --rdb /backups/$ORDINAL_BACKUP_NAME-$i.rdb >/dev/null
  ${digest(server)} > /backups/$ORDINAL_BACKUP_NAME-$i.md5
done
sync
echo /backups/$ORDINAL_BACKUP_NAME`;

/** The backup becomes the base of an append-only file (the multi-part layout of Redis 7 and later), which is what a member reads when it starts. */
const restore = `set -e
from=\${ORDINAL_BACKUP_LOCATION:-$ORDINAL_BACKUP_NAME}
${everyMember}
  redis-check-rdb $from-$i.rdb >/tmp/checked || { echo "$from-$i.rdb is no whole RDB file"; exit 1; }
  place=/claims/$i/appendonlydir; mkdir -p $place
  cp $from-$i.rdb $place/appendonly.aof.1.base.rdb
  : > $place/appendonly.aof.1.incr.aof
  printf 'file appendonly.aof.1.base.rdb seq 1 type b\\nfile appendonly.aof.1.incr.aof seq 1 type i\\n' > $place/appendonly.aof.manifest
done
sync
echo restored`;

/** A copy is good when it holds what the member held when it was backed up. */
const check = `set -e
${everyMember}
  held=$(cat $ORDINAL_BACKUP_LOCATION-$i.md5); holds=$(${digest(server)})
  [ "$held" = "$holds" ] || { echo "member $i held $held and its copy $holds, with $(${server} keys "part*" | wc -l) keys"; exit 1; }
  echo "member $i: $(${server} keys "part*" | wc -l) keys"
done`;

/** The canary is good when member 0 holds a key that says so: the scenario decides. */
const analysis = '[ "$(redis-cli -h $ORDINAL_CLUSTER-0.$ORDINAL_SERVICE get verdict)" = good ]';

const job = (line: string): object => ({ command: ['sh', '-c', line], retries: 0, deadline: '2m' });

/** A KVStoreCluster of three Redis members with append-only files, whose Jobs share the claim of the backups. */
export function redisStore(
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
      backup: {
        job: job(backup),
        onDelete: 'Required',
        drill: { restore: job(restore), check: job(check), deadline: '3m' },
      },
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

/** The claim that the Jobs keep backups in. */
export function backupClaim(namespace: string): object {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'backups', namespace },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
}

/** A digest of what each member holds. */
export async function checksums({ kubernetes }: World, namespace: string, name: string): Promise<string> {
  const digests = await Promise.all(
    members.map((member) => kubernetes.exec(namespace, `${name}-${member}`, digest('redis-cli'))),
  );
  return digests.map((found) => found.slice(0, 10)).join(' ');
}
