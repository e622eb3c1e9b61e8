import type { KVStoreCluster } from '@ordinal/api';
import { kvStoreClusters } from '@ordinal/api';
import type { Job, KubernetesObject, ObjectKey } from '@ordinal/client';
import type { PersistentVolumeClaim, Pod, StatefulSet } from '@ordinal/client';
import {
  jobs,
  namespaces,
  persistentVolumeClaims,
  podDisruptionBudgets,
  pods,
  services,
  statefulSets,
  controllerOf,
} from '@ordinal/client';
import {
  kvStoreSelector,
  ownerUidLabel,
  purposeLabel,
  selectorText,
  taskContainer,
  taskOfLabel,
  hashIn,
} from '@ordinal/constructs';
import type { CacheReader, ReconcileContext } from '@ordinal/runtime';
import type {
  FoundMembers,
  ObservedReservations,
  OwnJobs,
  SealedJobs,
  SealedStatuses,
  Sealer,
} from '@ordinal/lifecycle';
import { ordinalIn, outputsOf } from '@ordinal/lifecycle';
import { isNameTaken } from './adoption.ts';
import { isUnrecorded } from './backup/records.ts';
import { scratchesInCache, scratchesNow } from './drill/observe.ts';
import type { Child, Observation } from './observation.ts';
import { claimName, ordinalOfClaim, toBuild } from './observation.ts';
import { heldTemplateOf, templateOf } from './history.ts';

/** What a cluster is looked at with, beside the context. */
export interface ObservedWith {
  readonly statuses: SealedStatuses<KVStoreCluster>;
  readonly jobs: SealedJobs;
  /** What was seen of reservations before: the same for as long as the process runs. */
  readonly reservations: ObservedReservations;
}

const reservedIn = (reserved: string | undefined): Pick<Observation, 'reserved'> =>
  reserved === undefined ? {} : { reserved };

/** Looks at everything that a decision about a cluster rests on. Undefined where there is no such cluster. */
export async function observeKVStoreCluster(
  key: ObjectKey,
  context: ReconcileContext,
  { statuses, jobs: sealedJobs, reservations }: ObservedWith,
): Promise<Observation | undefined> {
  const cluster = context.cache.get(kvStoreClusters, key);
  if (!cluster) {
    reservations.forget(key);
    return undefined;
  }
  const scratches = scratchesInCache(cluster, context.cache, statuses);
  const reserved = reservedIn(reservations.current(cluster, context.clock));
  const own = sealedJobs.of(cluster);
  const seen = { ...fromCache(cluster, context.cache, own), ...reserved, scratches, sealer: statuses.sealer(cluster) };
  return { ...seen, outputs: await printed(seen, context) };
}

/**
 * The same observation with the claims, Jobs and their pods, members and children as the API server has them, not before the cluster was written last. A cache that is behind shows none:
 * claims and Jobs that nothing takes away once the cluster has gone, since they have no owner reference (I12), and members whose volumes must stay (I11). Or it shows
 * children as the cluster's own that an orphaning deletion has orphaned already: those, and their members, are not touched. What the Jobs have printed is read again: they
 * may be others than those that were seen, or may have ended since.
 */
export async function confirmWhatOutlives(
  seen: Observation,
  context: ReconcileContext,
  { statuses, jobs: sealedJobs }: Pick<ObservedWith, 'statuses' | 'jobs'>,
): Promise<Observation> {
  const { client, signal } = context;
  const { isOwn } = sealedJobs.of(seen.cluster);
  const { namespace = '', uid, resourceVersion } = seen.cluster.metadata;
  const ours = {
    labelSelector: `${ownerUidLabel}=${uid}`,
    resourceVersion,
    resourceVersionMatch: 'NotOlderThan' as const,
    signal,
  };
  const members = { ...ours, labelSelector: selectorText(kvStoreSelector(toBuild(seen.cluster))) };
  const { name } = seen.cluster.metadata;
  const [claims, made, working, present, statefulSet, ...beside] = await Promise.all([
    client(persistentVolumeClaims).namespace(namespace).list(ours),
    client(jobs).namespace(namespace).list(ours),
    client(pods).namespace(namespace).list(ours),
    client(pods).namespace(namespace).list(members),
    client(statefulSets).namespace(namespace).find(name, { signal }),
    client(services).namespace(namespace).find(name, { signal }),
    client(services).namespace(namespace).find(`${name}-client`, { signal }),
    client(podDisruptionBudgets).namespace(namespace).find(name, { signal }),
  ]);
  const isMembers = (claim: PersistentVolumeClaim): boolean => ordinalOfClaim(seen.cluster, claim) !== undefined;
  const { statefulSet: _set, unowned: _unowned, namesake: _namesake, ...others } = seen;
  const children = beside.filter((child) => child !== undefined);
  const scratches = await scratchesNow(seen, context, statuses);
  const confirmed = {
    ...others,
    ...whoseChildren(seen.cluster, statefulSet, children),
    ...{ claims: claims.items.filter(isMembers), jobs: made.items.filter(isOwn), pods: present.items },
    scratches,
    taskPods: working.items.filter(
      (pod) =>
        pod.metadata.labels?.[taskOfLabel] === name &&
        !isOfOneOf(
          pod,
          made.items.filter((job) => !isOwn(job)),
        ),
    ),
  };
  return { ...confirmed, outputs: await printed(confirmed, context) };
}

