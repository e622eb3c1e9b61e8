import type { KVStoreCluster } from '@ordinal/api';
import { kvStoreClusters } from '@ordinal/api';
import type { Job, Pod, StatefulSet } from '@ordinal/client';
import { jobs, persistentVolumeClaims, pods, statefulSets } from '@ordinal/client';
import { ownerUidLabel, purposeLabel, templateHashAnnotation } from '@ordinal/constructs';
import { claimsAreNotOwnedBy } from '@ordinal/explorer';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { kvStoreClusterMetrics } from '../../../libs/reconcilers/src/kv-store-cluster/index.ts';
import { controllerRevisionLabel } from '@ordinal/lifecycle';
import { isBystander } from '../../../libs/reconcilers/test/world/bystander.ts';
import { failedJobsAreVisible } from '../oracles/failed-jobs-are-visible.ts';
import type { Visible } from '../oracles/failures-are-visible.ts';
import { failuresAreVisible } from '../oracles/failures-are-visible.ts';
import { cleanUpNeedsNoUser } from '../oracles/clean-up-needs-no-user.ts';
import { failedRevisionsDoNotStart } from '../oracles/failed-revisions.ts';
import { nothingComesBack } from '../oracles/nothing-comes-back.ts';
import { noOlderVersion } from '../oracles/no-older-version.ts';
import { nothingIsWrittenInVain } from '../oracles/needless-writes.ts';
import { nothingForTheDying } from '../oracles/nothing-for-the-dying.ts';
import { oldSpecsAreNotCarriedOut } from '../oracles/old-specs.ts';
import { membersAreOfOneTemplate } from '../oracles/one-template.ts';
import { phaseAndConditionsAgree } from '../../../libs/reconcilers/test/world/phase-and-conditions.ts';
import { refusalsAreAdmissions } from '../oracles/refusals-are-admissions.ts';
import { Memories } from '../../../libs/reconcilers/test/world/restored.ts';
import { timesAreTrue } from '../oracles/times-are-true.ts';
import { isOvertaken } from '../oracles/two-leaders.ts';
import { backupInvariants } from './backup-invariants.ts';
import { volumeInvariants, wasOrphaned } from './volume-invariants.ts';

const kind = 'kvstoreclusters.kvstore.example.com';

const clusters = (cluster: TestCluster): readonly KVStoreCluster[] => cluster.objects.list(kvStoreClusters);

const ownerOf = (cluster: TestCluster, { metadata }: Pod): KVStoreCluster | undefined =>
  clusters(cluster).find((store) => store.metadata.name === metadata.labels?.['app.kubernetes.io/instance']);

const membersOf = (cluster: TestCluster, name: string): readonly Pod[] =>
  cluster.objects.list(pods).filter((pod) => pod.metadata.labels?.['app'] === name && !isBystander(pod));

const isReady = (pod: Pod): boolean =>
  pod.metadata.deletionTimestamp === undefined &&
  (pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false);

/** What a status says of the version that runs is true when it is said. */
export const versionIsTrue: Invariant = {
  name: 'currentVersion moves only when every member runs it (S0.7)',
  afterChange: (cluster, change) => {
    if (change.kind !== kind || change.type !== 'MODIFIED') return undefined;
    const [now, before] = [change.object as KVStoreCluster, change.previous as KVStoreCluster | undefined];
    const version = now.status?.currentVersion;
    if (version === undefined || version === before?.status?.currentVersion) return undefined;
    const others = membersOf(cluster, now.metadata.name).filter(
      ({ spec }) => !spec.containers[0]?.image?.endsWith(`:${version}`),
    );
    return others.length === 0
      ? undefined
      : `currentVersion became ${version} while ${others.map(({ metadata }) => metadata.name).join(', ')} ran something else`;
  },
};

