import { kvStoreClusters } from '@ordinal/api';
import type { Finding, Instant, Pod, StatefulSet } from '@ordinal/client';
import { conditionOf, controllerOf, persistentVolumeClaims, withFindings } from '@ordinal/client';
import { kvStoreClaim, kvStoreContainer, kvStoreImage, ownerUidLabel, takenOverLabels } from '@ordinal/constructs';
import type { Action, Announcement, Decision } from '@ordinal/lifecycle';
import { longestRetryMs, ordinalIn, seenOf, takeHold } from '@ordinal/lifecycle';
import { waitingFindings } from '../adoption/findings.ts';
import { isAdopted, isMarked, markPods, markedTemplate, unmarkedAmong } from '../adoption/marks.ts';
import { mismatchWith } from '../adoption/mismatch.ts';
import { isConsentedTo, notFound, obstacleTo, wasTakenOver } from '../adoption/obstacle.ts';
import { takeOver, taken, takenEvent } from '../adoption/take-over.ts';
import { applyChildren } from './children.ts';
import type { Observation } from './observation.ts';
import { claimName, clusterHold, wantedHash } from './observation.ts';

/** How commands name a cluster. */
const resource = 'kvs';

/** The reason while what was taken over is being marked. */
const takingOver = 'TakingOver';
/** The reason when it is, and the reason of the others. */
const takenReason = 'TakenOver';

/** Whether all of it was marked, and Kubernetes may replace its pods as the partition says. */
const isDone = ({ cluster }: Observation): boolean =>
  conditionOf(cluster.status?.conditions, 'Adopted')?.reason === takenReason;

const isOurs = ({ cluster }: Observation, set: StatefulSet): boolean => controllerOf(set)?.uid === cluster.metadata.uid;

/** Whether a user has consented, and it has no owner yet. */
const isToTake = ({ cluster }: Observation, set: StatefulSet): boolean =>
  controllerOf(set) === undefined && isConsentedTo({ object: cluster, set });

const podsOf = ({ pods }: Observation, set: StatefulSet): readonly Pod[] =>
  pods.filter((pod) => controllerOf(pod)?.uid === set.metadata.uid);

const claimOf = ({ cluster }: Observation, pod: Pod): string =>
  claimName(cluster, ordinalIn(pod.metadata.name, cluster.metadata.name) ?? 0);

/**
 * Whether what is to be taken over has to be seen as the API server has it: the caches show neither the fields of others, nor the pods and claims that bear none of the operator's
 * labels yet. Those of a StatefulSet that was taken over are the claims of members that are added later, too.
 */
export function looksAtAdopted(seen: Observation): boolean {
  const { cluster, namesake: set } = seen;
  if (!cluster.spec.adopt || !set || cluster.metadata.deletionTimestamp !== undefined) return false;
  if (isToTake(seen, set)) return true;
  if (!isOurs(seen, set)) return false;
  const shown = podsOf(seen, set);
  const claims = new Set(seen.claims.map(({ metadata }) => metadata.name));
  return (
    !isMarked(set.spec.template) ||
    shown.length < (set.status?.replicas ?? 0) ||
    shown.some((pod) => !claims.has(claimOf(seen, pod)))
  );
}

/**
 * Takes over the StatefulSet that `spec.adopt` names. Undefined where there is nothing to take over any more, or none is asked for.
 *
 * **Expected flow.** Nothing is written to it before a user has consented by an annotation with its UID. Then one write makes the cluster its controller, holds all members by the partition, and
 * gives the operator the fields that others have set. Its template, pods and claims are marked; the partition goes down when its own controller has seen that. Its pods, claims and Service keep their UIDs.
 *
 * **Guarantees.** A crash before or after each write leaves the workload as it is. A StatefulSet that has a controller is left alone.
 */
export function decideAdoption(seen: Observation, now: Instant): Decision | undefined {
  const { cluster, namesake: set } = seen;
  const { adopt } = cluster.spec;
  if (!adopt) return undefined;
  // One that was taken over, and is lost, is made again.
  if (!set)
    return wasTakenOver(cluster.status?.conditions) ? undefined : waiting(seen, notFound(adopt.statefulSet), now);
  if (set.metadata.deletionTimestamp !== undefined) return undefined;
  if (isOurs(seen, set)) return mark(seen, set, now);
  if (controllerOf(set) !== undefined) return undefined;
  const adopting = { object: cluster, resource, set, mismatch: mismatchOf(seen, set) };
  // Another one by the name of what was taken over is a name that is taken. What has lost its owner alone is the cluster's.
  const obstacle = isDone(seen) ? undefined : obstacleTo(adopting);
  if (obstacle) return waiting(seen, obstacle, now);
  return takenBy(seen, set, now);
}

