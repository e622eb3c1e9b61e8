import { clusteredCaches, cloudDatabases, kvStoreClusters, monitoredStatefulSets } from '@ordinal/api';
import type { Instant, Job, KubernetesObject, PersistentVolumeClaim, Pod, ResourceDescriptor } from '@ordinal/client';
import { controllerOf, nodes, persistentVolumeClaims, pods, statefulSets, timestamp } from '@ordinal/client';
import {
  CloudDatabaseDefinition,
  ClusteredCacheDefinition,
  KVStoreClusterDefinition,
  MonitoredStatefulSetDefinition,
} from '@ordinal/constructs';
import { inUseFinalizer } from '@ordinal/lifecycle';
import type { ClusterOptions, NodeSetup } from '@ordinal/simulator';
import { allocatableBeside } from '@ordinal/simulator';
import type { OrdinalResource } from '../kinds.ts';
import { withBelievedSeal, withBelievedStatus } from '../plan/believed.ts';
import { assumedSecrets, withAssumedPassword } from './databases.ts';
import { namedIn } from './references.ts';
import type { Snapshot } from './snapshot.ts';
import { ofKind } from './of-kind.ts';

/** The kinds whose resources are played. */
export const playedKinds: readonly ResourceDescriptor<OrdinalResource>[] = [
  ...[clusteredCaches, kvStoreClusters, monitoredStatefulSets, cloudDatabases],
];

const definitions: Readonly<Record<string, { manifest(): object }>> = {
  ClusteredCache: ClusteredCacheDefinition,
  KVStoreCluster: KVStoreClusterDefinition,
  MonitoredStatefulSet: MonitoredStatefulSetDefinition,
  CloudDatabase: CloudDatabaseDefinition,
};

/** The definition of a kind that is played, of this version of the plugin. */
export function definitionOf({ kind }: ResourceDescriptor<OrdinalResource>): object {
  const definition = definitions[kind];
  if (!definition) throw new TypeError(`${kind} is not played`);
  return definition.manifest();
}

/** The resources that are played. */
export const resourcesOf = (objects: readonly KubernetesObject[]): readonly OrdinalResource[] =>
  playedKinds.flatMap((descriptor): readonly OrdinalResource[] => ofKind<OrdinalResource>(descriptor, objects));

const isPlayed = ({ kind }: KubernetesObject): boolean => playedKinds.some((each) => each.kind === kind);

/** A simulated cluster to be, and what in it is not as in the real one. */
export interface Seed {
  readonly cluster: Pick<
    ClusterOptions,
    'crds' | 'nodes' | 'objects' | 'namespaces' | 'startsAt' | 'endpoints' | 'storageClass'
  >;
  readonly notes: readonly string[];
}

/** What is put in the store as it was read; other kinds are made from it, or left out. */
const kept = new Set([
  ...playedKinds.map(({ kind }) => kind),
  ...['StatefulSet', 'ControllerRevision', 'Pod', 'PersistentVolumeClaim', 'PersistentVolume'],
  ...['Service', 'PodDisruptionBudget', 'Job', 'StorageClass', 'Namespace'],
]);

/** Without owners that are not there: the simulated garbage collector would delete it for that. */
function withKnownOwners<T extends KubernetesObject>(object: T, uids: ReadonlySet<string>): T {
  const { ownerReferences = [] } = object.metadata;
  const known = ownerReferences.filter(({ uid }) => uids.has(uid));
  return known.length === ownerReferences.length
    ? object
    : { ...object, metadata: { ...object.metadata, ownerReferences: known } };
}

/** A pod of a controller that is not played would be deleted, or counted, by none. */
const belongsHere = (object: KubernetesObject, uids: ReadonlySet<string>): boolean =>
  object.kind !== 'Pod' || uids.has(controllerOf(object)?.uid ?? '');

/** The revision of a set that its controller has seen is that of its template: JSON of another version of Kubernetes, of the same template, must not look like another one. */
function withRevisions(objects: readonly KubernetesObject[]): readonly KubernetesObject[] {
  const sets = ofKind(statefulSets, objects);
  return objects.map((object) => {
    const set = sets.find(({ metadata, status }) => {
      const isSeen = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
      return controllerOf(object)?.uid === metadata.uid && isSeen && status?.updateRevision === object.metadata.name;
    });
    if (object.kind !== 'ControllerRevision' || !set) return object;
    return { ...object, data: { spec: { template: { ...set.spec.template, $patch: 'replace' } } } };
  });
}

/** The volume of a bound claim that may not be read. */
function volumeFor({ metadata, spec, status }: PersistentVolumeClaim): KubernetesObject {
  const { namespace = '', name, uid, creationTimestamp } = metadata;
  const volume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: spec.volumeName ?? '', uid: `volume-${uid}`, resourceVersion: '0', creationTimestamp },
    spec: {
      accessModes: spec.accessModes ?? [],
      capacity: status?.capacity ?? {},
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid },
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: spec.storageClassName ?? '',
    },
    status: { phase: 'Bound' },
  };
  return volume;
}

const made = (kind: string, name: string, at: Instant): Pick<KubernetesObject, 'kind' | 'metadata'> => ({
  kind,
  metadata: { name, uid: `assumed-${kind}-${name}`, resourceVersion: '0', creationTimestamp: timestamp(at) },
});

