import type { KVStoreCluster } from '@ordinal/api';
import { kvStoreClusters } from '@ordinal/api';
import type { Job, KubernetesObject, PersistentVolumeClaim, Pod, StatefulSet } from '@ordinal/client';
import type { synthesizeKVStoreCluster } from '@ordinal/constructs';
import {
  kvStoreClaim,
  kvStoreContainer,
  kvStorePodTemplate,
  hashIn,
  templateHashAnnotation,
} from '@ordinal/constructs';
import type { Hold, Answers, Member, Sealer } from '@ordinal/lifecycle';
import { onceFor, membersOfSet } from '@ordinal/lifecycle';
import { isAdopted } from '../adoption/marks.ts';
import { imageOfContainer } from '../adoption/mismatch.ts';
import type { Naming } from '../commands.ts';
import { objectIn } from '../commands.ts';

/** The finalizer by which a cluster waits for its clean-up. */
export const clusterFinalizer = 'kvstore.example.com/finalizer';

/** How a cluster is held. */
export const clusterHold: Hold = {
  descriptor: kvStoreClusters,
  finalizer: clusterFinalizer,
  because: 'its volumes and backups are cleaned up before it goes',
};

/** A child as it is written. */
export type Child = ReturnType<typeof synthesizeKVStoreCluster>[number];

/** The pod template of a StatefulSet. */
export type PodTemplate = NonNullable<StatefulSet['spec']>['template'];

/** A cluster that was seen where a scratch cluster of this one is, or may be. */
export interface SeenScratch {
  readonly cluster: KVStoreCluster;
  /** Whether the operator has written its status. */
  readonly isTrusted: boolean;
}

/** Everything that a decision about a cluster rests on. */
export interface Observation {
  readonly cluster: KVStoreCluster;
  readonly statefulSet?: StatefulSet;
  /** One of this name that has no controller any more, and that was made for a cluster of this name: it is taken back. */
  readonly unowned?: StatefulSet;
  /** With `spec.adopt`: the StatefulSet of its name, under whichever controller. */
  readonly namesake?: StatefulSet;
  /** With `spec.adopt`: claims of its members that bear none of its labels; known where the API server was asked. */
  readonly unlabelled?: readonly PersistentVolumeClaim[];
  /** Pods that carry the members' labels, of this cluster's StatefulSet or of an earlier one. */
  readonly pods: readonly Pod[];
  /** Claims that carry the UID of this cluster. */
  readonly claims: readonly PersistentVolumeClaim[];
  /** Claims with the names of this cluster's members that carry another UID, or none: left by an earlier cluster. */
  readonly foreignClaims: readonly PersistentVolumeClaim[];
  /** Jobs that carry the UID of this cluster, and that the operator has made. Those of other clients count for nothing. */
  readonly jobs: readonly Job[];
  /** What finished Jobs printed, by the Job's name, as far as it was read. */
  readonly outputs: ReadonlyMap<string, string>;
  /** The Jobs of gates: those that this cluster controls, and that the operator has made. */
  readonly gateJobs: readonly Job[];
  /** What members answered to the questions of a rollout in this reconcile. */
  readonly asked?: Answers;
  /** The children beside the StatefulSet, as they are. */
  readonly children: readonly Child[];
  /** The pod template that all members ran when the cluster was last complete (`status.currentRevision`), from its ControllerRevision. */
  readonly previousTemplate?: PodTemplate;
  /** The hash of the template that the StatefulSet's controller makes members of whom a partition holds (its `status.currentRevision`); undefined where that is not known. */
  readonly heldRevision?: string;
  /** An object that has the name of a child and belongs to another owner: `Kind namespace/name`. */
  readonly taken?: string;
  readonly namespaceTerminating: boolean;
  /** The namespace, where it is being deleted: events about it can still be written, those about what is in it can't. */
  readonly terminatingNamespace?: KubernetesObject;
  /** The children were orphaned: a deletion that orphans took our owner reference off the StatefulSet or, where there is none, off all that is there beside it. */
  readonly orphaned: boolean;
  /** Seals what is remembered of this cluster outside its status. */
  readonly sealer: Sealer;
  /** The clusters that this one controls, or that have the name of the scratch cluster of its drill: not all of them are its own. */
  readonly scratches: readonly SeenScratch[];
  /** The UID of the member whose deletion by another client was allowed last, while no other member may go down because of it. */
  readonly reserved?: string;
  /** The pods of this cluster's Jobs. A finished one keeps the claims that it mounts from going. */
  readonly taskPods: readonly Pod[];
}

/** The pod template that the spec asks for, as the operator builds it. */
const builtTemplate = onceFor((cluster: KVStoreCluster) => kvStorePodTemplate(toBuild(cluster)));

/** The pod template that members should run. One that was taken over for what the spec asks for is that until the spec changes. */
export const wantedTemplate: (seen: Observation) => PodTemplate | undefined = onceFor(
  ({ cluster, statefulSet, previousTemplate }: Observation) => {
    if (!cluster.spec.adopt) return undefined;
    const built = builtTemplate(cluster);
    const image = (template: PodTemplate | undefined) => imageOfContainer(template, kvStoreContainer(cluster.spec));
    // Another image than the spec's is another client's.
    const isSame = (template: PodTemplate | undefined): boolean =>
      isAdopted(template) && hashIn(template) === hashIn(built) && image(template) === image(built);
    return [statefulSet?.spec.template, previousTemplate].find(isSame);
  },
);

/** The members of the cluster's present StatefulSet, by ordinal. */
export const membersOf = onceFor((seen: Observation): readonly Member[] => {
  const { cluster, statefulSet, pods, previousTemplate } = seen;
  const applied = hashIn(statefulSet?.spec?.template);
  const ours = [wantedTemplate(seen) ?? builtTemplate(cluster), previousTemplate];
  return membersOfSet({
    statefulSet,
    pods,
    revisionAnnotation: templateHashAnnotation,
    finalizer: '',
    template: ours.find((template) => hashIn(template) === applied),
  });
});

/** The hash of the template that the spec asks for. */
export function wantedHash(cluster: KVStoreCluster): string {
  return hashIn(builtTemplate(cluster));
}

/** The cluster as the constructs take it. */
export function toBuild(cluster: KVStoreCluster) {
  const { name, namespace = '', uid } = cluster.metadata;
  const { apiVersion, kind, spec } = cluster;
  return { name, namespace, spec, owner: { apiVersion, kind, name, namespace, uid } };
}

/** How commands name a cluster. */
export const clusterNaming: Naming = { resource: 'kvs' };

/** How a command of `kubectl` names the cluster. */
export const objectOf = (cluster: KVStoreCluster): string => objectIn(cluster, clusterNaming);

/** The name of a member's claim. */
export function claimName(cluster: KVStoreCluster, ordinal: number): string {
  return `${kvStoreClaim(cluster.spec)}-${cluster.metadata.name}-${ordinal}`;
}

/** The ordinal that a claim belongs to; undefined for a claim that is no member's. */
export function ordinalOfClaim(cluster: KVStoreCluster, claim: PersistentVolumeClaim): number | undefined {
  const prefix = claimName(cluster, 0).slice(0, -1);
  const { name } = claim.metadata;
  const ordinal = Number(name.slice(prefix.length));
  return name.startsWith(prefix) && Number.isInteger(ordinal) && name.length > prefix.length ? ordinal : undefined;
}