function mismatchOf({ cluster: { spec } }: Observation, set: StatefulSet): string | undefined {
  const { adopt, replicas, version } = spec;
  if (adopt?.selector['app.kubernetes.io/managed-by'] !== undefined)
    return 'the StatefulSet selects by app.kubernetes.io/managed-by, by which the operator knows its own';
  return mismatchWith(
    {
      ...{ serviceName: adopt?.serviceName, selector: adopt?.selector, replicas, hasStorage: true },
      ...{ container: kvStoreContainer(spec), image: kvStoreImage(spec, version), claim: kvStoreClaim(spec) },
    },
    set,
  );
}

const waiting = (seen: Observation, obstacle: Parameters<typeof waitingFindings>[0], now: Instant): Decision => ({
  actions: [],
  status: statusOf(seen, waitingFindings(obstacle), now),
  // A StatefulSet of another owner wakes no cluster.
  lookAgainAt: now + longestRetryMs,
});

function statusOf(
  { cluster }: Observation,
  findings: readonly Finding[],
  now: Instant,
  ran: { readonly currentVersion?: string; readonly currentRevision?: string } = {},
): NonNullable<Decision['status']> {
  const { status, metadata } = cluster;
  const conditions = withFindings(status?.conditions, findings, { now, generation: metadata.generation });
  const observed = metadata.generation === undefined ? {} : { observedGeneration: metadata.generation };
  return { descriptor: kvStoreClusters, object: cluster, status: { ...status, ...ran, ...observed, conditions } };
}

const takingFindings = (set: StatefulSet): readonly Finding[] => [
  { type: 'Adopted', status: 'True', ...taken(set), reason: takingOver },
];

/** Held by its partition no pod is replaced by Kubernetes, whatever its template says. */
const held = ({ spec: { replicas = 1 } }: StatefulSet) => ({
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: replicas } },
});

function takenBy(seen: Observation, set: StatefulSet, now: Instant): Decision {
  const { cluster } = seen;
  // What its members run is known of one that was taken over before.
  const ran = { currentVersion: cluster.spec.version, currentRevision: wantedHash(cluster) };
  const isAgain = isDone(seen);
  const events: readonly Announcement[] = [takenEvent(set)];
  return {
    actions: [
      ...takeHold(cluster, clusterHold),
      takeOver(cluster, set, { now, ...(isAgain ? {} : { spec: held(set) }) }),
    ],
    status: statusOf(seen, isAgain ? [] : takingFindings(set), now, isAgain ? {} : ran),
    events,
  };
}

/** Whether its own controller has seen that all pods are of its template, so that it replaces none when they are held no more. */
const isSeenToBe = ({ metadata, status, spec: { replicas = 1 } }: StatefulSet): boolean =>
  status?.observedGeneration === metadata.generation && (status?.updatedReplicas ?? 0) >= replicas;

/** How soon the operator looks on, in milliseconds: the status that it writes wakes it not. */
const onAgainMs = 1_000;

function mark(seen: Observation, set: StatefulSet, now: Instant): Decision | undefined {
  const { cluster } = seen;
  const going = (actions: readonly Action[], findings: readonly Finding[]): Decision => ({
    actions,
    status: statusOf(seen, findings, now),
    lookAgainAt: now + onAgainMs,
  });
  const { currentRevision = wantedHash(cluster) } = cluster.status ?? {};
  const labels = takenOverLabels(cluster.metadata.name);
  const { template, replicas = 1 } = set.spec;
  if (!isMarked(template)) {
    const marked = markedTemplate(template, { revision: currentRevision, labels });
    return going(applyChildren(seen, { template: marked, partition: replicas, replicas }), takingFindings(set));
  }
  const unmarked = isAdopted(template) ? unmarkedAmong(seen.pods, set) : [];
  const pods = unmarked.length > 0 ? markPods(unmarked, set, labels) : [];
  const actions = [...(pods ?? []), ...labelClaims(seen)];
  if (actions.length > 0 || pods === undefined) return going(actions, []);
  if (isDone(seen)) return undefined;
  if (!isSeenToBe(set)) return going([], takingFindings(set));
  return going([], [{ type: 'Adopted', status: 'True', ...taken(set) }]);
}

/** The claims of members become the cluster's: what its StatefulSet makes is of the claim template of a chart, now and later. */
const labelClaims = ({ cluster, unlabelled = [] }: Observation): readonly Action[] =>
  unlabelled.map((claim) => ({
    kind: 'patch',
    descriptor: persistentVolumeClaims,
    target: seenOf(claim),
    fields: {
      metadata: { labels: { ...takenOverLabels(cluster.metadata.name), [ownerUidLabel]: cluster.metadata.uid } },
    },
    because: 'a member of a StatefulSet that was taken over uses it',
  }));

/** Whether another StatefulSet than the one that was taken over has its name. */
export const isNameTaken = ({ cluster }: Pick<Observation, 'cluster'>, set: StatefulSet): boolean =>
  controllerOf(set) === undefined
    ? wasTakenOver(cluster.status?.conditions) && !isConsentedTo({ object: cluster, set })
    : controllerOf(set)?.uid !== cluster.metadata.uid;
