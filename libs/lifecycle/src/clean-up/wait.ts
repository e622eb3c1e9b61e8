import type { Instant, KubernetesObject } from '@ordinal/client';
import { instantOf } from '@ordinal/client';
import { earliest } from '../decision/index.ts';
import type { CleanUpStep } from './step.ts';

/** How long what is being deleted may take to be gone before a user has to look, in milliseconds. */
export const stuckAfterMs = 15 * 60_000;

/** Gives waiting a deadline. Past it the clean-up still goes on, but says what is stuck and what a person can do. */
export function waitUntilGone<Reason extends string>(
  waiting: CleanUpStep<Reason>,
  objects: readonly KubernetesObject[],
  about: {
    readonly now: Instant;
    readonly command: (metadata: KubernetesObject['metadata']) => string;
    /** Since when those should be terminating that are not. Without it they have no deadline. */
    readonly since?: Instant;
  },
): CleanUpStep<Reason> {
  const leaving = objects.flatMap(({ metadata }) => {
    const since = instantOf(metadata.deletionTimestamp) ?? about.since;
    return since === undefined ? [] : [{ metadata, due: since + stuckAfterMs }];
  });
  const [stuck] = leaving.filter(({ due }) => about.now >= due);
  const next = earliest(...leaving.map(({ due }) => due).filter((due) => due > about.now));
  const lookAgain = next === undefined ? {} : { lookAgainAt: next };
  if (!stuck) return { ...waiting, ...lookAgain };
  const message = `${waiting.message}; ${stuck.metadata.name} has been terminating for more than 15 minutes: ${about.command(stuck.metadata)}`;
  return { ...waiting, ...lookAgain, message, failed: true };
}

/** How a person ends a pod whose node does not answer. */
export const forcePod = ({ namespace = '', name }: KubernetesObject['metadata']): string =>
  `kubectl delete pod -n ${namespace} ${name} --force --grace-period=0`;
