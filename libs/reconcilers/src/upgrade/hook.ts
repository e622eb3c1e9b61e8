import { timestamp } from '@ordinal/client';
import type { Progress, TaskStep } from '@ordinal/lifecycle';
import { hookSubject } from '@ordinal/lifecycle';
import { hookRecord, isHookDone } from './hook-record.ts';
import type { RunTask } from './jobs.ts';
import { upgradeSteps } from './steps.ts';
import type { Goal, Upgradable } from './upgradable.ts';

/** How far the Job has come that must succeed before the first member is replaced; undefined where there is none, or its success is on record. */
export function hookOf(
  object: Upgradable,
  { wanted, progress }: { readonly wanted: Goal; readonly progress: Progress | undefined },
  run: RunTask,
): TaskStep | undefined {
  const task = upgradeSteps(object).beforeFirstPod;
  if (!task || !progress || wanted.failed || isHookDone(object, wanted.revision)) return undefined;
  const begun = hookRecord(object, wanted.revision)?.subject;
  const subject = begun ?? hookSubject(wanted.revision, timestamp(progress.startedAt));
  return run({ purpose: 'BeforeUpgrade', subject, task });
}
