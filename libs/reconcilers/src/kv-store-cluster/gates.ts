import type { Instant } from '@ordinal/client';
import type { CheckResult, Closed, Released, Shrunk } from '@ordinal/lifecycle';
import { releaseThroughGates, shrinkThroughGates } from '@ordinal/lifecycle';
import { openGatesAnnotation } from '../annotations.ts';
import { isGated } from './member-checks.ts';
import type { Observation } from './observation.ts';
import { objectOf } from './observation.ts';
import { askingSteps, observeRollout } from './rollout-observation.ts';
import type { UpgradeView } from './upgrade.ts';
import { viewOf } from './upgrade.ts';
import type { Verdict } from './verdict.ts';

/** What was to be applied, and how far it may go. */
interface Intended {
  /** The hash of the template that is to be applied. */
  readonly revision: string;
  readonly partition: number;
  /** The least that may be released: what was released before, or what has gone ahead and can't be held. */
  readonly heldAt: (ordinal: number) => Pick<Verdict, 'template' | 'partition'>;
  /** The set is about to become smaller: no other member goes meanwhile. */
  readonly isShrinking?: boolean;
}

/** What keeps a member, in the words of the status, and what came of its checks. */
interface Kept {
  readonly closed?: Pick<Verdict, 'step' | 'pod' | 'podUID' | 'blockedBy' | 'release'>;
  /** What came of the checks, where they keep a member. */
  readonly check?: CheckResult;
}

/** What the members' answers make of it. */
type Gated = Kept & Omit<Released, 'closed' | 'holdUpTo'> & Pick<Verdict, 'template'>;

function closedBy(kept: Closed, { cluster }: UpgradeView): NonNullable<Kept['closed']> {
  const { member, pod = member?.name, message, blockedBy = message, release } = kept;
  const step = askingSteps.find((each) => each === kept.step) ?? 'Replacing';
  return {
    step,
    blockedBy,
    ...(pod === undefined ? {} : { pod }),
    ...(member ? { podUID: member.uid } : {}),
    ...(release === 'gate' && member
      ? { release: `kubectl annotate ${objectOf(cluster)} ${openGatesAnnotation}=${member.uid} --overwrite` }
      : {}),
  };
}

function inStatus(kept: Closed | undefined, view: UpgradeView): Kept {
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

/** What may be released now of what was intended, by the gates of those that would go. Without gates, hand-off or sync everything is as intended. */
export function throughGates(seen: Observation, view: UpgradeView, intended: Intended, now: Instant): Gated {
  const { revision, partition, heldAt, isShrinking } = intended;
  if (!isGated(view.cluster)) return { partition, replace: [], actions: [], ask: [], remembered: {} };
  const rollout = observeRollout(seen, revision, now);
  const canHoldBelow = (ordinal: number): boolean => heldAt(ordinal).partition > ordinal;
  const asked = { set: view, rollout, intended: { revision, partition, canHoldBelow, isShrinking } };
  const { closed, holdUpTo, ...released } = releaseThroughGates(asked, now);
  const held = holdUpTo === undefined ? {} : heldAt(holdUpTo);
  return { ...released, ...held, ...inStatus(closed, view) };
}
