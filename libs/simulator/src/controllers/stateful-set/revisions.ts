import type { ControllerRevision, StatefulSet } from 'kubernetes-types/apps/v1.js';
import { isApiError, controllerOf, controllerReference } from '@ordinal/client';
import { freeze } from '../../api-server/object.ts';
import type { ControllerContext } from '../controller.ts';
import { goJson, hashText } from '../hash.ts';
import { kinds } from '../kinds.ts';
import type { Live, LivePod, LiveStatefulSet } from '../kinds.ts';
import { isTerminating } from '../owner.ts';
import { matchesSelector } from '../selector.ts';
import { revisionOf } from './identity.ts';

/** A stored revision of a set's template. */
export type Revision = Live<ControllerRevision>;

/** The two revisions that a set's pods may have, and how many name collisions there were. */
export interface CurrentRevisions {
  readonly current: Revision;
  readonly update: Revision;
  readonly collisionCount: number;
}

/** The set's revisions, oldest first. */
export function listRevisions(set: LiveStatefulSet, { store }: ControllerContext): Revision[] {
  return store
    .list<ControllerRevision>(kinds.controllerRevision, set.metadata.namespace)
    .filter((revision) => {
      const owner = controllerOf(revision);
      return owner === undefined
        ? matchesSelector(set.spec?.selector, revision.metadata.labels)
        : owner.uid === set.metadata.uid;
    })
    .sort((left, right) => left.revision - right.revision || left.metadata.name.localeCompare(right.metadata.name));
}

/** Adopts revisions without a controller: those of an earlier set of the name, which was deleted without what it had made. */
export function adoptRevisions(set: LiveStatefulSet, context: ControllerContext): void {
  if (isTerminating(set)) return;
  for (const revision of listRevisions(set, context)) {
    if (controllerOf(revision) !== undefined) continue;
    const ownerReferences = [...(revision.metadata.ownerReferences ?? []), controllerReference(set)];
    context.store.update<ControllerRevision>(kinds.controllerRevision, {
      ...revision,
      metadata: { ...revision.metadata, ownerReferences },
    });
  }
}

/** The set as its template was at a revision. */
export function atRevision(set: LiveStatefulSet, revision: Revision): LiveStatefulSet {
  // The data of a revision is a patch that this controller wrote: the whole template, marked to replace.
  const data = revision.data as { spec: { template: Record<string, unknown> } } | undefined;
  if (data === undefined || set.spec === undefined) return set;
  const template = { ...data.spec.template };
  delete template['$patch'];
  return { ...set, spec: { ...set.spec, template: template as NonNullable<StatefulSet['spec']>['template'] } };
}

/**
 * Finds or makes the revision of the set's present template. A template that was there before gets its old revision back with a new number, so a
 * rollback is a revision of the past that has become the newest.
 */
export function resolveRevisions(
  set: LiveStatefulSet,
  revisions: readonly Revision[],
  context: ControllerContext,
): CurrentRevisions {
  let collisionCount = set.status?.collisionCount ?? 0;
  const data = revisionData(set);
  const newest = revisions.at(-1);
  const next = (newest?.revision ?? 0) + 1;
  const text = goJson(data);
  const equal = revisions.filter((revision) => goJson(revision.data) === text).at(-1);
  let update: Revision;
  if (equal !== undefined && equal === newest) {
    update = equal;
  } else if (equal !== undefined) {
    update = context.store.update<ControllerRevision>(kinds.controllerRevision, { ...equal, revision: next });
  } else {
    const created = createRevision({ set, data, text, revision: next, collisionCount }, context);
    ({ update, collisionCount } = created);
  }
  const current =
    [...revisions, update].find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update;
  return { current: current.metadata.name === update.metadata.name ? update : current, update, collisionCount };
}

/** Deletes the oldest revisions that no pod has, beyond the number that the set keeps. */
export function truncateHistory(
  set: LiveStatefulSet,
  pods: readonly LivePod[],
  inUse: { readonly revisions: readonly Revision[]; readonly live: readonly string[] },
  context: ControllerContext,
): void {
  const limit = set.spec?.revisionHistoryLimit ?? 10;
  const live = new Set([...inUse.live, ...pods.map(revisionOf)]);
  const history = inUse.revisions.filter(({ metadata }) => !live.has(metadata.name));
  if (limit < 0) return;
  for (const revision of history.slice(0, Math.max(0, history.length - limit)))
    context.store.delete(kinds.controllerRevision, revision);
}

/** The data of revisions, by templates that can't change any more: each reconcile asks for that of its set. */
const dataOf = new WeakMap<object, unknown>();

function revisionData({ spec }: LiveStatefulSet): unknown {
  const data = { spec: { template: { ...spec?.template, $patch: 'replace' } } };
  if (spec === undefined || !Object.isFrozen(spec.template)) return data;
  const known = dataOf.get(spec.template) ?? freeze(data);
  dataOf.set(spec.template, known);
  return known;
}

interface NewRevision {
  readonly set: LiveStatefulSet;
  readonly data: unknown;
  readonly text: string;
  readonly revision: number;
  readonly collisionCount: number;
}

function createRevision(
  wanted: NewRevision,
  { store }: ControllerContext,
): { readonly update: Revision; readonly collisionCount: number } {
  const { set, data, text, revision } = wanted;
  for (let collisionCount = wanted.collisionCount; ; collisionCount += 1) {
    const hash = hashText(`${text}${collisionCount}`);
    const name = `${set.metadata.name.slice(0, 223)}-${hash}`;
    try {
      const update = store.create<ControllerRevision>(kinds.controllerRevision, {
        metadata: {
          name,
          namespace: set.metadata.namespace ?? '',
          labels: { ...set.spec?.template.metadata?.labels, 'controller.kubernetes.io/hash': hash },
          ...(set.metadata.annotations && { annotations: set.metadata.annotations }),
          ownerReferences: [controllerReference(set)],
        },
        // The type of a raw extension is empty; the patch is what belongs there.
        data: data as NonNullable<ControllerRevision['data']>,
        revision,
      });
      return { update, collisionCount };
    } catch (error) {
      if (!isApiError(error, 'AlreadyExists')) throw error;
      const existing = store.find<ControllerRevision>(kinds.controllerRevision, set.metadata.namespace ?? '', name);
      if (existing !== undefined && goJson(existing.data) === text) return { update: existing, collisionCount };
    }
  }
}
