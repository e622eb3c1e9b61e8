import type { ClusteredCache } from '@ordinal/api';
import { clusteredCaches } from '@ordinal/api';
import type { Pod, StatefulSet } from '@ordinal/client';
import { pods, statefulSets } from '@ordinal/client';
import { templateHashAnnotation } from '@ordinal/constructs';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { preTerminateHook } from '../../../libs/reconcilers/src/clustered-cache/names.ts';
import { retries } from '../../../libs/reconcilers/src/annotations.ts';
import { clusteredCacheMetrics, releaseMembers } from '../../../libs/reconcilers/src/clustered-cache/index.ts';
import { isBystander } from '../../../libs/reconcilers/test/world/bystander.ts';
import { cleanUpNeedsNoUser } from '../oracles/clean-up-needs-no-user.ts';
import { currentVersionIsTrue } from '../oracles/current-version.ts';
import { failedJobsAreVisible } from '../oracles/failed-jobs-are-visible.ts';
import type { Visible } from '../oracles/failures-are-visible.ts';
import { failuresAreVisible } from '../oracles/failures-are-visible.ts';
import { failedRevisionsDoNotStart } from '../oracles/failed-revisions.ts';
import { noOlderVersion } from '../oracles/no-older-version.ts';
import { nothingComesBack } from '../oracles/nothing-comes-back.ts';
import { nothingIsWrittenInVain } from '../oracles/needless-writes.ts';
import { nothingForTheDying } from '../oracles/nothing-for-the-dying.ts';
import { oldSpecsAreNotCarriedOut } from '../oracles/old-specs.ts';
import { membersAreOfOneTemplate } from '../oracles/one-template.ts';
import { mayBeMerged } from '../../../libs/reconcilers/test/world/restored.ts';
import { phaseAndConditionsAgree } from '../../../libs/reconcilers/test/world/phase-and-conditions.ts';
import { refusalsAreAdmissions } from '../oracles/refusals-are-admissions.ts';
import { timesAreTrue } from '../oracles/times-are-true.ts';
import { bypassesAreTrue } from './bypasses-are-true.ts';
import { isReady, members } from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';

/** What is remembered of one history: members that are down by the operator's hand, and what its pods were like before they were deleted. */
interface Memory {
  readonly down: Set<string>;
  readonly last: Map<string, Pod>;
}

const kind = 'clusteredcaches.cache.my.domain';

const memories = new WeakMap<TestCluster, Memory>();

function memoryOf(cluster: TestCluster): Memory {
  const known = memories.get(cluster);
  if (known) return known;
  const memory = { down: new Set<string>(), last: new Map<string, Pod>() };
  memories.set(cluster, memory);
  return memory;
}

const isMember = (object: { readonly metadata: Pod['metadata'] }): object is Pod =>
  object.metadata.labels?.['app.kubernetes.io/name'] === 'clustered-cache' && !isBystander(object);

/** Its StatefulSet keeps a member of this name: one that has left for good does not come back. */
function isKept(cluster: TestCluster, name: string): boolean {
  const end = name.lastIndexOf('-');
  const set = cluster.objects.find(statefulSets, 'default', name.slice(0, end));
  return Number(name.slice(end + 1)) < (set?.spec.replicas ?? Infinity);
}

/** How many members of the cache may be unavailable. */
function mayBeDown(cluster: TestCluster, name: string): number {
  const asked = cluster.objects.find(clusteredCaches, 'default', name.slice(0, name.lastIndexOf('-')))?.spec.upgrade;
  return Number(asked?.maxUnavailable ?? 1);
}

