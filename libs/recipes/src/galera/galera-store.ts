import { KVStoreCluster } from '@ordinal/constructs';
import { Construct } from 'constructs';
import { backupsBy } from '../backups.ts';
import { memberPod, memberUpgrade, port, taskPod } from './members.ts';
import type { GaleraStoreOptions } from './options.ts';
import { scripts } from './scripts.ts';

/**
 * MariaDB Galera as a KVStoreCluster. Members are equal, and one goes only when all others are in step. After a stop of all, the member that has the most founds the cluster
 * again, when every one has said what it has. A backup is a whole copy. docs/recipes/galera.md says what is promised and what is not.
 *
 * @example
 * new GaleraStore(chart, 'orders', { name: 'orders', version: '11.8.3', storage: { className: 'fast', size: '50Gi' }, auth: { secretName: 'orders-login' } });
 */
export class GaleraStore extends Construct {
  /** The resource, for what the options do not cover: `store.resource.addJsonPatch(…)`. */
  readonly resource: KVStoreCluster;

  constructor(scope: Construct, id: string, options: GaleraStoreOptions) {
    super(scope, id);
    const { name, replicas = 3, image = 'docker.io/library/mariadb', version, storage } = options;
    scripts.add(this, name, replicas);
    this.resource = new KVStoreCluster(this, 'store', {
      metadata: { name },
      spec: {
        version,
        replicas,
        image,
        port,
        storage,
        upgrade: { onFailure: 'Rollback', ...memberUpgrade },
        scaleDown: { before: { command: scripts.command('leave.sh') } },
        ...backupsBy(scripts, options.backup),
        jobs: { podTemplate: taskPod(options) },
        podTemplate: memberPod(options),
      },
    });
  }
}
