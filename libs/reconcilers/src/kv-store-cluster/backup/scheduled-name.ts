import type { KVStoreCluster } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { instantOf } from '@ordinal/client';
import { compactTime } from '@ordinal/lifecycle';

/**
 * The name of the backup of a time of the schedule, such as `orders-20260501T0200Z`: the same time has the same name, and so the same Job. Where another backup has that name
 * (`taken`), it gets a number: `orders-20260501T0200Z-2`.
 */
export function scheduledName(
  { metadata }: Pick<KVStoreCluster, 'metadata'>,
  at: Instant,
  taken: readonly string[] = [],
): string {
  const name = `${metadata.name}-${compactTime(at)}`;
  let free = name;
  for (let number = 2; taken.includes(free); number += 1) free = `${name}-${number}`;
  return free;
}

/** The time of the schedule that a backup of this name is for; undefined where it has no such name. */
export function scheduledTime(cluster: Pick<KVStoreCluster, 'metadata'>, name: string): Instant | undefined {
  const found = /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)Z(-\d+)?$/.exec(name);
  const [, year, month, day, hour, minute, number = ''] = found ?? [];
  const at = instantOf(`${year}-${month}-${day}T${hour}:${minute}:00Z`);
  return at !== undefined && `${scheduledName(cluster, at)}${number}` === name ? at : undefined;
}