/** Looks at what belongs to a cluster, as far as the disruption of a member is concerned: its StatefulSet and its members are given, the rest is as the informers have it. */
export function observeAround(
  cluster: KVStoreCluster,
  cache: CacheReader,
  { set, pods: present, reserved, sealer, own }: FoundMembers & { readonly sealer: Sealer; readonly own: OwnJobs },
): Observation {
  const { statefulSet: _set, unowned: _unowned, namesake: _namesake, ...around } = fromCache(cluster, cache, own);
  const children = whoseChildren(cluster, set, around.children as readonly KubernetesObject[]); // They were observed.
  return { ...around, ...children, ...reservedIn(reserved), pods: present, scratches: [], sealer };
}

/** The children of its name: what it controls, what it may take back, and whether they were orphaned. */
function whoseChildren(
  cluster: KVStoreCluster,
  statefulSet: StatefulSet | undefined,
  children: readonly KubernetesObject[],
): Pick<Observation, 'statefulSet' | 'unowned' | 'namesake' | 'children' | 'orphaned'> {
  const { uid } = cluster.metadata;
  const isAdopting = cluster.spec.adopt !== undefined;
  const owned = statefulSet?.metadata.ownerReferences?.some((reference) => reference.uid === uid) ?? false;
  return {
    // A StatefulSet of this name that belongs to another owner, or to an earlier cluster, is not ours to change.
    ...(statefulSet && owned ? { statefulSet } : {}),
    ...(statefulSet && !owned && !isAdopting && mayBeOurs(cluster, statefulSet) ? { unowned: statefulSet } : {}),
    ...(statefulSet && isAdopting ? { namesake: statefulSet } : {}),
    children: children as readonly Child[],
    orphaned: wasOrphaned(cluster, statefulSet, children),
  };
}

function fromCache(
  cluster: KVStoreCluster,
  cache: CacheReader,
  { isOwn }: OwnJobs,
): Omit<Observation, 'sealer' | 'scratches'> {
  const { name, namespace = '', uid } = cluster.metadata;
  const statefulSet = cache.get(statefulSets, { namespace, name });
  const claims = cache
    .list(persistentVolumeClaims, { namespace })
    .filter((claim) => ordinalOfClaim(cluster, claim) !== undefined);
  const isOurs = (object: PersistentVolumeClaim | Job) => object.metadata.labels?.[ownerUidLabel] === uid;
  const previousTemplate = templateOf(cluster, statefulSet?.metadata.uid, cache);
  const heldRevision = statefulSet && hashIn(heldTemplateOf(statefulSet, cache));
  const children = childrenOf(cluster, cache);
  // Without a port no Service for clients is wanted: whose it is does not matter then.
  const wanted = children.filter(({ metadata }) => cluster.spec.port !== undefined || metadata.name === name);
  const taken = takenAmong(cluster, statefulSet, wanted);
  const within = cache.get(namespaces, { namespace: '', name: namespace });
  const isTerminating = within?.metadata.deletionTimestamp !== undefined;
  const made = cache.list(jobs, { namespace }).filter((job) => isOurs(job) || controllerOf(job)?.uid === uid);
  const own = made.filter(isOwn);
  const others = made.filter((job) => !own.includes(job));
  const managed = cache.list(pods, { namespace, labels: { [taskOfLabel]: name } });
  return {
    cluster,
    ...whoseChildren(cluster, statefulSet, children),
    pods: cache.list(pods, { namespace, labels: kvStoreSelector(toBuild(cluster)) }),
    claims: claims.filter(isOurs),
    foreignClaims: claims.filter((claim) => !isOurs(claim)),
    jobs: own.filter(isOurs),
    gateJobs: own.filter((job) => controllerOf(job)?.uid === uid),
    outputs: new Map(),
    ...(taken ? { taken: `${taken.kind} ${namespace}/${taken.metadata.name}` } : {}),
    ...(previousTemplate ? { previousTemplate } : {}),
    ...(heldRevision ? { heldRevision } : {}),
    taskPods: managed.filter((pod) => pod.metadata.labels?.[ownerUidLabel] === uid && !isOfOneOf(pod, others)),
    namespaceTerminating: isTerminating,
    ...(within && isTerminating ? { terminatingNamespace: within } : {}),
  };
}