/** The operator's own hand never takes more members down than may be (`maxUnavailable`, one by default): a serving one is deleted only while fewer others that it took down have not come back. */
export const oneDownByOurHand: Invariant = {
  name: 'at most one member, or maxUnavailable, is down by our own hand (I4, I8)',
  afterChange: (cluster, { kind, type, object, previous }) => {
    if (kind !== 'pods' || type === 'DELETED' || !isMember(object as Pod)) return undefined;
    const memory = memoryOf(cluster);
    const pod = object as Pod; // Of kind pods.
    if (isReady(pod)) memory.down.delete(pod.metadata.name);
    if (pod.metadata.deletionTimestamp === undefined) memory.last.set(pod.metadata.name, pod);
    else if (previous && previous.metadata.deletionTimestamp === undefined)
      memory.last.set(pod.metadata.name, previous as Pod);
    return undefined;
  },
  afterRequest: (cluster, { verb, kind, name = '', status, subresource }) => {
    if (verb !== 'delete' || kind !== 'pods' || status >= 300 || subresource) return undefined;
    const { down, last } = memoryOf(cluster);
    const target = last.get(name);
    const others = [...down].filter((other) => other !== name && isKept(cluster, other));
    down.add(name);
    if (!target || !isReady(target) || others.length < mayBeDown(cluster, name)) return undefined;
    return `${name} was serving and deleted while ${others.join(', ')} had not come back`;
  },
};

/** A serving member is held before it is deleted, so that its name is not taken again before its role is elsewhere. */
export const heldBeforeDeleted: Invariant = {
  name: 'a serving member is held before it is deleted (S0.1)',
  afterRequest: (cluster, { verb, kind, name = '', status }) => {
    if (verb !== 'delete' || kind !== 'pods' || status >= 300) return undefined;
    const target = memoryOf(cluster).last.get(name);
    if (!target || !isReady(target) || target.metadata.finalizers?.includes(preTerminateHook)) return undefined;
    return `${name} was serving and deleted without our finalizer`;
  },
};

/** When all is done, no member is held and none hangs in termination. */
export const noMemberIsStranded: Invariant = {
  name: 'no pod is stranded (I3, S0.2, S0.6)',
  atEnd: (cluster) => {
    const stranded = members(cluster).filter(
      ({ metadata }) => metadata.deletionTimestamp !== undefined || metadata.finalizers?.includes(preTerminateHook),
    );
    return stranded.length === 0 ? undefined : stranded.map(({ metadata }) => metadata.name).join(', ');
  },
};

/**
 * Of a history in which a gate is closed for a while and only the operator and the cluster's controllers touch pods: `isClosed` says whether it
 * is, and it never closes again. Whichever client deletes a serving member, it is the operator's fault.
 */
export function gateIsKept(isClosed: (cluster: TestCluster) => boolean): Invariant {
  return {
    name: 'no serving member goes down while its gate is closed (S0.1, S0.3)',
    afterChange: (cluster, { kind, type, object, previous }) => {
      if (kind !== 'pods' || type !== 'MODIFIED' || !previous || !isClosed(cluster)) return undefined;
      const isLeaving =
        object.metadata.deletionTimestamp !== undefined && previous.metadata.deletionTimestamp === undefined;
      return isLeaving && isReady(previous as Pod)
        ? `${object.metadata.name} was deleted while the gate was closed`
        : undefined;
    },
  };
}

/** Members of a cache that is gone or being deleted lose their finalizer at once, whatever else is gone with it. */
export const finalizersAreRemoved: Invariant = cleanUpNeedsNoUser((cluster) => {
  const alive = (name = ''): boolean => {
    const cache = cluster.objects.find(clusteredCaches, 'default', name);
    return cache !== undefined && cache.metadata.deletionTimestamp === undefined;
  };
  return cluster.objects
    .list(pods, 'default')
    .filter(isMember)
    .filter(({ metadata }) => metadata.finalizers?.includes(preTerminateHook) && !alive(metadata.labels?.['app']))
    .map(({ metadata }) => ({ of: metadata.name, waits: false }));
});

const runs = ({ metadata }: Pod, revision: string): boolean =>
  metadata.annotations?.[templateHashAnnotation] === revision;

