import type { UpgradeTaskToBuild } from '@ordinal/constructs';
import { hashOf } from '@ordinal/constructs';
import type { TaskRecord } from '@ordinal/lifecycle';
import { hookSubject, isHookChanged } from '@ordinal/lifecycle';
import { upgradeSteps } from './steps.ts';
import type { Upgradable } from './upgradable.ts';

/** The record of a purpose in the status. */
export const recordOf = (
  status: Upgradable['status'],
  purpose: UpgradeTaskToBuild['purpose'],
): TaskRecord | undefined => status?.hooks?.find((record) => record.purpose === purpose);

/** The record of the Job before the first member of an upgrade to this revision that is under way; undefined where none is recorded. */
export function hookRecord({ status }: Upgradable, revision: string): TaskRecord | undefined {
  const { upgrade } = status ?? {};
  const record = recordOf(status, 'BeforeUpgrade');
  if (upgrade?.revision !== revision || upgrade.step === 'Failed' || record?.spent === true) return undefined;
  return record?.subject.startsWith(hookSubject(revision, '')) ? record : undefined;
}

/** Whether an upgrade has a Job before its first member: not what is made first, and nothing that goes back. */
function hasHook(object: Upgradable, revision: string): boolean {
  const ran = object.status?.currentRevision;
  return upgradeSteps(object).beforeFirstPod !== undefined && ran !== undefined && ran !== revision;
}

/** Whether members may be made of this revision, as far as the Job before the first one is concerned: it has succeeded, and that is on record. */
export const isHookDone = (object: Upgradable, revision: string): boolean =>
  !hasHook(object, revision) || hookRecord(object, revision)?.result === 'Succeeded';

/** Whether the upgrade to this revision has failed because of a Job before the first member that is another one by now, or none. */
export function isMended(object: Upgradable, revision: string): boolean {
  const { status } = object;
  const record = recordOf(status, 'BeforeUpgrade');
  if (!record?.subject.startsWith(hookSubject(revision, ''))) return false;
  const task = upgradeSteps(object).beforeFirstPod;
  return isHookChanged({ reason: status?.failure?.reason, record }, task && hashOf(task));
}
