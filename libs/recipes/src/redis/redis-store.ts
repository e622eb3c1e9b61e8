import { KVStoreCluster } from '@ordinal/constructs';
import type { KVStoreClusterProps } from '@ordinal/constructs';
import { Construct } from 'constructs';
import { memberPod, memberUpgrade, portOf, taskPod } from './members.ts';
import type { RedisStoreOptions } from './options.ts';
import { scripts } from './scripts.ts';

const repositories = { Redis: 'docker.io/library/redis', Valkey: 'docker.io/valkey/valkey' } as const;

/** The parts of a spec that back up to a claim, and begin with a backup. */
function backups(options: RedisStoreOptions): Partial<KVStoreClusterProps['spec']> {
  const { backup } = options;
  if (!backup) return {};
  const { claimName, cron, restoreFrom } = backup;
  const restore = { command: scripts.command('restore.sh') };
  return {
    backup: { job: { command: scripts.command('backup.sh') }, ...(cron === undefined ? {} : { schedule: { cron } }) },
    jobs: { podTemplate: taskPod(options, claimName) },
    ...(restoreFrom === undefined ? {} : { restoreFrom: { backup: restoreFrom, job: restore } }),
  };
}

/**
 * Redis or Valkey as a KVStoreCluster: each member writes an append-only file to its volume. After a stop of all members the one that led last leads again. A
 * backup is an RDB file of the leader. docs/recipes/redis.md says what is promised and what is not.
 *
 * @example
 * new RedisStore(chart, 'carts', { name: 'carts', version: '8.0', storage: { className: 'fast', size: '10Gi' } });
 */
export class RedisStore extends Construct {
  /** The resource, for what the options do not cover: `store.resource.addJsonPatch(…)`. */
  readonly resource: KVStoreCluster;

  constructor(scope: Construct, id: string, options: RedisStoreOptions) {
    super(scope, id);
    const { name, replicas = 3, software = 'Redis', image = repositories[software], version, storage } = options;
    scripts.add(this, name, replicas);
    this.resource = new KVStoreCluster(this, 'store', {
      metadata: { name },
      spec: {
        version,
        replicas,
        image,
        port: portOf(options),
        storage,
        upgrade: { onFailure: 'Rollback', ...memberUpgrade() },
        ...backups(options),
        podTemplate: memberPod(options, 'kvstore', '/data'),
      },
    });
  }
}
