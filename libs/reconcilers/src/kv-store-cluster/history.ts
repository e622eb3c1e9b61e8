import type { KVStoreCluster } from '@ordinal/api';
import type { ControllerRevision, OwnerReference, StatefulSet } from '@ordinal/client';
import { controllerRevisions, statefulSets, controllerOf } from '@ordinal/client';
import { kvStoreContainer, kvStoreSelector, hashIn } from '@ordinal/constructs';
import type { CacheReader } from '@ordinal/runtime';
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
  const { currentRevision, currentVersion } = cluster.status ?? {};
  if (currentRevision === undefined) return undefined;
  const { name, namespace = '' } = cluster.metadata;
  const left = cache
    .list(controllerRevisions, { namespace, labels: kvStoreSelector(name) })
    .filter((one) => isHistoryOf(name, controllerOf(one)));
  const owned = setUid === undefined ? [] : cache.ownedBy(controllerRevisions, setUid);
  const ranks = [...owned, ...left]
    .map((one) => ({ template: templateIn(one), made: one.metadata.creationTimestamp }))
    .filter(({ template }) => hashIn(template) === currentRevision)
    .sort((a, b) => a.made.localeCompare(b.made));
  return (ranks.find(({ template }) => isOfVersion(template, currentVersion)) ?? ranks[0])?.template;
}

const isOfVersion = ({ spec }: PodTemplate, version = ''): boolean =>
  spec?.containers.some(({ name, image = '' }) => name === kvStoreContainer && image.endsWith(`:${version}`)) ?? false;

/** The template that the StatefulSet's controller makes members of whom a partition holds; undefined where that is not known. */
export function heldTemplateOf({ metadata, status }: StatefulSet, cache: CacheReader): PodTemplate | undefined {
  const { namespace = '', uid } = metadata;
  const revision = cache.get(controllerRevisions, { namespace, name: status?.currentRevision ?? '' });
  return revision && controllerOf(revision)?.uid === uid ? templateIn(revision) : undefined;
}

/** The version in the image of a template's members; undefined where it names none. */
export function versionIn(template: PodTemplate | undefined): string | undefined {
  const image = template?.spec?.containers.find(({ name }) => name === kvStoreContainer)?.image ?? '';
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