/** A judgement counts for a pod and what it runs: when an upgrade by canaries is said to be complete, each member that runs it has one. */
export const everyMemberIsJudged: Invariant = {
  name: 'an upgrade by canaries is complete only when each of its pods was judged (S0.9)',
  afterChange: (cluster, change) => {
    if (change.kind !== kind || change.type !== 'MODIFIED') return undefined;
    const [now, before] = [change.object as KVStoreCluster, change.previous as KVStoreCluster | undefined];
    const revision = now.status?.currentRevision;
    if (!now.spec.canary?.analysis || now.spec.upgradeStrategy !== 'Canary') return undefined;
    if (before?.status?.currentRevision === undefined || before.status.currentRevision === revision) return undefined;
    const passed = before.status.upgrade?.analysed?.filter(({ result }) => result === 'Passed') ?? [];
    // The pods at this moment may be newer than those that the operator saw: each ordinal must have been judged as this revision.
    // What a user has added beyond the spec is about to be deleted.
    const wanted = membersOf(cluster, now.metadata.name).filter(
      ({ metadata: { name } }) => Number(name.slice(name.lastIndexOf('-') + 1)) < now.spec.replicas,
    );
    const unjudged = wanted.filter(
      ({ metadata }) => !passed.some((judgement) => judgement.pod === metadata.name && judgement.revision === revision),
    );
    return unjudged.length === 0
      ? undefined
      : `${unjudged.map(({ metadata }) => metadata.name).join(', ')} was never judged, and the upgrade counts as complete`;
  },
};

/** Volumes go last: no pod of the cluster is left, and a policy or a backup allows it. */
export const volumesAreDeletedLast: Invariant = {
  name: 'volumes are deleted only after the pods, by policy or after a backup (S0.11, I11)',
  afterRequest: (cluster, request) => {
    if (request.verb !== 'delete' || request.kind !== 'persistentvolumeclaims' || request.status >= 300)
      return undefined;
    const [, name = '', ordinal = ''] = /^data-(.*)-(\d+)$/.exec(request.name ?? '') ?? [];
    const store = clusters(cluster).find(({ metadata }) => metadata.name === name);
    if (!store) return `${request.name} was deleted and no cluster asked for it`;
    // Of a member that was taken away it may go while the others run, also when the deletion of the cluster has just come.
    const dropped = store.spec.scaleDown?.claims === 'Delete' && Number(ordinal) >= store.spec.replicas;
    const users = membersOf(cluster, name).filter(
      ({ metadata }) =>
        metadata.name === `${name}-${ordinal}` || (!dropped && store.metadata.deletionTimestamp !== undefined),
    );
    if (users.length > 0)
      return `${request.name} was deleted while ${users.map(({ metadata }) => metadata.name).join(', ')} existed`;
    if (dropped) return undefined;
    if (store.metadata.deletionTimestamp === undefined) return `${request.name} was deleted while its cluster lived`;
    const backedUp = store.status?.hooks?.some(
      ({ purpose, result }) => purpose === 'FinalBackup' && result === 'Succeeded',
    );
    return store.spec.deletionPolicy === 'Delete' || (store.spec.deletionPolicy === undefined && backedUp)
      ? undefined
      : `${request.name} was deleted without a policy or a backup that allows it`;
  },
};

/** What the last pod of each name was made of: after a restore of etcd, of those that the older state has. */
const lastRevisions = new Memories(
  (cluster) => new Map(cluster.objects.list(pods).map((pod) => [pod.metadata.name, madeOf(pod)])),
);

const madeOf = ({ metadata: { uid, annotations } }: Pod) => ({ uid, revision: annotations?.[templateHashAnnotation] });

/** Notes what a new pod is made of, and says what the one of its name before it was made of. */
function revisionBefore(cluster: TestCluster, pod: Pod): string | undefined {
  const last = lastRevisions.of(cluster);
  const before = last.get(pod.metadata.name);
  last.set(pod.metadata.name, madeOf(pod));
  return before?.uid === pod.metadata.uid ? undefined : before?.revision;
}

/**
 * A canary goes first: a member gets a new revision only when all above it run it, serve, and were judged where an analysis is asked for. One that had gone ahead of what the others run does not
 * wait for that: held, it would come back as an older version than its volume has seen (I30), and that comes first.
 */
