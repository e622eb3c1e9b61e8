import type { Instant } from '@ordinal/client';
import { defined } from '@ordinal/client';
import type { CheckResult, Closed, Shrunk } from '@ordinal/lifecycle';
import { shrinkThroughGates } from '@ordinal/lifecycle';
import { releaseCommand } from '../commands.ts';
import { isGated } from './member-checks.ts';
import type { Observation } from './observation.ts';
import { clusterNaming } from './observation.ts';
import { askingSteps, observeRollout } from './rollout-observation.ts';
import type { UpgradeView } from './upgrade.ts';
import { viewOf } from './upgrade.ts';
import type { Verdict } from './verdict.ts';

/** What keeps a member, in the words of the status, and what came of its checks. */
export interface Kept {
  readonly closed?: Pick<Verdict, 'step' | 'pod' | 'podUID' | 'blockedBy' | 'release'>;
  /** What came of the checks, where they keep a member. */
  readonly check?: CheckResult;
}

function closedBy(kept: Closed, { cluster, wanted }: UpgradeView): NonNullable<Kept['closed']> {
  const { member, pod = member?.name, message, blockedBy = message } = kept;
  const step = askingSteps.find((each) => each === kept.step) ?? 'Replacing';
  const release = releaseCommand(kept, { object: cluster, naming: clusterNaming, rollout: { revision: wanted } });
  return { step, blockedBy, ...defined({ pod, podUID: member?.uid, release }) };
}

/** What keeps a member, in the words of the status. */
export function inStatus(kept: Closed | undefined, view: UpgradeView): Kept {
  if (kept === undefined) return {};
  const closed = closedBy(kept, view);
  const { namespace = 'default', name } = view.cluster.metadata;
  const help =
    closed.release === undefined
      ? `to see more: kubectl describe pod -n ${namespace} ${closed.pod ?? name}`
      : `to go on without it: ${closed.release}`;
  return { closed, check: { ...kept, help } };
}

/** How many members the StatefulSet may keep of more than are asked for, by the gates of those that leave. Undefined without gates: as many as are asked for. The Job before a reduction has succeeded before. */
export function shrinkStore(seen: Observation, now: Instant): (Kept & Omit<Shrunk, 'closed'>) | undefined {
  if (!isGated(seen.cluster) || !seen.statefulSet) return undefined;
  const view = viewOf(seen);
  const shrunk = shrinkThroughGates(observeRollout(seen, view.applied, now), now);
  if (shrunk === undefined) return undefined;
  const { closed, ...rest } = shrunk;
  return { ...rest, ...inStatus(closed, view) };
}
