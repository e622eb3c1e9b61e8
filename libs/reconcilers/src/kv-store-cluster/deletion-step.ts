import type { Instant, KubernetesObject } from '@ordinal/client';
import type { Action, Announcement } from '../decision/index.ts';
import { earliest, instantOf } from '../decision/index.ts';
import type { TaskStep } from '../task/index.ts';

/** One step of a deletion. */
export interface DeletionStep {
  readonly reason:
    | 'BeforeDelete'
    | 'Backup'
    | 'FinalBackup'
    | 'Orphaning'
    | 'StoppingMembers'
    | 'DeletingJobs'
    | 'DeletingVolumes'
    | 'Released';
  readonly message: string;
  readonly actions: readonly Action[];
  readonly tasks: readonly TaskStep[];
  readonly events: readonly Announcement[];
  readonly failed?: boolean;
  readonly lookAgainAt?: Instant;
}

/** A step that does nothing but what is said. */
export const step = (
  reason: DeletionStep['reason'],
  message: string,
  more: Partial<DeletionStep> = {},
): DeletionStep => ({
  reason,
  message,
  actions: [],
  tasks: [],
  events: [],
  ...more,
});

/** How a person ends a pod whose node does not answer. */
export const forcePod = ({ namespace = '', name }: KubernetesObject['metadata']): string =>
  `kubectl delete pod -n ${namespace} ${name} --force --grace-period=0`;

/** How long what is being deleted may take to be gone before somebody has to look, in milliseconds. */
const stuckAfterMs = 15 * 60_000;

/** The deadline of waiting: it goes on after it, but says that it is stuck, on what, and what a person can do. */
export function waitUntilGone(
  waiting: DeletionStep,
  objects: readonly KubernetesObject[],
  about: {
    readonly now: Instant;
    readonly command: (metadata: KubernetesObject['metadata']) => string;
    /** Since when those should have been told to end that are not. Nobody waits for them unless told. */
    readonly since?: Instant;
  },
): DeletionStep {
  const leaving = objects.flatMap(({ metadata }) => {
    const since = instantOf(metadata.deletionTimestamp) ?? about.since;
    return since === undefined ? [] : [{ metadata, due: since + stuckAfterMs }];
  });
  const [stuck] = leaving.filter(({ due }) => about.now >= due);
  const next = earliest(...leaving.map(({ due }) => due).filter((due) => due > about.now));
  const lookAgain = next === undefined ? {} : { lookAgainAt: next };
  if (!stuck) return { ...waiting, ...lookAgain };
  const message = `${waiting.message}; ${stuck.metadata.name} has been going for more than 15 minutes: ${about.command(stuck.metadata)}`;
  return { ...waiting, ...lookAgain, message, failed: true };
}
