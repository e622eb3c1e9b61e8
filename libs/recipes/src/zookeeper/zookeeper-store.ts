import { KVStoreCluster } from '@ordinal/constructs';
import { Construct } from 'constructs';
import { memberPod, port, taskPod } from './members.ts';
import type { ZookeeperStoreOptions } from './options.ts';
import { scripts } from './scripts.ts';
import { upgradeByQuorum } from '../stores.ts';

/**
 * ZooKeeper as a KVStoreCluster. Members join without a vote and leave before their pods go, a leader names a successor before its turn, and no member goes while the others
 * could not do without it. docs/recipes/zookeeper.md says what is promised and what is not.
 *
 * @example
 * new ZookeeperStore(chart, 'locks', { name: 'locks', version: '3.8.4', storage: { className: 'fast', size: '10Gi' }, auth: { secretName: 'locks-auth' } });
 */
export class ZookeeperStore extends Construct {
  /** The resource, for what the options do not cover: `store.resource.addJsonPatch(…)`. */
  readonly resource: KVStoreCluster;

  constructor(scope: Construct, id: string, options: ZookeeperStoreOptions) {
    super(scope, id);
    const { name, replicas = 3, image = 'docker.io/library/zookeeper', version, storage } = options;
    scripts.add(this, name, replicas);
    const upgrade = upgradeByQuorum(scripts);
    this.resource = new KVStoreCluster(this, 'store', {
      metadata: { name },
      spec: {
        version,
        replicas,
        image,
        port,
        storage,
        // Its hand-over runs the software's own client twice, each a program in Java.
        upgrade: { onFailure: 'Rollback', ...upgrade, handoff: { ...upgrade.handoff, timeout: '60s' } },
        scaleDown: { before: { command: scripts.command('leave.sh') } },
        jobs: { podTemplate: taskPod(options) },
        podTemplate: memberPod(options),
      },
    });
  }
}
