import { KVStoreCluster } from '@ordinal/constructs';
import { Construct } from 'constructs';
import { memberPod, port, taskPod } from './members.ts';
import type { NatsStoreOptions } from './options.ts';
import { scripts } from './scripts.ts';
import { upgradeByQuorum } from '../stores.ts';

/**
 * NATS with JetStream as a KVStoreCluster. A member that ends hands its streams over in lame duck mode, and none goes while the others lack anything of theirs. Before
 * a reduction what is on the members that leave moves to those that stay. docs/recipes/nats.md says what is promised and what is not.
 *
 * @example
 * new NatsStore(chart, 'bus', { name: 'bus', version: '2.10.27', storage: { className: 'fast', size: '50Gi' }, auth: { secretName: 'bus-auth' } });
 */
export class NatsStore extends Construct {
  /** The resource, for what the options do not cover: `store.resource.addJsonPatch(…)`. */
  readonly resource: KVStoreCluster;

  constructor(scope: Construct, id: string, options: NatsStoreOptions) {
    super(scope, id);
    const { name, replicas = 3, image = 'docker.io/library/nats', version, storage } = options;
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
        jobs: { podTemplate: taskPod(options) },
        podTemplate: memberPod(options),
      },
    });
  }
}
