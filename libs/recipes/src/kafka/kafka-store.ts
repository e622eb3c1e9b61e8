import { KVStoreCluster } from '@ordinal/constructs';
import { Construct } from 'constructs';
import { memberPod, memberUpgrade, port, taskPod } from './members.ts';
import type { KafkaStoreOptions } from './options.ts';
import { scripts } from './scripts.ts';

/**
 * Kafka as a KVStoreCluster, with KRaft: each member is a broker and a controller. No member goes while a partition has a replica behind, the one that leads the quorum goes
 * last, and partitions move away from members that leave. docs/recipes/kafka.md says what is promised and what is not.
 *
 * @example
 * new KafkaStore(chart, 'events', { name: 'events', version: '4.2.1', storage: { className: 'fast', size: '100Gi' } });
 */
export class KafkaStore extends Construct {
  /** The resource, for what the options do not cover: `store.resource.addJsonPatch(…)`. */
  readonly resource: KVStoreCluster;

  constructor(scope: Construct, id: string, options: KafkaStoreOptions) {
    super(scope, id);
    const { name, replicas = 3, image = 'docker.io/apache/kafka', version, storage } = options;
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
        // Partitions move, which takes as long as a copy of their data.
        scaleDown: { before: { command: scripts.command('leave.sh'), deadline: '24h' } },
        jobs: { podTemplate: taskPod(options) },
        podTemplate: memberPod(options),
      },
    });
  }
}
