import type { KubernetesObject, Selection } from '@ordinal/client';
import { isOlder } from './revision.ts';

/** What was seen last of all objects of a kind. Where a restore loses anything of the kind, it loses at least that. */
export interface Latest {
  readonly metadata: Pick<KubernetesObject['metadata'], 'name' | 'namespace' | 'resourceVersion'> & {
    /** Unknown of a write of our own. */
    readonly uid?: string;
  };
  readonly isGone: boolean;
}

/** An object as it was just seen. */
export const latestOf = (
  { metadata: { name, namespace, uid, resourceVersion } }: KubernetesObject,
  isGone: boolean,
): Latest => ({ metadata: { name, uid, resourceVersion, ...(namespace !== undefined && { namespace }) }, isGone });

/** Selects the one object of this name, where the selection does. */
export function selectOne(selection: Selection, { name, namespace }: Latest['metadata']): Selection {
  const fields = [
    ...(selection.fieldSelector === undefined ? [] : [selection.fieldSelector]),
    `metadata.name=${name}`,
    ...(namespace === undefined ? [] : [`metadata.namespace=${namespace}`]),
  ];
  return { ...selection, fieldSelector: fields.join(',') };
}

/** Whether the object that was seen last is what the server has of this name now. One that was deleted shows nothing: of what a restored store has never had, it is gone as well. */
export function isAsSeen({ metadata, isGone }: Latest, now: KubernetesObject | undefined): boolean {
  if (isGone || now === undefined) return false;
  return (
    (metadata.uid ?? now.metadata.uid) === now.metadata.uid && now.metadata.resourceVersion === metadata.resourceVersion
  );
}

/** Whether what the server has of this name now is older than what was seen. That is impossible within one history, even where the object was deleted and created again. */
export const isBehind = ({ metadata }: Latest, now: KubernetesObject | undefined): boolean =>
  now !== undefined && isOlder(now.metadata.resourceVersion, metadata.resourceVersion);