/** What has failed, and was left, is not what members are made of again: a user who asks for it is recorded first, and it has not failed any more. */
export const failuresAreNotApplied: Invariant = {
  name: 'a StatefulSet does not get the template again that has failed (S0.8)',
  afterChange: (cluster, { kind: of, type, object, previous }) => {
    if (of !== 'statefulsets.apps' || type !== 'MODIFIED') return undefined;
    const revisionOf = (set: unknown) =>
      (set as StatefulSet).spec.template.metadata?.annotations?.[templateHashAnnotation]; // Of this kind.
    const { namespace = '', name } = object.metadata;
    const failed = cluster.objects.find(clusteredCaches, namespace, name)?.status?.failedRevision;
    return failed !== undefined && revisionOf(object) === failed && revisionOf(previous) !== failed
      ? `it got ${failed}, which has failed`
      : undefined;
  },
};

/** What has failed goes on only when a user asks for it, by another spec or the annotation of a retry. */
export const failuresRemainFailed: Invariant = {
  name: 'a failed upgrade stays failed until a user asks for a retry (S0.8)',
  afterChange: (cluster, { kind: of, type, object, previous }) => {
    if (of !== kind || type !== 'MODIFIED') return undefined;
    const [now, before] = [object as ClusteredCache, previous as ClusteredCache]; // Of this kind.
    const [step, failed] = [now.status?.upgrade, before.status?.upgrade];
    const asked =
      before.status?.observedGeneration !== now.metadata.generation ||
      retries.isRequested({ metadata: now.metadata, status: before.status });
    if (asked || failed?.step !== 'Failed' || step?.revision !== failed.revision || step.step === 'Failed')
      return undefined;
    // The last member was under way when it failed: now all run what is wanted and serve, and only its data may not be there yet.
    if (step.step === 'AwaitingSync' && members(cluster).every((pod) => isReady(pod) && runs(pod, step.revision)))
      return undefined;
    return `the upgrade to ${step.revision} had failed, and no user asked for it to be ${step.step}`;
  },
};

const released = new WeakMap<TestCluster, { readonly revision: number; readonly held: string }>();

/** The operator's finalizer keeps a cache while its pods are held: afterwards no operator is needed to release them. */
export const deletedAfterItsHolds: Invariant = {
  name: 'a cache goes only when none of its pods is held (S0.6)',
  afterChange: (cluster, { kind: of, type, object, previous }) => {
    const isOurs = ({ metadata }: Pick<Pod, 'metadata'>): boolean =>
      metadata.finalizers?.includes(releaseMembers) ?? false;
    if (of !== kind || !previous || !isOurs(previous as Pod) || (type !== 'DELETED' && isOurs(object as Pod)))
      return undefined;
    const held = members(cluster).filter(({ metadata }) => metadata.finalizers?.includes(preTerminateHook));
    if (held.length > 0)
      released.set(cluster, {
        revision: cluster.server.store.revision,
        held: held.map(({ metadata }) => metadata.name).join(', '),
      });
    return undefined;
  },
  // Another client may remove the finalizer.
  afterRequest: (cluster, { kind: of, status }) => {
    const gone = released.get(cluster);
    return of === kind && status < 300 && gone?.revision === cluster.server.store.revision
      ? `${gone.held} was still held`
      : undefined;
  },
};

/** What a status says goes together. */
export const statusAgreesWithItself: Invariant = {
  name: 'a status says what is so',
  afterChange: (cluster, { kind: of, type, object }) => {
    if (of !== kind || type !== 'MODIFIED' || mayBeMerged(cluster)) return undefined;
    const { spec, status, metadata } = object as ClusteredCache; // Of this kind.
    const isTrue = (name: string): boolean =>
      status?.conditions?.some((condition) => condition.type === name && condition.status === 'True') ?? false;
    const serving = status?.readyReplicas ?? 0;
    if (spec.replicas > 0 && serving === 0 && isTrue('Available')) return 'it is available, and no member serves';
    const isBack = status?.conditions?.some(({ reason }) => reason === 'RolledBack') ?? false;
    const updated = status?.updatedReplicas ?? 0;
    if (isBack && updated > 0) return `all members run what they ran before, and ${updated} what is wanted`;
    return status?.observedGeneration === metadata.generation && isTrue('Ready') && serving !== spec.replicas
      ? `it is ready, with ${serving} of ${spec.replicas} members`
      : undefined;
  },
};

