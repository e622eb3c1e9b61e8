import type { KVStoreClusterProps } from '@ordinal/constructs';
import type { Scripts } from './scripts.ts';

/** When a store is backed up, and which backup it begins with. */
interface BackupTimes {
  readonly cron?: string;
  readonly restoreFrom?: string;
}

/** The parts of a KVStoreCluster's spec that back up, and begin with a backup, by the scripts `backup.sh` and `restore.sh`. Empty where there are to be no backups. */
export function backupsBy(
  scripts: Scripts<'backup.sh' | 'restore.sh'>,
  backup: BackupTimes | undefined,
): Pick<KVStoreClusterProps['spec'], 'backup' | 'restoreFrom'> {
  if (!backup) return {};
  const { cron, restoreFrom } = backup;
  const restore = { command: scripts.command('restore.sh') };
  return {
    backup: { job: { command: scripts.command('backup.sh') }, ...(cron === undefined ? {} : { schedule: { cron } }) },
    ...(restoreFrom === undefined ? {} : { restoreFrom: { backup: restoreFrom, job: restore } }),
  };
}
