import type { KVStoreClusterSpec } from '@ordinal/api';
import { quantity, scheduleFault, scheduleOf } from '@ordinal/lifecycle';

type Drill = NonNullable<KVStoreClusterSpec['backup']>['drill'];

/** What is wrong with the restore drill of a spec beyond what its schema says, by field from the object's root. */
export function problemsOfDrill({
  backup,
  restoreFrom,
}: KVStoreClusterSpec): readonly { readonly field: string; readonly message: string }[] {
  const drill = backup?.drill;
  if (!drill) return [];
  const { size } = drill.storage ?? {};
  const field = 'spec.backup.drill';
  const fault = drill.schedule && scheduleFault(scheduleOf(drill.schedule));
  return [
    ...(fault ? [{ field: `${field}.schedule.${fault.field}`, message: fault.message }] : []),
    ...((drill.restore ?? restoreFrom)
      ? []
      : [{ field: `${field}.restore`, message: 'there is no Job that restores: set it, or spec.restoreFrom.job' }]),
    ...(size === undefined || (quantity(size) ?? 0) > 0
      ? []
      : [{ field: `${field}.storage.size`, message: `${size} is not a size: write it like 10Gi` }]),
  ];
}

/** The durations of a restore drill, by field. */
export const durationsOfDrill = (drill: Drill): readonly (readonly [string, string | undefined])[] => [
  ['spec.backup.drill.deadline', drill?.deadline],
  ['spec.backup.drill.check.deadline', drill?.check.deadline],
  ['spec.backup.drill.restore.deadline', drill?.restore?.deadline],
];
