import type { ClusteredCacheStatus } from '@ordinal/api';
import type { Pod } from '@ordinal/client';
import { pods } from '@ordinal/client';
import type { Action } from '@ordinal/lifecycle';
import { preTerminateHook } from './names.ts';
import { wasMemberDeletable } from '../upgrade/deletable.ts';
import { membersOf } from './members.ts';
import type { CacheObservation } from './observe.ts';
import { isTakenOut } from './taken-out.ts';
import { toBuild } from './template.ts';

type Held = NonNullable<NonNullable<ClusteredCacheStatus['upgrade']>['held']>[number];

/** What is known of the members that the operator holds. */
export interface HeldPods {
  /** Those that it holds and has not released, to be recorded. */
  readonly held: readonly Held[];
  /** What was done past the gate, one sentence for each member. */
  readonly bypasses: readonly string[];
  /** It says or promises something new that an old view of the pods would lead to as well: they have to be looked at once more. */
  readonly needsConfirmation: boolean;
}

const isHeld = ({ metadata }: Pod): boolean => metadata.finalizers?.includes(preTerminateHook) ?? false;

const beginsToHold = (actions: readonly Action[]): boolean =>
  actions.some(({ kind, descriptor }) => kind === 'addFinalizer' && descriptor.kind === pods.kind);

const concerns = (actions: readonly Action[], kind: 'delete' | 'removeFinalizer', uid: string): boolean =>
  actions.some((action) => action.kind === kind && action.target.uid === uid);

const heldOf = ({ pod, podUID }: Pick<Held, 'pod' | 'podUID'>, deleting: boolean): Held => ({
  ...{ pod, podUID },
  ...(deleting ? { deleting } : {}),
});

/** The finalizer that the operator was about to add when it recorded the step is seen: from now on it is missed. */
function justHeld({ cache, pods: present }: CacheObservation): Held | undefined {
  const { step, pod, podUID } = cache.status?.upgrade ?? {};
  if (step !== 'Holding' || pod === undefined || podUID === undefined) return undefined;
  return present.some((one) => one.metadata.uid === podUID && isHeld(one)) ? { pod, podUID } : undefined;
}

/** What was done to a member in our hands that we did not do; undefined where all is as we left it. */
function bypassOf(hold: Held, seen: CacheObservation): string | undefined {
  const pod = seen.pods.find(({ metadata }) => metadata.uid === hold.podUID);
  if (!pod) return `${hold.pod} was gone before its gates were open`;
  if (!isHeld(pod)) return `the finalizer of ${hold.pod} was taken off`;
  if (hold.deleting === true) return undefined;
  if (isTakenOut(pod, toBuild(seen.cache))) return `${hold.pod} was taken out by its labels before its gates were open`;
  if (pod.metadata.deletionTimestamp === undefined || wasMemberDeletable(pod, membersOf(seen))) return undefined;
  return `${hold.pod} was deleted before its gates were open`;
}

/**
 * Who is held from now on, and what others have done to those that were. Pure.
 *
 * **Guarantees.** Each bypass is reported once: with it the record changes. Whatever the step is, only the members that this decision releases are forgotten.
 *
 * **Assumptions.** The record is written before the actions, on the object as it was seen. Only a finalizer that was seen on the pod by the API server itself
 * is recorded (`needsConfirmation`): either the operator removes it, which is recorded before, or another client does. Likewise a member is only said to be about to
 * be held (`Holding`) where the API server itself shows it without the finalizer and alive. Said of an old view, in which a member that the operator has deleted and
 * released since is still there, it would make the operator's own deletion look like another client's.
 */
export function heldPodsAfter(seen: CacheObservation, actions: readonly Action[]): HeldPods {
  const recorded = seen.cache.status?.upgrade?.held ?? [];
  const just = justHeld(seen);
  const isRecorded = (uid: string): boolean => recorded.some(({ podUID }) => podUID === uid);
  const known = just && !isRecorded(just.podUID) ? [...recorded, just] : recorded;
  const bypasses = known.flatMap((hold) => bypassOf(hold, seen) ?? []);
  const held = seen.pods
    .filter((pod) => isHeld(pod) && !concerns(actions, 'removeFinalizer', pod.metadata.uid))
    .map(({ metadata: { name, uid, deletionTimestamp } }) =>
      heldOf({ pod: name, podUID: uid }, deletionTimestamp !== undefined || concerns(actions, 'delete', uid)),
    );
  const keptAfterAll = recorded.some(
    ({ podUID, deleting }) =>
      deleting === true && held.some((hold) => hold.podUID === podUID && hold.deleting !== true),
  );
  const isNew = held.some(({ podUID }) => !isRecorded(podUID)) || beginsToHold(actions);
  const needsConfirmation = bypasses.length > 0 || keptAfterAll || isNew;
  return { held, bypasses, needsConfirmation };
}
