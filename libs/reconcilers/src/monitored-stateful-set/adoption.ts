import type { MonitoredStatefulSet } from '@ordinal/api';
import { monitoredStatefulSets } from '@ordinal/api';
import type { Finding, Instant, StatefulSet } from '@ordinal/client';
import { controllerOf, withFindings } from '@ordinal/client';
import type { Decision } from '@ordinal/lifecycle';
import { asServed, driftOf, longestRetryMs, nothing } from '@ordinal/lifecycle';
import { waitingFindings } from '../adoption/findings.ts';
import { isConsentedTo, notFound, obstacleTo, wasTakenOver } from '../adoption/obstacle.ts';
import type { AdoptionObstacle } from '../adoption/obstacle.ts';
import { surplusOf } from '../adoption/surplus.ts';
import { takeOver, taken, takenEvent } from '../adoption/take-over.ts';
import { immutableChange } from './children.ts';
import { setNaming } from './members.ts';
import type { MonitoredSetObservation } from './observation.ts';

/**
 * How it stands with the StatefulSet that `spec.adopt` names. Undefined where there is nothing to take over any more, none is asked for, or the name is taken.
 *
 * **Expected flow.** Nothing is written to it before a user has consented by an annotation with its UID. It must be as the embedded spec says, to the last field of its pods: what is written of it
 * afterwards changes no pod. Then one write makes the set its controller, and gives the operator the fields that others have set.
 *
 * **Guarantees.** A crash before or after the write leaves the workload as it is. A StatefulSet that has a controller is left alone.
 */
export function adoptionOf(
  { set, statefulSet }: Pick<MonitoredSetObservation, 'set' | 'statefulSet'>,
  wanted: StatefulSet,
): AdoptionObstacle | 'take over' | undefined {
  const { adopt } = set.spec;
  if (!adopt) return undefined;
  const isAgain = wasTakenOver(set.status?.conditions);
  // One that was taken over, and is lost, is made again.
  if (!statefulSet) return isAgain ? undefined : notFound(adopt.statefulSet);
  if (statefulSet.metadata.deletionTimestamp !== undefined || controllerOf(statefulSet) !== undefined) return undefined;
  const mismatch = mismatchOf(statefulSet, wanted);
  const adopting = { object: set, ...setNaming, set: statefulSet, mismatch };
  // Another one by the name of what was taken over is a name that is taken. What has lost its owner alone is the set's.
  if (isAgain) return isConsentedTo(adopting) ? 'take over' : undefined;
  return obstacleTo(adopting) ?? 'take over';
}

/** In what a StatefulSet differs from the one that is wanted, as far as a pod would be added, removed or made again for it, or the API server refuse it. */
function mismatchOf(existing: StatefulSet, wanted: StatefulSet): string | undefined {
  const immutable = immutableChange(existing, wanted);
  if (immutable !== undefined) return `the StatefulSet has another ${immutable}`;
  const [is, asked] = [podsIn(existing), podsIn(wanted)];
  const drift = driftOf(is, asServed(asked, is));
  if (drift !== undefined) return `the StatefulSet has another ${drift}`;
  const surplus = surplusOf(is, asked);
  return surplus === undefined ? undefined : `the StatefulSet has ${surplus}`;
}

const podsIn = ({ spec: { replicas = 1, ordinals, template } }: StatefulSet) => ({ replicas, ordinals, template });

/** Takes over the StatefulSet, or says why it does not. What is wanted of it is applied after that. */
export function decideAdoption(
  { set, statefulSet }: MonitoredSetObservation,
  adoption: AdoptionObstacle | 'take over',
  now: Instant,
): Decision {
  const status = (findings: readonly Finding[]) => ({
    descriptor: monitoredStatefulSets,
    object: set,
    status: { ...set.status, conditions: withFindings(set.status?.conditions, findings, at(set, now)) },
  });
  if (adoption !== 'take over') {
    return { actions: [], status: status(waitingFindings(adoption)), lookAgainAt: now + longestRetryMs };
  }
  // It was seen when that was decided.
  if (!statefulSet) return nothing;
  return {
    actions: [takeOver(set, statefulSet, { now })],
    status: status([takenFinding(statefulSet)]),
    events: [takenEvent(statefulSet)],
  };
}

const at = ({ metadata }: MonitoredStatefulSet, now: Instant) => ({ now, generation: metadata.generation });

const takenFinding = (statefulSet: StatefulSet): Finding => ({
  type: 'Adopted',
  status: 'True',
  ...taken(statefulSet),
});

/** What the conditions say of a StatefulSet that was taken over, and is there. */
export function adoptedFinding({
  set,
  statefulSet,
}: Pick<MonitoredSetObservation, 'set' | 'statefulSet'>): readonly Finding[] {
  const isOurs = statefulSet !== undefined && controllerOf(statefulSet)?.uid === set.metadata.uid;
  return set.spec.adopt && isOurs ? [takenFinding(statefulSet)] : [];
}