export const canaryGoesFirst: Invariant = {
  name: 'no member follows a canary that was not judged (S0.3, S0.9)',
  afterChange: (cluster, change) => {
    lastRevisions.of(cluster);
    if (change.kind !== 'pods' || change.type !== 'ADDED') return undefined;
    const pod = change.object as Pod;
    const store = ownerOf(cluster, pod);
    const revision = pod.metadata.annotations?.[templateHashAnnotation];
    const before = revisionBefore(cluster, pod);
    if (before !== undefined && before !== store?.status?.currentRevision) return undefined;
    if (store?.spec.upgradeStrategy !== 'Canary' || store.status?.currentRevision === undefined) return undefined;
    if (revision === store.status.currentRevision) return undefined;
    const ordinal = Number(pod.metadata.name.slice(pod.metadata.name.lastIndexOf('-') + 1));
    for (let above = ordinal + 1; above < store.spec.replicas; above += 1) {
      const judged = store.status.upgrade?.analysed?.some(
        (judgement) =>
          judgement.pod === `${store.metadata.name}-${above}` &&
          judgement.revision === revision &&
          judgement.result === 'Passed',
      );
      if (store.spec.canary?.analysis && !judged)
        return `${pod.metadata.name} got ${revision ?? 'a revision'} before ${store.metadata.name}-${above} was judged`;
    }
    return undefined;
  },
};

/** A replacement that has not caught up carries nothing yet. On the way back it goes before the others, which the partition does not allow: when its gates are open, it is deleted. */
const isCatchingUp = ({ metadata: { name }, status }: KVStoreCluster, member: string): boolean =>
  status?.upgrade?.catchingUp?.some(({ ordinal }) => member === `${name}-${ordinal}`) ?? false;

/** The operator's own hand takes down no member that serves, but through the StatefulSet; except one that goes back before it has caught up. */
export const servingMembersAreLeftAlone: Invariant = {
  name: 'the operator deletes no member that serves (I4)',
  afterChange: (cluster, change) => {
    if (change.kind === 'pods' && change.type === 'MODIFIED' && change.previous)
      lastServing(cluster).set(change.object.metadata.name, isReady(change.previous as Pod));
    return undefined;
  },
  afterRequest: (cluster, { verb, kind: of, name = '', status, subresource }) => {
    if (verb !== 'delete' || of !== 'pods' || status >= 300 || subresource !== undefined) return undefined;
    const members = cluster.objects.list(pods).filter(({ metadata }) => metadata.name === name);
    const owners = members.map((pod) => ownerOf(cluster, pod)).filter((store) => store !== undefined);
    const going = owners.some((store) => store.metadata.deletionTimestamp !== undefined || isCatchingUp(store, name));
    return lastServing(cluster).get(name) === true && !going ? `${name} was serving and deleted` : undefined;
  },
};

const serving = new WeakMap<TestCluster, Map<string, boolean>>();

function lastServing(cluster: TestCluster): Map<string, boolean> {
  const known = serving.get(cluster) ?? new Map<string, boolean>();
  serving.set(cluster, known);
  return known;
}

const appliedTo = ({ spec }: StatefulSet): string | undefined =>
  spec.template.metadata?.annotations?.[templateHashAnnotation];

const undone = new WeakMap<TestCluster, Set<string>>();

const partitionOf = ({ spec }: StatefulSet): number => spec.updateStrategy?.rollingUpdate?.partition ?? 0;

/** Of each pod, by its name, what its StatefulSet's controller says that it was made from. */
const revisions = new WeakMap<TestCluster, Map<string, string | undefined>>();

/**
 * A pod that is deleted to be replaced comes back as what is wanted: one that a partition holds would come back as it was, again and again. Of two leaders, one may
 * raise the partition in the moment in which the other one deletes a pod.
 */
export const replacementsAreNew: Invariant = {
  name: 'no member is deleted that would come back as it was (I1)',
  afterChange: (cluster, { kind: of, type, object }) => {
    if (of !== 'pods' || type === 'DELETED') return undefined;
    const known = revisions.get(cluster) ?? new Map<string, string | undefined>();
    revisions.set(cluster, known.set(object.metadata.name, object.metadata.labels?.[controllerRevisionLabel]));
    return undefined;
  },
  afterRequest: (cluster, { verb, kind: of, name = '', namespace = '', status, subresource, user }) => {
    if (verb !== 'delete' || of !== 'pods' || status >= 300 || subresource !== undefined) return undefined;
    const [, owner = '', ordinal = ''] = /^(.*)-(\d+)$/.exec(name) ?? [];
    const store = clusters(cluster).find(({ metadata }) => metadata.name === owner);
    const set = cluster.objects.find(statefulSets, namespace, owner);
    if (!store || !set || store.metadata.deletionTimestamp !== undefined) return undefined;
    // What a user had set by hand meanwhile comes back as what ran before.
    if (revisions.get(cluster)?.get(name) !== set.status?.currentRevision) return undefined;
    const partition = partitionOf(set);
    if (Number(ordinal) >= partition || partition > store.spec.replicas) return undefined;
    return isOvertaken(cluster, user, `statefulsets ${namespace}/${owner}`)
      ? undefined
      : `${name} was deleted below the partition ${partition}`;
  },
};