/** What is taken for that which was not read: volumes, classes, Secrets and ConfigMaps with values of no meaning. */
function assumed(
  objects: readonly KubernetesObject[],
  { at, namespace, knowsClasses }: Snapshot,
): readonly KubernetesObject[] {
  const has = (kind: string, name = ''): boolean =>
    objects.some((object) => object.kind === kind && object.metadata.name === name);
  const databaseSecrets = assumedSecrets(ofKind(cloudDatabases, objects), { at, namespace });
  const claims = ofKind(persistentVolumeClaims, objects);
  const bound = claims.filter(({ spec }) => (spec.volumeName ?? '') !== '');
  const classes = new Set(claims.flatMap(({ spec }) => spec.storageClassName ?? []).filter((name) => name !== ''));
  return [
    ...bound.filter(({ spec }) => !has('PersistentVolume', spec.volumeName)).map(volumeFor),
    ...[...classes]
      .filter((name) => !knowsClasses && !has('StorageClass', name))
      .map((name) => ({
        ...{ apiVersion: 'storage.k8s.io/v1', provisioner: 'assumed', allowVolumeExpansion: true },
        ...made('StorageClass', name, at),
      })),
    ...databaseSecrets,
    ...namedIn(objects)
      .filter(({ kind, name }) => !databaseSecrets.some((each) => each.kind === kind && each.metadata.name === name))
      .map(({ kind, name, keys }) => {
        const { metadata } = made(kind, name, at);
        const value = kind === 'Secret' ? Buffer.from('not read').toString('base64') : 'not read';
        const data = Object.fromEntries(keys.map((key) => [key, value]));
        const finalizers = kind === 'Secret' ? { finalizers: [inUseFinalizer(monitoredStatefulSets)] } : {};
        return { apiVersion: 'v1', kind, metadata: { ...metadata, namespace, ...finalizers }, data };
      }),
  ];
}

/** Whether a pod is over: it takes nothing any more. */
const isOver = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** The nodes that were read, less what pods ask for that are not played; else those of the pods. */
function nodesOf({ objects, beside }: Snapshot, left: readonly KubernetesObject[]): readonly NodeSetup[] {
  const others = [...beside, ...ofKind(pods, left)].filter((pod) => !isOver(pod));
  const room = (name: string, allocatable: Readonly<Record<string, string>> | undefined) =>
    allocatable &&
    allocatableBeside(
      allocatable,
      others.filter(({ spec }) => spec.nodeName === name),
    );
  const read = ofKind(nodes, objects);
  if (read.length > 0)
    return read.map(({ metadata: { name, labels }, spec: { taints, unschedulable } = {}, status }) => ({
      ...{ name, labels, unschedulable, allocatable: room(name, status?.allocatable) },
      taints: taints?.map((taint) => ({ ...taint })),
    }));
  const names = ofKind(pods, objects).flatMap(({ spec }) => spec.nodeName ?? []);
  return [...new Set(['node-1', 'node-2', 'node-3', ...names])].map((name) => ({ name }));
}

function notesOf(left: readonly KubernetesObject[], snapshot: Snapshot): readonly string[] {
  const pods = left.filter(({ kind }) => kind === 'Pod').length;
  const named = namedIn(snapshot.objects.filter((object) => kept.has(object.kind)));
  return [
    ...snapshot.unread,
    ...(pods === 0
      ? []
      : [`${pods === 1 ? 'a pod' : `${pods} pods`} of other controllers ${pods === 1 ? 'is' : 'are'} left out`]),
    ...(named.length === 0
      ? []
      : [`Secrets and ConfigMaps are not read, and count as there: ${named.map(({ name }) => name).join(', ')}`]),
  ];
}

/** What a simulated cluster begins with to be what was read: with the same UIDs, statuses and owners. `around`: what of the cluster around it is in the way. */
export async function seedOf(
  snapshot: Snapshot,
  wanted: readonly OrdinalResource[],
  around: readonly KubernetesObject[],
): Promise<Seed> {
  const taken = snapshot.objects.filter((object) => kept.has(object.kind));
  const uids = new Set(taken.map(({ metadata }) => metadata.uid));
  const here = taken.filter((object) => belongsHere(object, uids));
  const resources = resourcesOf(here);
  const believed = await Promise.all(
    here.map(async (object) => {
      if (isPlayed(object)) return withBelievedStatus(withAssumedPassword(object as OrdinalResource));
      const owner = resources.find(({ metadata }) => metadata.uid === controllerOf(object)?.uid);
      return object.kind === 'Job' && owner ? await withBelievedSeal(object as Job, owner) : object;
    }),
  );
  const objects = withRevisions(believed.map((object) => withKnownOwners(object, uids)));
  const extra = assumed([...objects, ...wanted], snapshot);
  const left = snapshot.objects.filter((object) => object.kind !== 'Node' && !here.includes(object));
  return {
    notes: notesOf(left, snapshot),
    cluster: {
      crds: playedKinds.map(definitionOf),
      ...{
        nodes: nodesOf(snapshot, left),
        objects: [...objects, ...extra, ...around],
        startsAt: snapshot.at,
        endpoints: false,
      },
      namespaces: [snapshot.namespace],
      storageClass: !snapshot.knowsClasses,
    },
  };
}
