import type { KubernetesObject, Pod, StatefulSet } from '@ordinal/client';
import { persistentVolumeClaims, statefulSets } from '@ordinal/client';
import type { Invariant, ObservedChange } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';

/** A resource that asks for a version of its members. */
export interface Versioned {
  readonly metadata: { readonly uid: string; readonly namespace?: string; readonly name: string };
  /** The image that it asks for now. */
  readonly image: string;
  /** The image that it goes back to because an upgrade has failed; undefined where none has. */
  readonly goesBackTo?: string | undefined;
}

const sets = 'statefulsets.apps';

const imageIn = (spec: { readonly containers?: readonly { readonly image?: string }[] } | undefined): string =>
  spec?.containers?.[0]?.image ?? '';

const shapeOf = ({ spec }: StatefulSet): string =>
  JSON.stringify([imageIn(spec.template.spec), spec.updateStrategy?.rollingUpdate?.partition]);

/** What the volumes of one history have seen. */
class Volumes {
  /** The images that each resource has asked for, by its UID, in that order. */
  readonly #asked = new Map<string, string[]>();
  /** The newest image that has run on each volume. */
  readonly #newest = new Map<string, string>();
  /** The StatefulSets whose template goes back to an older image because a user or a failure asks for it, by name, with that image. */
  readonly #goingBack = new Map<string, string>();
  /** The StatefulSets whose template or partition was last written by another client, by name, with the revision of that write. */
  readonly #foreign = new Map<string, number>();

  /** etcd was restored: whatever runs then is what it says, and no object shows what the volumes have seen in the part of the history that is lost. */
  restored(): void {
    for (const lost of [this.#newest, this.#goingBack, this.#foreign]) lost.clear();
  }

  asks({ metadata: { uid }, image }: Versioned): void {
    const asked = this.#asked.get(uid) ?? [];
    if (!asked.includes(image)) this.#asked.set(uid, [...asked, image]);
  }

  /** A StatefulSet has changed; it counts as another client's write until the operator's reply shows that it was its own. */
  written({ object, previous, type }: ObservedChange, owner: Versioned | undefined, revision: number): void {
    const set = object as StatefulSet; // Of this kind.
    const { name } = set.metadata;
    if (type === 'DELETED' || (previous && shapeOf(previous as StatefulSet) === shapeOf(set))) return;
    this.#foreign.set(name, revision);
    const image = imageIn(set.spec.template.spec);
    if (owner && (image === owner.image || image === owner.goesBackTo)) this.#goingBack.set(name, image);
    else if (this.#goingBack.get(name) !== image) this.#goingBack.delete(name);
  }

  writtenByOperator(revision: number): void {
    for (const [name, at] of this.#foreign) if (at === revision) this.#foreign.delete(name);
  }

  /** A pod runs on a volume. */
  ran(image: string, volume: string, owner: Versioned): void {
    const newest = this.#newest.get(volume);
    if (newest === undefined || this.#rank(owner, image) >= this.#rank(owner, newest)) this.#newest.set(volume, image);
  }

  /** What is wrong with it that a pod of this image starts on this volume. */
  wrongWith(pod: Pod, volume: string, owner: Versioned, set: StatefulSet | undefined): string | undefined {
    const image = imageIn(pod.spec);
    const newest = this.#newest.get(volume);
    const [now, before] = [this.#rank(owner, image), this.#rank(owner, newest)];
    if (newest === undefined || now < 0 || before < 0 || now >= before) return undefined;
    const name = set?.metadata.name ?? '';
    // A template that was written before a restore of etcd is not remembered: then the failure that is on record says as much.
    const goesBackTo = this.#goingBack.get(name) ?? owner.goesBackTo;
    const isReturning = image === owner.image || (goesBackTo === image && imageIn(set?.spec.template.spec) === image);
    // From now on its volume is one of the version that it has gone back to: also where a restore of etcd brings that state back.
    if (isReturning) this.#newest.set(volume, image);
    return isReturning || this.#foreign.has(name) ? undefined : `it starts as ${image} where ${newest} has run`;
  }

  #rank(owner: Versioned, image: string | undefined): number {
    return this.#asked.get(owner.metadata.uid)?.indexOf(image ?? '') ?? -1;
  }
}

/**
 * No member starts as an older version than its volume has seen (I30). What was asked for earlier is older. A user who asks for an older version gets it, and so does anyone who
 * goes back because an upgrade has failed; nothing else is a reason, such as a partition that holds a member while yet another version is asked for. Not even right after a
 * StatefulSet was made again as it was before: members that had gone ahead keep their names until it is brought to what is wanted. Where members have no claims, each counts as having a volume that its successors of the same name get: what
 * holds without a volume would hold with one. `read` reads an object of the kind `storage`.
 */
export function noOlderVersion(
  storage: string,
  read: (object: KubernetesObject) => Versioned,
  find: (cluster: TestCluster, namespace: string, name: string) => KubernetesObject | undefined,
): Invariant {
  const known = new WeakMap<TestCluster, { readonly volumes: Volumes; readonly restores: number }>();
  const volumesOf = (cluster: TestCluster): Volumes => {
    const { volumes, restores } = known.get(cluster) ?? { volumes: new Volumes(), restores: 0 };
    if (cluster.restores.length > restores) volumes.restored();
    known.set(cluster, { volumes, restores: cluster.restores.length });
    return volumes;
  };
  const ownerOf = (cluster: TestCluster, namespace = '', name = ''): Versioned | undefined => {
    const found = find(cluster, namespace, name);
    return found && read(found);
  };
  const podChanged = (cluster: TestCluster, { type, object }: ObservedChange): string | undefined => {
    const pod = object as Pod; // Of this kind.
    const { metadata, spec, status } = pod;
    const of = /^(.+)-\d+$/.exec(metadata.name)?.[1];
    const owner = ownerOf(cluster, metadata.namespace, of);
    const set = metadata.ownerReferences?.some(({ kind }) => kind === statefulSets.kind) ?? false;
    const claimName = spec.volumes?.find(({ persistentVolumeClaim: one }) => one)?.persistentVolumeClaim?.claimName;
    const claim = cluster.objects.find(persistentVolumeClaims, metadata.namespace ?? '', claimName ?? '');
    if (!owner || !set || of === undefined) return undefined;
    const volume = claim?.metadata.uid ?? `${owner.metadata.uid}/${metadata.name}`;
    const image = imageIn(spec);
    const volumes = volumesOf(cluster);
    if (status?.phase === 'Running') volumes.ran(image, volume, owner);
    if (type !== 'ADDED') return undefined;
    const wrong = volumes.wrongWith(
      pod,
      volume,
      owner,
      cluster.objects.find(statefulSets, metadata.namespace ?? '', of),
    );
    return wrong && `${metadata.name}: ${wrong}`;
  };
  return {
    name: 'no older version on a newer volume (I30)',
    afterChange: (cluster, change) => {
      const { kind, type, object } = change;
      if (kind === storage && type !== 'DELETED') volumesOf(cluster).asks(read(object));
      if (kind === sets) {
        const owner = ownerOf(cluster, object.metadata.namespace, object.metadata.name);
        volumesOf(cluster).written(change, owner, cluster.server.store.revision);
      }
      return kind === 'pods' && type !== 'DELETED' ? podChanged(cluster, change) : undefined;
    },
    afterRequest: (cluster, { kind, status }) => {
      if (kind === sets && status < 300) volumesOf(cluster).writtenByOperator(cluster.server.store.revision);
      return undefined;
    },
  };
}