/** Members are made of the version that all ran last: the newer one has failed, or the Job before its first member has not succeeded yet. */
function staysWithTheLast({ spec, status }: ClusteredCache): boolean {
  const subject = `${status?.upgrade?.revision ?? ''}@`;
  const hook = status?.hooks?.find(
    (record) => record.purpose === 'BeforeUpgrade' && record.subject.startsWith(subject),
  );
  const isHeldBack = spec.upgrade?.beforeFirstPod !== undefined && hook?.result !== 'Succeeded';
  return status?.failedRevision !== undefined || isHeldBack;
}

/** What is done is what is asked for now. */
const oldSpecs = oldSpecsAreNotCarriedOut(kind, (cluster, name) => {
  const cache = cluster.objects.find(clusteredCaches, 'default', name);
  if (!cache || cache.metadata.deletionTimestamp !== undefined) return undefined;
  const { spec, status } = cache;
  const before = staysWithTheLast(cache) ? status?.currentVersion : undefined;
  return { image: spec.image, replicas: spec.replicas, before, shrinkingFrom: status?.shrinkingFrom };
});

/** A member starts as no older version than has run under its name, unless a user or a failure asks for it. */
const neverOlder = noOlderVersion(
  kind,
  (object) => {
    const { metadata, spec, status } = object as ClusteredCache; // Of this kind.
    return {
      metadata,
      image: spec.image,
      goesBackTo: status?.failedRevision === undefined ? undefined : status.currentVersion,
    };
  },
  ({ objects }, namespace, name) => objects.find(clusteredCaches, namespace, name),
);

/** What shows of a failure: conditions, and gauges. */
const shown: Visible = {
  find: (cluster) => cluster.objects.find(clusteredCaches, 'default', 'sessions'),
  gauges: (cache, now) => clusteredCacheMetrics([cache as ClusteredCache], now),
};

/** What the API server refuses shows. */
export const cacheFailuresAreVisible: Invariant = failuresAreVisible(shown);

/** Failed Jobs and checks without an answer show. */
export const cacheJobsAreVisible: Invariant = failedJobsAreVisible(shown, kind);

/** The invariants of every history of a ClusteredCache. */
export const cacheInvariants: readonly Invariant[] = [
  cacheFailuresAreVisible,
  cacheJobsAreVisible,
  oneDownByOurHand,
  heldBeforeDeleted,
  currentVersionIsTrue(kind, { of: members, runs: (image, version) => image === version }),
  noMemberIsStranded,
  finalizersAreRemoved,
  failuresRemainFailed,
  failuresAreNotApplied,
  failedRevisionsDoNotStart({
    kind,
    find: ({ objects }, namespace, name) => objects.find(clusteredCaches, namespace, name),
    returnsAsItRan: false,
  }),
  membersAreOfOneTemplate((cluster, name) => {
    const conditions = cluster.objects.find(clusteredCaches, 'default', name)?.status?.conditions;
    return conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
  }),
  deletedAfterItsHolds,
  neverOlder,
  nothingForTheDying('ClusteredCache', kind),
  refusalsAreAdmissions(kind),
  nothingComesBack(kind, ({ objects }, namespace, name) => objects.find(clusteredCaches, namespace, name)),
  oldSpecs,
  // A member is reserved by writing its name to the cache, also where it stands there already: what counts is that no other client has written it meanwhile.
  nothingIsWrittenInVain(({ kind: of, subresource }) => of === kind && subresource === undefined),
  statusAgreesWithItself,
  bypassesAreTrue,
  phaseAndConditionsAgree('ClusteredCache', kind),
  ...timesAreTrue(kind),
];
