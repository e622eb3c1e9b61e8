import type { Instant } from '@ordinal/client';
import { timestamp } from '@ordinal/client';
import type { Progress, TaskStep } from '@ordinal/lifecycle';
import { hookSubject } from '@ordinal/lifecycle';
import { hookRecord, isHookDone } from './hook-record.ts';
import { cacheTask } from './jobs.ts';
import type { CacheObservation } from './observe.ts';
import type { Goal } from './template.ts';

/** How far the Job has come that must succeed before the first member is replaced; undefined where there is none, or its success is on record. */
export function hookOf(
  seen: CacheObservation,
  { wanted, progress }: { readonly wanted: Goal; readonly progress: Progress | undefined },
  now: Instant,
): TaskStep | undefined {
  const { cache } = seen;
  const task = cache.spec.upgrade?.beforeFirstPod;
  if (!task || !progress || wanted.failed || isHookDone(cache, wanted.revision)) return undefined;
  const begun = hookRecord(cache, wanted.revision)?.subject;
  const subject = begun ?? hookSubject(wanted.revision, timestamp(progress.startedAt));
  return cacheTask(seen, { purpose: 'BeforeUpgrade', subject, task }, now);
}