/**
 * What has failed and was put back is not tried again before the spec changes. Where it stands (`onFailure: Stop`), a StatefulSet that is lost is made again as it was before the upgrade, until its controller has looked
 * at it, and then brought to what those run that stay: it was not put back.
 */
export const failuresRemainFailed: Invariant = {
  name: 'a failed revision is not tried again until the spec changes (S0.8)',
  afterChange: (cluster, change) => {
    if (change.kind !== 'statefulsets.apps' || change.type === 'DELETED') return undefined;
    const set = change.object as StatefulSet;
    const store = clusters(cluster).find(({ metadata }) => metadata.name === set.metadata.name);
    const failed = store?.status?.failedRevision;
    if (failed === undefined) return undefined;
    const seen = undone.get(cluster) ?? new Set<string>();
    undone.set(cluster, seen);
    const applied = appliedTo(set);
    const stands = store?.spec.upgrade?.onFailure === 'Stop';
    const isMadeAgain = change.previous === undefined || appliedTo(change.previous as StatefulSet) !== failed;
    const key = `${failed}@${store?.metadata.generation ?? 0}/${store?.status?.retryToken ?? ''}`;
    if (applied !== failed && !(stands && isMadeAgain)) seen.add(key);
    return applied === failed && seen.has(key)
      ? `${failed} has failed and was put back, and is tried again`
      : undefined;
  },
};

/** A finalizer goes only when the members are gone. */
export const deletedWhenAllIsDone: Invariant = {
  name: 'a cluster goes only after its members (I14)',
  afterChange: (cluster, change) => {
    if (change.kind !== kind || change.type !== 'DELETED' || wasOrphaned(cluster, change.object.metadata))
      return undefined;
    const left = membersOf(cluster, change.object.metadata.name);
    return left.length === 0 ? undefined : `${left.map(({ metadata }) => metadata.name).join(', ')} outlived it`;
  },
};

/** When a cluster is gone, of its Jobs only those are left that say where a backup is. */
export const jobsAreGone: Invariant = {
  name: 'a cluster goes after its Jobs, but those of backups',
  afterChange: (cluster, change) => {
    if (change.kind !== kind || change.type !== 'DELETED') return undefined;
    const left = cluster.objects
      .list(jobs)
      .filter(({ metadata: { labels = {} } }) => labels[ownerUidLabel] === change.object.metadata.uid)
      .filter(({ metadata: { labels = {} } }) => !['FinalBackup', 'Backup'].includes(labels[purposeLabel] ?? ''));
    return left.length === 0 ? undefined : `${left.map(({ metadata }) => metadata.name).join(', ')} outlived it`;
  },
};

const isOver = ({ status }: Job): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Complete' && is === 'True') ?? false;

/** A deletion waits for the StatefulSet, the members, Jobs that have not succeeded and claims that are going; and for nothing else, of which it could be that it never comes. */
export const deletionsContinue: Invariant = cleanUpNeedsNoUser((cluster) =>
  clusters(cluster)
    .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
    .map(({ metadata: { name, namespace = '', uid } }) => ({
      of: name,
      waits:
        cluster.objects.find(statefulSets, namespace, name) !== undefined ||
        membersOf(cluster, name).length > 0 ||
        cluster.objects
          .list(jobs)
          .some(
            (job) =>
              job.metadata.labels?.[ownerUidLabel] === uid &&
              (!isOver(job) || job.metadata.deletionTimestamp !== undefined),
          ) ||
        cluster.objects
          .list(persistentVolumeClaims)
          .some(
            ({ metadata: claim }) => claim.labels?.[ownerUidLabel] === uid && claim.deletionTimestamp !== undefined,
          ),
    })),
);

