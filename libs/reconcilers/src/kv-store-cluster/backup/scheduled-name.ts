import type { KVStoreCluster } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { instantOf, compactTime } from '@ordinal/lifecycle';

/** The name of the backup of a time of the schedule, such as `orders-20260501T0200Z`: the same time has the same name, and so the same Job. */
export function scheduledName({ metadata }: Pick<KVStoreCluster, 'metadata'>, at: Instant): string {
  return `${metadata.name}-${compactTime(at)}`;
}

/** The time of the schedule that a backup of this name is for; undefined where it has no such name. */
export function scheduledTime(cluster: Pick<KVStoreCluster, 'metadata'>, name: string): Instant | undefined {
  const [, year, month, day, hour, minute] = /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)Z$/.exec(name) ?? [];
  const at = instantOf(`${year}-${month}-${day}T${hour}:${minute}:00Z`);
  return at !== undefined && scheduledName(cluster, at) === name ? at : undefined;
}
