import type { KVStoreClusterSpec } from '@ordinal/api';
import { quantity, scheduleOf, validateSchedule } from '@ordinal/lifecycle';
import type { ValidationError } from '@ordinal/lifecycle';

type Drill = NonNullable<KVStoreClusterSpec['backup']>['drill'];

/** What is wrong with the restore drill of a spec beyond what its schema says. */
export function validateDrill({ backup, restoreFrom }: KVStoreClusterSpec): readonly ValidationError[] {
  const drill = backup?.drill;
  if (!drill) return [];
  const { size } = drill.storage ?? {};
  const path = 'spec.backup.drill';
  return [
    ...(drill.schedule ? validateSchedule(scheduleOf(drill.schedule), `${path}.schedule`) : []),
    ...((drill.restore ?? restoreFrom)
      ? []
      : [{ path: `${path}.restore`, message: 'there is no Job that restores: set it, or spec.restoreFrom.job' }]),
    ...(size === undefined || (quantity(size) ?? 0) > 0
      ? []
      : [{ path: `${path}.storage.size`, message: `${size} is not a size: write it like 10Gi` }]),
  ];
}

/** The durations of a restore drill, by field. */
export const durationsOfDrill = (drill: Drill): readonly (readonly [string, string | undefined])[] => [
  ['spec.backup.drill.deadline', drill?.deadline],
  ['spec.backup.drill.check.deadline', drill?.check.deadline],
  ['spec.backup.drill.restore.deadline', drill?.restore?.deadline],
];