/** What a status says goes together. */
export const statusAgreesWithItself: Invariant = {
  name: 'a status says what is so',
  afterChange: (_, change) => {
    if (change.kind !== kind || change.type !== 'MODIFIED') return undefined;
    const { spec, status, metadata } = change.object as KVStoreCluster; // Of this kind.
    const isTrue = (type: string): boolean =>
      status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
    const serving = status?.readyReplicas ?? 0;
    if (spec.replicas > 0 && serving === 0 && isTrue('Available')) return 'it is available, and no member serves';
    if (status?.observedGeneration !== metadata.generation) return undefined;
    if (status?.phase === 'Ready' && serving !== spec.replicas)
      return `it is ready, with ${serving} of ${spec.replicas} members`;
    return isTrue('Ready') && status?.phase !== 'Ready' ? `it is ready, and ${status?.phase ?? 'nothing'}` : undefined;
  },
};

/** What is done is what is asked for now. */
const oldSpecs = oldSpecsAreNotCarriedOut(kind, (cluster, name) => {
  const store = clusters(cluster).find(({ metadata }) => metadata.name === name);
  if (store?.metadata.deletionTimestamp !== undefined || !store) return undefined;
  const { spec, status } = store;
  const imageOf = (version: string): string => `${spec.image}:${version}`;
  const hasFailed = status?.failedRevision !== undefined && status.currentVersion !== undefined;
  return {
    image: imageOf(spec.version),
    replicas: spec.replicas,
    before: hasFailed ? imageOf(status.currentVersion) : undefined,
  };
});

/** A member's volume sees no older version than it has seen, unless a user or a failure asks for it. */
const neverOlder = noOlderVersion(
  kind,
  (object) => {
    const { metadata, spec, status } = object as KVStoreCluster; // Of this kind.
    const hasFailed = status?.failedRevision !== undefined && status.currentVersion !== undefined;
    return {
      metadata,
      image: `${spec.image}:${spec.version}`,
      goesBackTo: hasFailed ? `${spec.image}:${status.currentVersion}` : undefined,
    };
  },
  ({ objects }, namespace, name) => objects.find(kvStoreClusters, namespace, name),
);

/** What shows of a failure: conditions, and gauges. */
const shown: Visible = {
  find: (cluster) => cluster.objects.find(kvStoreClusters, 'default', 'orders'),
  gauges: (store, now) => kvStoreClusterMetrics([store as KVStoreCluster], now),
};

/** What the API server refuses shows. */
export const storeFailuresAreVisible: Invariant = failuresAreVisible(shown);

/** Failed Jobs and checks without an answer show. */
export const storeJobsAreVisible: Invariant = failedJobsAreVisible(shown, kind);

/** The invariants of every history of a KVStoreCluster. */
export const kvStoreInvariants: readonly Invariant[] = [
  storeFailuresAreVisible,
  storeJobsAreVisible,
  versionIsTrue,
  volumesAreDeletedLast,
  canaryGoesFirst,
  everyMemberIsJudged,
  jobsAreGone,
  servingMembersAreLeftAlone,
  replacementsAreNew,
  failuresRemainFailed,
  failedRevisionsDoNotStart({
    kind,
    find: ({ objects }, namespace, name) => objects.find(kvStoreClusters, namespace, name),
    returnsAsItRan: true,
  }),
  membersAreOfOneTemplate(
    (cluster, name) => clusters(cluster).find(({ metadata }) => metadata.name === name)?.status?.phase === 'Ready',
  ),
  deletedWhenAllIsDone,
  deletionsContinue,
  claimsAreNotOwnedBy('KVStoreCluster'),
  nothingForTheDying('KVStoreCluster', kind),
  refusalsAreAdmissions(kind),
  nothingComesBack(kind, ({ objects }, namespace, name) => objects.find(kvStoreClusters, namespace, name)),
  oldSpecs,
  neverOlder,
  nothingIsWrittenInVain(),
  statusAgreesWithItself,
  phaseAndConditionsAgree('KVStoreCluster', kind),
  ...timesAreTrue(kind),
  ...volumeInvariants,
  ...backupInvariants,
];
