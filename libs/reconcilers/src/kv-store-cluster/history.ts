import type { KVStoreCluster } from '@ordinal/api';
import type { ControllerRevision, OwnerReference, StatefulSet } from '@ordinal/client';
import { controllerRevisions, statefulSets, controllerOf } from '@ordinal/client';
import { kvStoreContainer, kvStoreSelector, hashIn } from '@ordinal/constructs';
import type { CacheReader } from '@ordinal/runtime';
import { imageOfContainer } from '../adoption/mismatch.ts';
import type { PodTemplate } from './observation.ts';

/**
 * The template with the hash that all members ran, from the history of the StatefulSet, or of one that was deleted and has left it: the next one takes it over. What
 * is left may be seen before it is seen to be left. One that another client has changed since (`kubectl set image`) says the same hash, and is in the history as well:
 * the one with the image of the version that ran is the way back, and of those the oldest.
 */
export function templateOf(
  cluster: KVStoreCluster,
  setUid: string | undefined,
  cache: CacheReader,
): PodTemplate | undefined {
  const { currentRevision } = cluster.status ?? {};
  if (currentRevision === undefined) return undefined;
  const { name, namespace = '' } = cluster.metadata;
  const left = cache
    .list(controllerRevisions, { namespace, labels: kvStoreSelector({ name, spec: cluster.spec }) })
    .filter((one) => isHistoryOf(name, controllerOf(one)));
  const owned = setUid === undefined ? [] : cache.ownedBy(controllerRevisions, setUid);
  const ranks = [...owned, ...left]
    .map((one) => ({ template: templateIn(one), made: one.metadata.creationTimestamp }))
    .filter(({ template }) => hashIn(template) === currentRevision)
    .sort((a, b) => a.made.localeCompare(b.made));
  return (ranks.find(({ template }) => isOfVersion(cluster, template)) ?? ranks[0])?.template;
}

const isOfVersion = ({ spec, status }: KVStoreCluster, template: PodTemplate): boolean =>
  imageOfContainer(template, kvStoreContainer(spec))?.endsWith(`:${status?.currentVersion ?? ''}`) ?? false;

/** The template that the StatefulSet's controller makes members of whom a partition holds; undefined where that is not known. */
export function heldTemplateOf({ metadata, status }: StatefulSet, cache: CacheReader): PodTemplate | undefined {
  const { namespace = '', uid } = metadata;
  const revision = cache.get(controllerRevisions, { namespace, name: status?.currentRevision ?? '' });
  return revision && controllerOf(revision)?.uid === uid ? templateIn(revision) : undefined;
}

/** The version in the image of the members of a cluster's template; undefined where it names none. */
export function versionIn(
  template: PodTemplate | undefined,
  { spec }: Pick<KVStoreCluster, 'spec'>,
): string | undefined {
  const image = imageOfContainer(template, kvStoreContainer(spec)) ?? '';
  const tag = image.slice(image.lastIndexOf(':') + 1);
  return tag === '' ? undefined : tag;
}

/** A StatefulSet's revision holds a strategic merge patch of its template (`$patch: replace`). */
function templateIn({ data }: ControllerRevision): PodTemplate {
  const { spec } = (data ?? {}) as {
    readonly spec?: { readonly template?: PodTemplate & { readonly $patch?: string } };
  };
  const { $patch: _directive, ...template } = spec?.template ?? {};
  return template as PodTemplate;
}

/** It is that of a StatefulSet of this name, whether that is there or not, or it has no owner any more. */
const isHistoryOf = (name: string, owner: OwnerReference | undefined): boolean =>
  owner === undefined ||
  (owner.apiVersion.startsWith('apps/') && owner.kind === statefulSets.kind && owner.name === name);
