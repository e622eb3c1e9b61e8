import { KVStoreCluster } from '@ordinal/constructs';
import { Construct } from 'constructs';
import { memberPod, memberUpgrade, port, taskPod } from './members.ts';
import type { RabbitmqStoreOptions } from './options.ts';
import { scripts } from './scripts.ts';

/**
 * RabbitMQ with quorum queues as a KVStoreCluster. A member that ends goes into maintenance mode first, none goes while another one lacks anything of its queues, and replicas move
 * away from members that leave. docs/recipes/rabbitmq.md says what is promised and what is not.
 *
 * @example
 * new RabbitmqStore(chart, 'jobs', { name: 'jobs', version: '4.3.6', storage: { className: 'fast', size: '50Gi' }, auth: { secretName: 'jobs-auth' } });
 */
export class RabbitmqStore extends Construct {
  /** The resource, for what the options do not cover: `store.resource.addJsonPatch(…)`. */
  readonly resource: KVStoreCluster;

  constructor(scope: Construct, id: string, options: RabbitmqStoreOptions) {
    super(scope, id);
    const { name, replicas = 3, image = 'docker.io/library/rabbitmq', version, storage } = options;
    scripts.add(this, name, replicas);
    this.resource = new KVStoreCluster(this, 'store', {
      metadata: { name },
      spec: {
        version,
        replicas,
        image,
        port,
        storage,
        upgrade: { onFailure: 'Rollback', ...memberUpgrade() },
        // Replicas move, which takes as long as a copy of the queues.
        scaleDown: { before: { command: scripts.command('leave.sh'), deadline: '24h' } },
        jobs: { podTemplate: taskPod(options) },
        podTemplate: memberPod(options),
      },
    });
  }
}
