import { KVStoreCluster } from '@ordinal/constructs';
import { Construct } from 'constructs';
import { backupsBy } from '../backups.ts';
import { memberPod, memberUpgrade, portOf, taskPod } from './members.ts';
import type { RedisStoreOptions } from './options.ts';
import { scripts } from './scripts.ts';

const repositories = { Redis: 'docker.io/library/redis', Valkey: 'docker.io/valkey/valkey' } as const;

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
    const { name, replicas = 3, software = 'Redis', image = repositories[software] } = options;
    const { version, storage, backup } = options;
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
        ...backupsBy(scripts, backup),
        ...(backup ? { jobs: { podTemplate: taskPod(options, backup.claimName) } } : {}),
        podTemplate: memberPod(options, 'kvstore', '/data'),
      },
    });
  }
}
