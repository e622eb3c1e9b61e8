import { KVStoreCluster } from '@ordinal/constructs';
import { Construct } from 'constructs';
import { backupsBy } from '../backups.ts';
import { memberPod, port, taskPod } from './members.ts';
import type { EtcdStoreOptions } from './options.ts';
import { scripts } from './scripts.ts';
import { upgradeByQuorum } from '../stores.ts';

/**
 * etcd as a KVStoreCluster. Members join as learners and leave before their pods go, a leader moves the lead before its turn, and no member goes while the others
 * could not do without it. A backup is a snapshot. docs/recipes/etcd.md says what is promised and what is not.
 *
 * @example
 * new EtcdStore(chart, 'config', { name: 'config', version: 'v3.5.21', storage: { className: 'fast', size: '20Gi' } });
 */
export class EtcdStore extends Construct {
  /** The resource, for what the options do not cover: `store.resource.addJsonPatch(…)`. */
  readonly resource: KVStoreCluster;

  constructor(scope: Construct, id: string, options: EtcdStoreOptions) {
    super(scope, id);
    const { name, replicas = 3, image = 'gcr.io/etcd-development/etcd', version, storage } = options;
    scripts.add(this, name, replicas);
    this.resource = new KVStoreCluster(this, 'store', {
      metadata: { name },
      spec: {
        version,
        replicas,
        image,
        port,
        storage,
        upgrade: { onFailure: 'Rollback', ...upgradeByQuorum(scripts) },
        scaleDown: { before: { command: scripts.command('leave.sh') } },
        ...backupsBy(scripts, options.backup),
        jobs: { podTemplate: taskPod(options) },
        podTemplate: memberPod(options),
      },
    });
  }
}
