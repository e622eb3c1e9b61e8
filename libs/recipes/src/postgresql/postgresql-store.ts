import { KVStoreCluster } from '@ordinal/constructs';
import { Construct } from 'constructs';
import { backupsBy } from '../backups.ts';
import { memberPod, memberUpgrade, port, taskPod } from './members.ts';
import type { PostgresqlStoreOptions } from './options.ts';
import { scripts } from './scripts.ts';

/**
 * PostgreSQL as a KVStoreCluster, by streaming replication: one member leads, and a write is acknowledged when a standby has it too. A planned change hands over
 * first; members elect another one when the one that leads is gone. docs/recipes/postgresql.md says what is promised and what is not.
 *
 * @example
 * new PostgresqlStore(chart, 'orders', { name: 'orders', version: '17.6', storage: { className: 'fast', size: '50Gi' }, auth: { secretName: 'orders-login' } });
 */
export class PostgresqlStore extends Construct {
  /** The resource, for what the options do not cover: `store.resource.addJsonPatch(…)`. */
  readonly resource: KVStoreCluster;

  constructor(scope: Construct, id: string, options: PostgresqlStoreOptions) {
    super(scope, id);
    const { name, replicas = 3, image = 'docker.io/library/postgres', version, storage, backup } = options;
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
        scaleDown: { before: { command: scripts.command('leave.sh') } },
        ...backupsOf(backup),
        jobs: { podTemplate: taskPod(options) },
        podTemplate: memberPod(options),
      },
    });
  }
}

/** A restore replays the log up to the time that is asked for, and may take long. */
function backupsOf(backup: PostgresqlStoreOptions['backup']): ReturnType<typeof backupsBy> {
  const { restoreFrom, ...others } = backupsBy(scripts, backup);
  if (!restoreFrom) return others;
  const to = backup?.restoreTo === undefined ? [] : [backup.restoreTo];
  const job = { command: [...scripts.command('restore.sh'), ...to], deadline: '24h' };
  return { ...others, restoreFrom: { ...restoreFrom, job } };
}
