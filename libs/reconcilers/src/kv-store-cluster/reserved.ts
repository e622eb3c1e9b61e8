import type { Pod } from '@ordinal/client';
import { hashIn } from '@ordinal/constructs';
import type { Member } from '@ordinal/lifecycle';
import { allowedOn, everyMember, wasDeletable } from '@ordinal/lifecycle';
import { memberAnnotations } from '../annotations.ts';
import type { Wanted } from './children.ts';
import type { Observation } from './observation.ts';
import { membersOf, wantedHash } from './observation.ts';

/** Whether the StatefulSet's controller may delete a member that serves to bring it to the template. */
export function isReleased(member: Member, { statefulSet }: Observation): boolean {
  const { template, updateStrategy } = statefulSet?.spec ?? {};
  const isOutdated = member.revision !== hashIn(template) || member.foreign === true;
  const partition = updateStrategy?.rollingUpdate?.partition ?? 0;
  return member.ready && member.ordinal >= partition && isOutdated;
}

/** Whether it may delete it when the StatefulSet has become what is wanted: also because there are too many. */
export function isReleasedBy(member: Member, { cluster }: Observation, wanted: Wanted): boolean {
  const revision = wanted.template ? hashIn(wanted.template) : wantedHash(cluster);
  const { ordinal } = member;
  return member.ready && (ordinal >= wanted.replicas || (ordinal >= wanted.partition && member.revision !== revision));
}

/** The member that another client may delete now, and that still serves. */
export const reservedMember = (seen: Observation): Member | undefined =>
  membersOf(seen).find(({ uid, ready }) => uid === seen.reserved && ready);

/**
 * What the StatefulSet may become now: as it is, while a member that another client may delete still serves and the change would release one. That is over when the member is seen to
 * terminate, or with its reservation.
 */
export function whileReserved(seen: Observation, wanted: Wanted): Wanted {
  const { statefulSet } = seen;
  if (!statefulSet || !reservedMember(seen)) return wanted;
  const releases = membersOf(seen).some((member) => isReleasedBy(member, seen, wanted) && !isReleased(member, seen));
  if (!releases) return wanted;
  const { template, updateStrategy, replicas = 1 } = statefulSet.spec;
  return { template, replicas, partition: updateStrategy?.rollingUpdate?.partition ?? 0 };
}

/**
 * Members that served and were deleted by another client although the webhook has not allowed it: it was not asked, or did not answer. None where the namespace is being deleted: everything
 * in it goes, and passes the webhook. One sentence for each, which no other member has.
 */
export function bypasses(seen: Observation): readonly string[] {
  if (seen.namespaceTerminating) return [];
  return seen.pods
    .filter((pod) => pod.metadata.deletionTimestamp !== undefined && !wasAllowed(pod, seen))
    .map(({ metadata: { name, uid } }) => `${name} (${uid}) was deleted although the webhook had not allowed it`);
}

/** What the operator has released, or takes back, goes without a reservation. */
function wasAllowed(pod: Pod, { cluster, statefulSet }: Observation): boolean {
  const { name } = cluster.metadata;
  const { upgrade, failedRevision } = cluster.status ?? {};
  const ordinal = Number(pod.metadata.name.slice(name.length + 1));
  const isChanging = upgrade?.step === 'RollingBack' || failedRevision !== undefined;
  if (isChanging || ordinal >= (upgrade?.partition ?? everyMember)) return true;
  if (hashIn(pod) !== hashIn(statefulSet?.spec.template)) return true;
  return wasDeletable(pod, {
    statefulSet,
    kept: Math.max(cluster.spec.replicas, statefulSet?.spec.replicas ?? 0, cluster.status?.shrinkingFrom ?? 0),
    allowed: allowedOn(cluster, memberAnnotations),
  });
}