/** What has the name of a child and is another's. What stands without a controller beside a StatefulSet that is taken over is left as it is, and its Service is its own affair. */
function takenAmong(
  cluster: KVStoreCluster,
  statefulSet: StatefulSet | undefined,
  children: readonly KubernetesObject[],
): KubernetesObject | undefined {
  if (!cluster.spec.adopt) return [statefulSet, ...children].find((child) => child && !mayBeOurs(cluster, child));
  if (statefulSet && isNameTaken({ cluster }, statefulSet)) return statefulSet;
  const { name, uid } = cluster.metadata;
  const beside = children.filter(({ kind, metadata }) => kind !== services.kind || metadata.name !== name);
  return beside.find((child) => controllerOf(child) !== undefined && controllerOf(child)?.uid !== uid);
}

/** The same observation, for an adoption: the StatefulSet, its pods and their claims as the API server has them, whatever labels they bear. */
export async function confirmAdopted(
  seen: Observation,
  { client, signal }: Pick<ReconcileContext, 'client' | 'signal'>,
): Promise<Observation> {
  const { cluster } = seen;
  const { namespace = '', name } = cluster.metadata;
  const labelSelector = selectorText(kvStoreSelector(toBuild(cluster)));
  const [statefulSet, present] = await Promise.all([
    client(statefulSets).namespace(namespace).find(name, { signal }),
    client(pods).namespace(namespace).list({ labelSelector, signal }),
  ]);
  const ordinals = present.items
    .filter((pod) => controllerOf(pod)?.uid === statefulSet?.metadata.uid)
    .flatMap((pod) => ordinalIn(pod.metadata.name, name) ?? []);
  const claims = await Promise.all(
    ordinals.map((ordinal) =>
      client(persistentVolumeClaims).namespace(namespace).find(claimName(cluster, ordinal), { signal }),
    ),
  );
  const unlabelled = claims.flatMap((claim) =>
    claim && claim.metadata.labels?.[ownerUidLabel] !== cluster.metadata.uid ? [claim] : [],
  );
  const { statefulSet: _set, namesake: _namesake, ...others } = seen;
  const children = seen.children as readonly KubernetesObject[]; // They were observed.
  return { ...others, ...whoseChildren(cluster, statefulSet, children), pods: present.items, unlabelled };
}

/** Whether a pod is that of one of these Jobs. */
const isOfOneOf = (pod: Pod, made: readonly Job[]): boolean =>
  made.some(({ metadata }) => metadata.uid === controllerOf(pod)?.uid);

/** The children beside the StatefulSet that exist. */
function childrenOf(
  { metadata: { name, namespace = '' } }: KVStoreCluster,
  cache: CacheReader,
): readonly KubernetesObject[] {
  return [
    cache.get(services, { namespace, name }),
    cache.get(services, { namespace, name: `${name}-client` }),
    cache.get(podDisruptionBudgets, { namespace, name }),
  ].filter((child) => child !== undefined);
}

/** A deletion that orphans has let the StatefulSet go; where that went before, everything that is there beside it. */
function wasOrphaned(
  cluster: KVStoreCluster,
  statefulSet: StatefulSet | undefined,
  beside: readonly KubernetesObject[],
): boolean {
  const children = statefulSet === undefined ? beside : [statefulSet];
  return (
    children.length > 0 &&
    children.every(
      (child) =>
        child.metadata.ownerReferences === undefined && (cluster.spec.adopt !== undefined || isOf(cluster, child)),
    )
  );
}

/** It is controlled by this cluster, or has no controller and was made for a cluster of this name: such a one was orphaned, and may be taken back. */
function mayBeOurs(cluster: KVStoreCluster, child: KubernetesObject): boolean {
  const controller = controllerOf(child);
  return controller ? controller.uid === cluster.metadata.uid : isOf(cluster, child);
}

/** Whether the labels of an object say that it was made for a cluster of this name. */
function isOf({ metadata: { name } }: KVStoreCluster, { metadata: { labels = {} } }: KubernetesObject): boolean {
  return Object.entries(kvStoreSelector({ name })).every(([key, value]) => labels[key] === value);
}

/** Its result is to be recorded. What is done stands in the status before its Job is made: of a purpose of which another Job stands there, this one is an earlier one. */
function mustBeReported({ metadata: { name, labels } }: Job, { cluster }: Observation): boolean {
  const record = cluster.status?.hooks?.find(({ purpose }) => purpose === labels?.[purposeLabel]);
  // Scheduled backups stand in no record but in the list.
  if (record === undefined && labels?.[purposeLabel] === 'Backup' && cluster.status?.backups) return false;
  return record === undefined || (record.job === name && record.result === undefined);
}

/** What finished Jobs printed whose result is not recorded yet. */
const printed = (seen: Observation, context: ReconcileContext): Promise<ReadonlyMap<string, string>> =>
  outputsOf(
    {
      ...{ jobs: seen.jobs, container: taskContainer },
      isWanted: (job) => mustBeReported(job, seen) || isUnrecorded(job, seen),
    },
    context,
  );
