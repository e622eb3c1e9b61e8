import type { Event, Job, KubernetesObject, PersistentVolumeClaim, Pod, StatefulSet } from '@ordinal/client';
import { controllerOf, instantOf } from '@ordinal/client';
import { cleanupForLabel, ownerUidLabel, templateHashAnnotation } from '@ordinal/constructs';
import type { Member } from '@ordinal/lifecycle';
import { membersOfSet } from '@ordinal/lifecycle';
import type { OrdinalResource } from '../kinds.ts';
import type { Contents } from './contents.ts';

/** A member with its pod and its volumes. */
export interface SeenMember extends Member {
  readonly object: Pod;
  readonly claims: readonly PersistentVolumeClaim[];
}

/** A resource with all that belongs to it. */
export interface Surroundings {
  readonly resource: OrdinalResource;
  readonly set: StatefulSet | undefined;
  readonly members: readonly SeenMember[];
  /** Of a resource that is being deleted, claims that carry its mark, of members that are not there. */
  readonly otherClaims: readonly PersistentVolumeClaim[];
  readonly jobs: readonly Job[];
  /** The pods of its Jobs. */
  readonly jobPods: readonly Pod[];
  /** What Kubernetes says of any of these, the newest first. */
  readonly events: readonly Event[];
  readonly unread: readonly string[];
}

const isIn =
  (namespace: string | undefined) =>
  ({ metadata }: KubernetesObject): boolean =>
    metadata.namespace === namespace;

/** When an event was last seen, as it says. */
export const lastSeen = ({ series, deprecatedLastTimestamp, eventTime, metadata }: Event): string =>
  series?.lastObservedTime ?? deprecatedLastTimestamp ?? eventTime ?? metadata.creationTimestamp;

function membersIn(set: StatefulSet, { pods, claims }: Pick<Contents, 'pods' | 'claims'>): readonly SeenMember[] {
  const seen = {
    statefulSet: set,
    pods,
    revisionAnnotation: templateHashAnnotation,
    finalizer: '',
    template: undefined,
  };
  const templates = set.spec?.volumeClaimTemplates ?? [];
  return membersOfSet(seen).flatMap((member) => {
    const object = pods.find(({ metadata }) => metadata.uid === member.uid);
    const names = templates.map(({ metadata }) => `${metadata?.name ?? ''}-${member.name}`);
    return object
      ? [{ ...member, object, claims: claims.filter(({ metadata }) => names.includes(metadata.name)) }]
      : [];
  });
}

/** What belongs to a resource, among what was read. Pure. */
export function surroundingsOf(resource: OrdinalResource, contents: Contents): Surroundings {
  const { name, namespace, uid } = resource.metadata;
  const here = isIn(namespace);
  const set = contents.sets.find(
    (each) => here(each) && each.metadata.name === name && controllerOf(each)?.uid === uid,
  );
  const pods = contents.pods.filter(here);
  const members = set ? membersIn(set, { pods, claims: contents.claims.filter(here) }) : [];
  const ofMembers = new Set(members.flatMap(({ claims }) => claims));
  // Claims outlive members where they all go; to look through those of hundreds of others costs time.
  const leaving = resource.metadata.deletionTimestamp === undefined ? [] : contents.claims.filter(here);
  const otherClaims = leaving.filter(
    (claim) => claim.metadata.labels?.[ownerUidLabel] === uid && !ofMembers.has(claim),
  );
  const jobs = contents.jobs.filter(
    (job) => here(job) && (controllerOf(job)?.uid === uid || job.metadata.labels?.[cleanupForLabel] === uid),
  );
  const jobUids = new Set(jobs.map(({ metadata }) => metadata.uid));
  const jobPods = pods.filter(
    (pod) => jobUids.has(controllerOf(pod)?.uid ?? '') || pod.metadata.labels?.[ownerUidLabel] === uid,
  );
  const about = new Set<string | undefined>([uid, set?.metadata.uid, ...jobUids]);
  for (const { object, claims } of members) for (const { metadata } of [object, ...claims]) about.add(metadata.uid);
  for (const { metadata } of jobPods) about.add(metadata.uid);
  const events = contents.events
    .filter((event) => event.regarding?.uid !== undefined && about.has(event.regarding.uid))
    .sort((a, b) => (instantOf(lastSeen(b)) ?? 0) - (instantOf(lastSeen(a)) ?? 0));
  return { resource, set, members, otherClaims, jobs, jobPods, events, unread: contents.unread };
}
